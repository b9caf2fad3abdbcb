"""The platform of the synthetic repository: nodes as ``kubectl get nodes -o yaml`` prints them, and policies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.bench.training import NAMESPACES, Train

__all__ = ["app_policy", "namespaces", "node_list", "policies"]


@dataclass(frozen=True)
class Machine:
    """One type of node."""

    type: str
    accelerator: str
    gpus: int
    cpu: str
    memory: str


MACHINES = (
    Machine("p4d.24xlarge", "a100", 8, "95690m", "1147817264Ki"),
    Machine("p5.48xlarge", "h100", 8, "191450m", "2097152000Ki"),
    Machine("g6.48xlarge", "l4", 8, "191450m", "773094400Ki"),
    Machine("c7i.24xlarge", "", 0, "95690m", "189217404Ki"),
    Machine("m7i.8xlarge", "", 0, "31850m", "125217404Ki"),
)
ZONES = ("zone-a", "zone-b", "zone-c")


def node_list(scale: float) -> str:
    """500 nodes at scale 1 in one List: five types of node over three zones, GPU nodes tainted."""
    items = "".join(node(number) for number in range(round(500 * scale)))
    return f'apiVersion: v1\nitems:\n{items}kind: List\nmetadata:\n  resourceVersion: ""\n'


def node(number: int) -> str:
    machine, zone = MACHINES[number % len(MACHINES)], ZONES[number // len(MACHINES) % len(ZONES)]
    name = f"ip-10-{number // 62500}-{number // 250 % 250}-{number % 250}.internal"
    gpu_label = f'\n      accelerator: {machine.accelerator}\n      nvidia.com/gpu.count: "8"' * bool(machine.gpus)
    taint = "\n    taints:\n    - effect: NoSchedule\n      key: nvidia.com/gpu\n      value: present" * bool(
        machine.gpus
    )
    gpus = f'\n      nvidia.com/gpu: "{machine.gpus}"' * bool(machine.gpus)
    resources = f"""\
      cpu: {machine.cpu}
      ephemeral-storage: "104845292Ki"
      hugepages-1Gi: "0"
      hugepages-2Mi: "0"
      memory: {machine.memory}{gpus}
      pods: "110\""""
    conditions = "".join(
        f"""
    - lastHeartbeatTime: "2026-06-01T10:{number % 60:02}:00Z"
      lastTransitionTime: "2026-05-30T08:00:00Z"
      message: kubelet reports {reason}
      reason: Kubelet{reason}
      status: "{status}"
      type: {kind}"""
        for kind, reason, status in (
            ("MemoryPressure", "HasSufficientMemory", "False"),
            ("DiskPressure", "HasNoDiskPressure", "False"),
            ("PIDPressure", "HasSufficientPID", "False"),
            ("Ready", "Ready", "True"),
        )
    )
    images = "".join(
        f"""
    - names:
      - registry.example.org/image-{image}@sha256:{number * 97 + image:064x}
      - registry.example.org/image-{image}:1.{image}.0
      sizeBytes: {10_000_000 + image * 7919}"""
        for image in range(8)
    )
    return f"""\
- apiVersion: v1
  kind: Node
  metadata:
    annotations:
      node.alpha.kubernetes.io/ttl: "0"
      volumes.kubernetes.io/controller-managed-attach-detach: "true"
    creationTimestamp: "2026-05-30T08:00:00Z"
    labels:{gpu_label}
      beta.kubernetes.io/arch: amd64
      beta.kubernetes.io/os: linux
      kubernetes.io/arch: amd64
      kubernetes.io/hostname: {name}
      kubernetes.io/os: linux
      node.kubernetes.io/instance-type: {machine.type}
      topology.kubernetes.io/region: region
      topology.kubernetes.io/zone: {zone}
    name: {name}
    resourceVersion: "{184467 + number}"
    uid: 00000000-0000-4000-8000-{number:012x}
  spec:
    podCIDR: 10.{number // 256}.{number % 256}.0/24
    providerID: cloud:///{zone}/i-{number:017x}{taint}
  status:
    addresses:
    - address: 10.0.{number // 250}.{number % 250}
      type: InternalIP
    - address: {name}
      type: Hostname
    allocatable:
{resources}
    capacity:
{resources}
    conditions:{conditions}
    daemonEndpoints:
      kubeletEndpoint:
        Port: 10250
    images:{images}
    nodeInfo:
      architecture: amd64
      containerRuntimeVersion: containerd://2.1.4
      kernelVersion: 6.12.40
      kubeletVersion: v1.34.1
      operatingSystem: linux
      osImage: Linux
"""


def namespaces() -> str:
    """The namespaces of the teams."""
    return "---\n".join(
        f"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {name}\n  labels: {{team: {name}, tier: training}}\n"
        for name in NAMESPACES
    )


def policies(groups: list[Train]) -> Iterator[tuple[str, str]]:
    """Names and texts of files, 200 policies at scale 1: for each namespace a default deny and DNS (20), for each group
    a policy that lets its own pods talk (150, half of them Cilium's), and 30 that aim at other workloads.
    """
    for name in NAMESPACES:
        yield f"{name}/default.yaml", default_deny(name) + "---\n" + dns(name)
    for train in groups:
        text = cilium_policy(train) if train.number // 2 % 2 else network_policy(train)
        yield f"{train.namespace}/{train.name}.yaml", text
    others = len(groups) // 5
    for number in range(others):
        yield f"web/app-{number:04}.yaml", app_policy(number)


def default_deny(namespace: str) -> str:
    return f"""\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{name: default-deny, namespace: {namespace}}}
spec:
  podSelector: {{}}
  policyTypes: [Ingress, Egress]
"""


def dns(namespace: str) -> str:
    return f"""\
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {{name: dns, namespace: {namespace}}}
spec:
  endpointSelector: {{}}
  egress:
    - toEndpoints: [{{matchLabels: {{"k8s:io.kubernetes.pod.namespace": kube-system, k8s-app: kube-dns}}}}]
      toPorts: [{{ports: [{{port: "53", protocol: ANY}}], rules: {{dns: [{{matchPattern: "*"}}]}}}}]
"""


def cilium_policy(train: Train) -> str:
    return f"""\
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {{name: {train.name}, namespace: {train.namespace}}}
spec:
  endpointSelector: {{matchLabels: {{job: {train.name}}}}}
  ingress:
    - fromEndpoints: [{{matchLabels: {{job: {train.name}}}}}]
    - fromEndpoints: [{{matchLabels: {{"k8s:io.kubernetes.pod.namespace": monitoring, app: prometheus}}}}]
      toPorts: [{{ports: [{{port: "9400", protocol: TCP}}]}}]
  egress:
    - toEndpoints: [{{matchLabels: {{job: {train.name}}}}}]
    - toFQDNs: [{{matchPattern: "*.datasets.example.org"}}]
      toPorts: [{{ports: [{{port: "443", protocol: TCP}}]}}]
"""


def network_policy(train: Train) -> str:
    return f"""\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{name: {train.name}, namespace: {train.namespace}}}
spec:
  podSelector: {{matchLabels: {{job: {train.name}}}}}
  policyTypes: [Ingress, Egress]
  ingress:
    - from: [{{podSelector: {{matchLabels: {{job: {train.name}}}}}}}]
    - from: [{{namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: monitoring}}}}}}]
      ports: [{{port: 9400, protocol: TCP}}]
  egress:
    - to: [{{podSelector: {{matchLabels: {{job: {train.name}}}}}}}]
    - to: [{{ipBlock: {{cidr: 0.0.0.0/0, except: [10.0.0.0/8]}}}}]
      ports: [{{port: 443, protocol: TCP}}]
"""


def app_policy(number: int) -> str:
    return f"""\
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {{name: app-{number:04}, namespace: web}}
spec:
  endpointSelector: {{matchLabels: {{app: app-{number:04}}}}}
  ingress:
    - fromEntities: [cluster]
      toPorts: [{{ports: [{{port: "8080", protocol: TCP}}]}}]
"""
