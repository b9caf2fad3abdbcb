"""The pods hold an RDMA or EFA device, and a setting keeps NCCL from using it.

NCCL_IB_DISABLE=1 switches InfiniBand and RoCE off, NCCL_NET=Socket every fabric, FI_PROVIDER=tcp or sockets EFA. NCCL
falls back to TCP without a word: the job runs, several times slower, and the devices that it holds stay idle.

Silent for NCCL_IB_DISABLE=1 with EFA, whose plugin is another transport, and without a device.

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
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: NCCL_IB_DISABLE, value: "1"}]  # expect, repaired
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
              env: [{name: NCCL_IB_DISABLE, value: "1"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
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
              env: [{name: NCCL_IB_DISABLE, value: "0"}]
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
              env: [{name: NCCL_IB_DISABLE, value: "0"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", rdma/ib: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fabric.demand import SLOW_PROVIDERS
from trainlint.fabric.device import Device, DeviceKind, Devices
from trainlint.fabric.fault import NetworkFault, merged, place_of
from trainlint.fabric.fixes import drop, write
from trainlint.fabric.number import read_number
from trainlint.fabric.process import Rank
from trainlint.finding import Finding, Severity
from trainlint.rule import Facts, rule


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and variable."""
    fabric = facts.fabric
    for fault in merged(
        fault for rank, _ in fabric.ranks for fault in disabled_fabric(rank, fabric.devices(rank.pod_set))
    ):
        yield fault.finding()


def disabled_fabric(rank: Rank, devices: Devices) -> Iterator[NetworkFault]:
    """A device that the pods hold, and a setting that keeps NCCL from it."""
    verbs, efa = devices.of(DeviceKind.VERBS) or devices.mounted or devices.claimed, devices.of(DeviceKind.EFA)
    off = rank.value("NCCL_IB_DISABLE")
    if verbs is not None and off is not None and read_number(off).value not in {None, 0}:
        yield _unused(
            rank, "NCCL_IB_DISABLE", verbs, "InfiniBand and RoCE are off, and NCCL takes TCP", "remove NCCL_IB_DISABLE"
        )
    net = rank.value("NCCL_NET")
    device = verbs or efa
    if device is not None and net is not None and net.lower() == "socket":
        yield _unused(rank, "NCCL_NET", device, "NCCL takes TCP", "remove NCCL_NET, or name the fabric's plugin")
    provider = rank.value("FI_PROVIDER")
    if efa is not None and provider is not None and provider.strip().lower() in SLOW_PROVIDERS:
        yield _unused(rank, "FI_PROVIDER", efa, "libfabric takes sockets", "write efa, or remove FI_PROVIDER")


def _unused(rank: Rank, name: str, device: Device, effect: str, remedy: str) -> NetworkFault:
    variable = rank.settings[name]
    return NetworkFault(
        rank.pod_set,
        f"{rank.pod_set.name} holds {device.resource} ({device.kind}), and {name}={variable.value}: {effect} without a "
        "word, while the devices stay idle",
        place_of(variable),
        remedy,
        name,
        ((f"asks for the device ({rank.pod_set.name})", device.at),) if device.at else (),
        {"variable": name, "value": str(variable.value), "resource": device.resource},
        fixes=write(variable, "efa") if name == "FI_PROVIDER" else drop(variable),
    )
