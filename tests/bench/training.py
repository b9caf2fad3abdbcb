"""The training groups of the synthetic repository: PyTorchJobs, and Jobs that find their coordinator by a Service."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NAMESPACES", "Train", "manifest", "trains"]

NAMESPACES = ("audio", "climate", "dialog", "genomics", "maps", "ranking", "search", "speech", "vision", "weather")
MODELS = ("a100", "h100")


@dataclass(frozen=True)
class Train:
    """One group: its ``pods`` are workers and one master or coordinator."""

    name: str
    namespace: str
    model: str
    pods: int
    operator: bool
    number: int


def trains(scale: float) -> list[Train]:
    """150 groups with 1,000 pods at scale 1: 75 PyTorchJobs of 8 pods, 75 Services with 5 or 6 pods behind them."""
    found = []
    for number in range(round(150 * scale)):
        operator = number % 2 == 0
        found.append(
            Train(
                name=f"train-{number:04}",
                namespace=NAMESPACES[number % len(NAMESPACES)],
                model=MODELS[number // 2 % 2],
                pods=8 if operator else 5 + (number % 6 == 1),
                operator=operator,
                number=number,
            )
        )
    return found


def manifest(train: Train) -> str:
    """The file of one group."""
    return pytorch_job(train) if train.operator else service_job(train)


def pytorch_job(train: Train) -> str:
    return f"""\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: {train.name}
  namespace: {train.namespace}
  labels: {{team: {train.namespace}, job: {train.name}}}
spec:
  runPolicy: {{cleanPodPolicy: All, backoffLimit: 0}}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
{indented(pod(train, "pytorch", "master", [TORCHRUN]), 8)}
    Worker:
      replicas: {train.pods - 1}
      restartPolicy: Never
      template:
{indented(pod(train, "pytorch", "worker", [TORCHRUN]), 8)}
"""


def service_job(train: Train) -> str:
    store = f"store-{train.number:04}"
    call = f"exec train --coordinator {store}.{train.namespace}.svc.cluster.local:7100 --rank $JOB_COMPLETION_INDEX"
    return f"""\
# The trainers find their coordinator by the name of this Service.
apiVersion: v1
kind: Service
metadata: {{name: {store}, namespace: {train.namespace}}}
spec:
  clusterIP: None
  selector: {{job: {train.name}, role: coordinator}}
  ports: [{{name: meet, port: 7100}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {store}, namespace: {train.namespace}}}
spec:
  replicas: 1
  selector: {{matchLabels: {{job: {train.name}, role: coordinator}}}}
  template:
{indented(pod(train, "store", "coordinator", ["serve --bind 0.0.0.0:7100"], gpus=0), 4)}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: {train.name}, namespace: {train.namespace}}}
spec:
  completionMode: Indexed
  completions: {train.pods - 1}
  parallelism: {train.pods - 1}
  backoffLimit: 0
  template:
{indented(pod(train, "trainer", "worker", [call]), 4)}
      restartPolicy: Never
"""


TORCHRUN = "torchrun --nproc-per-node=8 /workspace/train.py --config /config/train.yaml"


def pod(train: Train, container: str, role: str, commands: list[str], gpus: int = 8) -> str:
    """A pod template; every second group is held together by node affinity, every third by pod affinity."""
    resources = f'memory: 512Gi, nvidia.com/gpu: "{gpus}"' if gpus else "memory: 96Gi"
    lines = f"""\
metadata:
  labels: {{job: {train.name}, role: {role}, team: {train.namespace}, lane: training}}
  annotations: {{sidecar.istio.io/inject: "false"}}
spec:
  tolerations:
    - {{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions:
              - {{key: accelerator, operator: In, values: [{train.model}]}}
{zone_expression(train)}{pod_affinity(train)}\
  containers:
    - name: {container}
      image: registry.example.org/{train.namespace}/{container}:2.{train.number % 7}.0
      command: [/bin/sh, -c]
      args:
        - {commands[0]}
      env:
        - {{name: NCCL_DEBUG, value: WARN}}
        - {{name: NCCL_SOCKET_IFNAME, value: eth0}}
        - {{name: DATASET, value: s3://datasets/{train.namespace}/{train.name}}}
        - name: POD_IP
          valueFrom: {{fieldRef: {{fieldPath: status.podIP}}}}
      resources:
        requests: {{cpu: "{48 if gpus else 4}", {resources}}}
        limits: {{{resources}}}
      volumeMounts:
        - {{name: shared-memory, mountPath: /dev/shm}}
        - {{name: config, mountPath: /config}}
  volumes:
    - name: shared-memory
      emptyDir: {{medium: Memory, sizeLimit: 64Gi}}
    - name: config
      configMap: {{name: {train.name}-config}}
"""
    return lines.rstrip()


def zone_expression(train: Train) -> str:
    if train.number % 4 > 1:
        return ""
    zone = "abc"[train.number % 3]
    return f"              - {{key: topology.kubernetes.io/zone, operator: In, values: [zone-{zone}]}}\n"


def pod_affinity(train: Train) -> str:
    if train.number % 3:
        return ""
    return f"""\
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - topologyKey: topology.kubernetes.io/zone
          labelSelector: {{matchLabels: {{job: {train.name}}}}}
"""


def indented(text: str, columns: int) -> str:
    return "\n".join(" " * columns + line if line else line for line in text.splitlines())
