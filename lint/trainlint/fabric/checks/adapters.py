"""What containers with RDMA adapters lack, and names of adapters that differ from pod to pod (N 3.3, 4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trainlint.fabric.device import Device, DeviceKind, Devices, devices_in
from trainlint.fabric.fault import NetworkFault, place_of
from trainlint.fabric.fixes import drop
from trainlint.fabric.name_list import NameList
from trainlint.fabric.networks import Networks
from trainlint.fabric.process import Rank
from trainlint.finding import Append, Certainty, Fix, Location
from trainlint.kube.network import Attachable
from trainlint.model.workload import PodSet

__all__ = ["fixed_index", "locked_memory"]

_NUMBERED: Final = re.compile(r"^(?:mlx5_|mlx4_|ibp?|rocep|bnxt_re|irdma)\w*\d$")
_VIRTUAL: Final = re.compile(r"vf|sriov|hostdev|virtual", re.IGNORECASE)
_VIRTUAL_PLUGINS: Final = frozenset({"sriov", "ib-sriov", "SriovNetwork", "SriovIBNetwork", "host-device"})
_BYPASS: Final = frozenset({"IPC_LOCK", "ALL", "SYS_ADMIN", "SYS_RESOURCE"})


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
