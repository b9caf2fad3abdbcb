"""A container with an RDMA device that cannot lock memory.

RDMA registers memory, which must be locked. The usual memlock limit of a container is 64 KiB, and Kubernetes has no
field for it: the container needs IPC_LOCK (or privileges, or a runtime that was configured otherwise). Capabilities
that are added are not in effect for users other than root.

Silent for privileged containers, for EFA, and on CoreWeave (labels of coreweave.cloud), whose nodes set no limit.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch  # expect, repaired
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1", rdma/ib: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: "1", rdma/ib: "1"}}
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", rdma/ib: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", rdma/ib: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fabric.device import DeviceKind, devices_in
from trainlint.fabric.fault import NetworkFault, merged
from trainlint.fabric.networks import Networks
from trainlint.finding import Append, Certainty, Finding, Fix, Location, Severity
from trainlint.model.workload import PodSet
from trainlint.rule import Facts, rule

_BYPASS: Final = frozenset({"IPC_LOCK", "ALL", "SYS_ADMIN", "SYS_RESOURCE"})


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    fabric = facts.fabric
    for fault in merged(fault for each in fabric.pod_sets for fault in locked_memory(each, fabric.networks)):
        yield fault.finding()


def locked_memory(pod_set: PodSet, networks: Networks) -> Iterator[NetworkFault]:
    """Verbs devices in containers that cannot lock memory."""
    for container in pod_set.spec.containers:
        device = next(iter(devices_in(container, networks, DeviceKind.VERBS)), None)
        if device is None or container.privileged or _without_limit(pod_set):
            continue
        locks = bool(_BYPASS & container.capabilities)
        if locks and container.user in {None, 0}:
            continue
        at = container.at or pod_set.at
        if locks:
            text = "has IPC_LOCK, but does not run as root: added capabilities are not in effect for other users"
            remedy = "run it as root, or raise the memlock limit of the container runtime"
        else:
            text = "has no IPC_LOCK"
            remedy = "add capabilities: {add: [IPC_LOCK]} to its securityContext"
        yield NetworkFault(
            pod_set,
            f"the container {container.name} of {pod_set.name} holds {device.resource} and {text}: with the usual "
            "memlock limit it cannot register memory, and RDMA fails (ibv_create_qp, Cannot allocate memory)",
            at,
            remedy,
            "memlock",
            ((f"asks for the device ({pod_set.name})", device.at),) if device.at else (),
            {"resource": device.resource},
            certainty=Certainty.LIKELY,
            fixes=() if locks or container.at is None else (_with_lock(pod_set, container.name, container.at),),
        )


def _with_lock(pod_set: PodSet, name: str, at: Location) -> Fix:
    capabilities = at.child("securityContext", "capabilities", "add")
    return Fix(f"give {name} of {pod_set.name} the capability IPC_LOCK", (Append(capabilities, "IPC_LOCK"),))


def _without_limit(pod_set: PodSet) -> bool:
    """Whether the pods ask for nodes of a platform whose runtime sets no memlock limit (CoreWeave's own samples)."""
    spec = pod_set.spec
    terms = [each for term in spec.node_affinity or () for each in term.expressions]
    keys = (*(each.key for each in (*spec.node_selector, *terms)), *pod_set.labels, *pod_set.annotations)
    return any("coreweave.cloud/" in key for key in keys)
