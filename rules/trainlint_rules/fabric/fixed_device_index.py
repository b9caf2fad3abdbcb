"""A fixed device name or GID index in pods that each get whichever virtual function is free.

A virtual function is called mlx5_2 in one pod and mlx5_7 in the next. NCCL_IB_HCA with a number in it matches in some
pods only; in the others NCCL has no device and takes TCP. The right GID index depends on the function, too; NCCL
finds it by itself since 2.21.

Silent on the host network, where all pods see the node's own adapters, and for prefixes such as mlx5.

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
              env: [{name: NCCL_IB_HCA, value: "=mlx5_4"}]  # expect, repaired
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", nvidia.com/rdma-vf: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: NCCL_IB_HCA, value: "=mlx5_4"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", nvidia.com/rdma-vf: "1"}}
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
              env: [{name: NCCL_IB_HCA, value: "mlx5"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", nvidia.com/rdma-vf: "1"}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example/train:1
              command: [torchrun, train.py]
              env: [{name: NCCL_IB_HCA, value: "mlx5"}]
              securityContext: {capabilities: {add: [IPC_LOCK]}}
              resources: {limits: {nvidia.com/gpu: "1", nvidia.com/rdma-vf: "1"}}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trainlint.fabric.checks.attachments import attached_networks
from trainlint.fabric.device import Device, DeviceKind, Devices
from trainlint.fabric.fault import NetworkFault, merged, place_of
from trainlint.fabric.fixes import drop
from trainlint.fabric.name_list import NameList
from trainlint.fabric.process import Rank
from trainlint.finding import Certainty, Finding, Severity
from trainlint.kube.network import Attachable
from trainlint.lazy_pattern import lazy_pattern
from trainlint.rule import Facts, rule

_NUMBERED: Final = lazy_pattern(r"^(?:mlx5_|mlx4_|ibp?|rocep|bnxt_re|irdma)\w*\d$")
_VIRTUAL: Final = lazy_pattern(r"vf|sriov|hostdev|virtual", re.IGNORECASE)
_VIRTUAL_PLUGINS: Final = frozenset({"sriov", "ib-sriov", "SriovNetwork", "SriovIBNetwork", "host-device"})


@rule(Severity.NOTE)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and variable."""
    fabric = facts.fabric
    found = (
        fault
        for rank, _ in fabric.ranks
        for fault in fixed_index(rank, fabric.devices(rank.pod_set), attached_networks(rank.pod_set, fabric.networks))
    )
    for fault in merged(found):
        yield fault.finding()


def fixed_index(rank: Rank, devices: Devices, attached: tuple[Attachable, ...]) -> Iterator[NetworkFault]:
    """Fixed names or indices of devices in pods that get whichever virtual function is free."""
    function = _virtual_function(devices, attached)
    if rank.pod_set.spec.host_network or function is None:
        return
    hca, gid = rank.value("NCCL_IB_HCA"), rank.value("NCCL_IB_GID_INDEX")
    if hca is not None and any(_NUMBERED.match(item.name) for item in NameList.parse(hca, 32).items):
        remedy = "remove NCCL_IB_HCA (NCCL finds the devices by itself), or write a prefix such as mlx5"
        yield _fixed(rank, "NCCL_IB_HCA", function, "the name of its adapter differs from pod to pod", remedy)
    if gid is not None and gid.strip().isdecimal():
        why = "the index of a GID depends on the function that a pod gets"
        yield _fixed(
            rank,
            "NCCL_IB_GID_INDEX",
            function,
            why,
            "remove NCCL_IB_GID_INDEX: NCCL finds the index by itself since 2.21",
        )


def _virtual_function(devices: Devices, attached: tuple[Attachable, ...]) -> Device | None:
    virtual = {each.resource.rpartition("/")[2] for each in attached if each.plugin in _VIRTUAL_PLUGINS}
    for each in devices.asked:
        if each.kind is DeviceKind.VERBS:
            last = each.resource.rpartition("/")[2]
            if _VIRTUAL.search(last) or last in virtual:
                return each
    return None


def _fixed(rank: Rank, name: str, function: Device, why: str, remedy: str) -> NetworkFault:
    variable = rank.settings[name]
    return NetworkFault(
        rank.pod_set,
        f"{name}={variable.value} is fixed for all pods of {rank.pod_set.name}, but each gets whichever "
        f"{function.resource} is free: {why}",
        place_of(variable),
        remedy,
        name,
        ((f"asks for a function ({rank.pod_set.name})", function.at),) if function.at else (),
        {"variable": name, "value": str(variable.value), "resource": function.resource},
        certainty=Certainty.LIKELY,
        fixes=drop(variable),
    )
