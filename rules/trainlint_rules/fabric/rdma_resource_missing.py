"""Settings for RDMA or EFA in pods that ask for no such device.

A container has a network device only if it asks for its resource. With FI_PROVIDER=efa or NCCL_IB_HCA and no device,
the plugin finds nothing, and NCCL falls back to TCP without a word.

Silent for privileged containers, mounted device files, resource claims, the host network, and where InfiniBand is
disabled as well.

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
              env: [{name: FI_PROVIDER, value: "efa"}]  # expect
              resources: {limits: {nvidia.com/gpu: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: FI_PROVIDER, value: "efa"}]
              resources: {limits: {nvidia.com/gpu: "1"}}
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
              env: [{name: FI_PROVIDER, value: "efa"}]
              resources: {limits: {nvidia.com/gpu: "1", vpc.amazonaws.com/efa: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: FI_PROVIDER, value: "efa"}]
              resources: {limits: {nvidia.com/gpu: "1", vpc.amazonaws.com/efa: "1"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.fabric.demand import needs_device
from trainlint.fabric.device import Device, DeviceKind
from trainlint.fabric.facts import Fabric
from trainlint.fabric.fault import NetworkFault, merged, place_of
from trainlint.fabric.fixes import request
from trainlint.fabric.process import Rank
from trainlint.finding import Certainty, Finding, Severity
from trainlint.launch.environment import Variable
from trainlint.rule import Facts, rule

_WANTED: Final = {
    "FI_PROVIDER": "vpc.amazonaws.com/efa",
    "NCCL_IB_HCA": "the cluster's RDMA resource, as rdma/...",
    "UCX_NET_DEVICES": "the cluster's RDMA resource, as rdma/...",
    "NCCL_NET": "the resource of that network",
}
"""What to request so that a setting has an effect."""


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object."""
    fabric = facts.fabric
    for fault in merged(_missing_devices(fabric)):
        yield fault.finding()


def _missing_devices(fabric: Fabric) -> Iterator[NetworkFault]:
    """One fault for each rank with a setting that has an effect only with a device, in pods that have none."""
    for rank, _ in fabric.ranks:
        variable = needs_device(rank, fabric.devices(rank.pod_set))
        if variable is not None:
            yield _fault(rank, variable, fabric.offered(rank.pod_set))


def _fault(rank: Rank, variable: Variable, offered: Sequence[Device]) -> NetworkFault:
    """The fault of one setting; ``offered`` are the devices of the nodes that the pods may use."""
    wanted = _WANTED[variable.name]
    kind = DeviceKind.EFA if variable.name == "FI_PROVIDER" else DeviceKind.VERBS
    fitting = [each for each in offered if each.kind is kind and isinstance(each.count, int)]
    effect = "NCCL fails in init" if variable.name == "NCCL_NET" else "NCCL falls back to TCP without a word"
    return NetworkFault(
        rank.pod_set,
        f"{variable.name}={variable.value}, but the pods of {rank.pod_set.name} ask for no such device: there is none "
        f"in the container, and {effect}",
        place_of(variable),
        f"request {wanted} in the container's limits, or remove {variable.name}",
        "no device",
        ((f"asks for no device ({rank.pod_set.name})", rank.container.at or rank.pod_set.at),),
        {"variable": variable.name, "value": str(variable.value)},
        certainty=Certainty.LIKELY,
        fixes=request(rank.pod_set, rank.container, fitting[0].resource, fitting[0].count)
        if len(fitting) == 1 and isinstance(fitting[0].count, int)
        else (),
    )
