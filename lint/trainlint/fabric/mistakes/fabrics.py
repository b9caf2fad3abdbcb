"""RDMA and EFA: devices that are not used, settings without a device, roles that differ (N 3.3, 4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Final

from trainlint.fabric.device import Device, DeviceKind, Devices, accelerator_count, devices_in
from trainlint.fabric.fault import Fault, place_of
from trainlint.fabric.name_list import NameList
from trainlint.fabric.networks import Networks
from trainlint.fabric.number import read_number
from trainlint.fabric.process import Communicator, Rank
from trainlint.finding import Certainty, Severity
from trainlint.kube.network import Attachable
from trainlint.launch.environment import Variable
from trainlint.model.workload import PodSet
from trainlint.workload.accelerators import accelerators_of

__all__ = ["disabled_fabric", "fixed_index", "locked_memory", "missing_device", "some_roles"]

_SLOW_PROVIDERS: Final = frozenset({"tcp", "sockets", "udp", "tcp;ofi_rxm"})
_NUMBERED: Final = re.compile(r"^(?:mlx5_|mlx4_|ibp?|rocep|bnxt_re|irdma)\w*\d$")
_VIRTUAL: Final = re.compile(r"vf|sriov|hostdev|virtual", re.IGNORECASE)
_VIRTUAL_PLUGINS: Final = frozenset({"sriov", "ib-sriov", "SriovNetwork", "SriovIBNetwork", "host-device"})
_BYPASS: Final = frozenset({"IPC_LOCK", "ALL", "SYS_ADMIN"})

Of = Mapping[int, Devices]
"""By the identity of the pod set."""


def disabled_fabric(rank: Rank, devices: Devices) -> Iterator[Fault]:
    """A device that the pods hold, and a setting that keeps NCCL from it."""
    verbs, efa = devices.of(DeviceKind.VERBS) or devices.mounted, devices.of(DeviceKind.EFA)
    off = rank.value("NCCL_IB_DISABLE")
    if verbs is not None and off is not None and read_number(off).value not in {None, 0}:
        yield _unused(rank, "NCCL_IB_DISABLE", verbs, "InfiniBand and RoCE are off, and NCCL takes TCP", "remove it")
    net = rank.value("NCCL_NET")
    device = verbs or efa
    if device is not None and net is not None and net.lower() == "socket":
        yield _unused(rank, "NCCL_NET", device, "NCCL takes TCP", "remove it, or name the fabric's plugin")
    provider = rank.value("FI_PROVIDER")
    if efa is not None and provider is not None and provider.strip().lower() in _SLOW_PROVIDERS:
        yield _unused(rank, "FI_PROVIDER", efa, "libfabric takes sockets", "write efa, or remove it")


def _unused(rank: Rank, name: str, device: Device, effect: str, remedy: str) -> Fault:
    variable = rank.settings[name]
    return Fault(
        rank.pod_set,
        f"{rank.pod_set.name} holds {device.resource} ({device.kind}), and {name}={variable.value}: {effect} without a "
        "word, while the devices stay idle",
        place_of(variable),
        remedy,
        name,
        ((f"asks for the device ({rank.pod_set.name})", device.at),) if device.at else (),
        {"variable": name, "value": str(variable.value), "resource": device.resource},
    )


def missing_device(rank: Rank, devices: Devices) -> Fault | None:
    """A setting that only makes sense with a device, in pods that have none."""
    if devices.asked or devices.open or _fabric_off(rank):
        return None
    for name, wanted in (
        ("FI_PROVIDER", "vpc.amazonaws.com/efa"),
        ("NCCL_IB_HCA", "the cluster's RDMA resource, as rdma/..."),
        ("UCX_NET_DEVICES", "the cluster's RDMA resource, as rdma/..."),
    ):
        variable, value = rank.settings.get(name), rank.value(name)
        if variable is not None and value is not None and _needs(name, value):
            return _without(rank, variable, wanted)
    return None


def _fabric_off(rank: Rank) -> bool:
    off = rank.value("NCCL_IB_DISABLE")
    if off is None:
        return "NCCL_IB_DISABLE" in rank.settings
    return read_number(off).value not in {None, 0}


def _needs(name: str, value: str) -> bool:
    if name == "FI_PROVIDER":
        return value.strip() == "efa"
    if name == "UCX_NET_DEVICES":
        return value.startswith(("mlx", "rocep"))
    return len(value) > 1 and not value.startswith("^")


def _without(rank: Rank, variable: Variable, wanted: str) -> Fault:
    return Fault(
        rank.pod_set,
        f"{variable.name}={variable.value}, but the pods of {rank.pod_set.name} ask for no such device: there is none "
        "in the container, and NCCL falls back to TCP without a word",
        place_of(variable),
        f"request {wanted} in the container's limits, or remove {variable.name}",
        "no device",
        ((f"asks for no device ({rank.pod_set.name})", rank.container.at or rank.pod_set.at),),
        {"variable": variable.name, "value": str(variable.value)},
        certainty=Certainty.LIKELY,
    )


def some_roles(communicator: Communicator, devices: Of) -> Iterator[Fault]:
    """Ranks of one communicator of which only some have the device, or of which some have fewer."""
    pod_sets = [
        each
        for each in {id(rank.pod_set): rank.pod_set for rank in communicator.ranks}.values()
        if accelerators_of(each.spec)
    ]
    for kind in DeviceKind:
        having = [(each, device) for each in pod_sets if (device := devices[id(each)].of(kind)) is not None]
        lacking = [each for each in pod_sets if devices[id(each)].of(kind) is None and not devices[id(each)].open]
        if having and lacking:
            yield _unequal(communicator, lacking, having, kind)
        elif (pair := _fewer(having)) is not None:
            yield _counted(communicator, *pair)


def _unequal(
    communicator: Communicator, lacking: list[PodSet], having: list[tuple[PodSet, Device]], kind: DeviceKind
) -> Fault:
    first, (other, device) = lacking[0], having[0]
    names = ", ".join(each.name for each in lacking)
    return Fault(
        first,
        f"the ranks of {communicator.group.name} have different networks: {other.name} asks for {device.resource}, "
        f"{names} for no such device, so that NCCL cannot use it between them, falls back to TCP or hangs",
        first.spec.at or first.template,
        f"request {device.resource} in every role that holds GPUs",
        f"some roles {kind}",
        ((f"asks for {device.resource} ({other.name})", device.at or other.at),),
        {"resource": device.resource, "with": ", ".join(each.name for each, _ in having), "without": names},
    )


def _fewer(having: list[tuple[PodSet, Device]]) -> tuple[tuple[PodSet, Device], tuple[PodSet, Device]] | None:
    """Two roles of which one asks for fewer of a resource, though it has as many GPUs."""
    for one, other in permutations(having, 2):
        few, many = one[1], other[1]
        if few.resource == many.resource and isinstance(few.count, int) and isinstance(many.count, int):
            equal = accelerator_count(one[0]) == accelerator_count(other[0])
            if few.count < many.count and equal:
                return one, other
    return None


def _counted(communicator: Communicator, less: tuple[PodSet, Device], more: tuple[PodSet, Device]) -> Fault:
    (one, few), (other, many) = less, more
    return Fault(
        one,
        f"the ranks of {communicator.group.name} have unequal networks: {one.name} asks for {few.count} "
        f"{few.resource}, {other.name} for {many.count}",
        few.at or one.at,
        "request the same number in every role that holds GPUs",
        "unequal counts",
        ((f"asks for {many.count} ({other.name})", many.at or other.at),),
        {"resource": few.resource},
        severity=Severity.WARNING,
    )


def locked_memory(pod_set: PodSet, networks: Networks) -> Iterator[Fault]:
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
        yield Fault(
            pod_set,
            f"the container {container.name} of {pod_set.name} holds {device.resource} and {text}: with the usual "
            "memlock limit it cannot register memory, and RDMA fails (ibv_create_qp, Cannot allocate memory)",
            at,
            remedy,
            "memlock",
            ((f"asks for the device ({pod_set.name})", device.at),) if device.at else (),
            {"resource": device.resource},
            certainty=Certainty.LIKELY,
        )


def _without_limit(pod_set: PodSet) -> bool:
    """Whether the pods ask for nodes of a platform whose runtime sets no memlock limit (CoreWeave's own samples)."""
    spec = pod_set.spec
    terms = [each for term in spec.node_affinity or () for each in term.expressions]
    keys = (*(each.key for each in (*spec.node_selector, *terms)), *pod_set.labels, *pod_set.annotations)
    return any("coreweave.cloud/" in key for key in keys)


def fixed_index(rank: Rank, devices: Devices, attached: tuple[Attachable, ...]) -> Iterator[Fault]:
    """Fixed names or indices of devices in pods that get whichever virtual function is free."""
    function = _virtual_function(devices, attached)
    if rank.pod_set.spec.host_network or function is None:
        return
    hca, gid = rank.value("NCCL_IB_HCA"), rank.value("NCCL_IB_GID_INDEX")
    if hca is not None and any(_NUMBERED.match(item.name) for item in NameList.parse(hca, 32).items):
        remedy = "remove it (NCCL finds the devices by itself), or write a prefix such as mlx5"
        yield _fixed(rank, "NCCL_IB_HCA", function, "the name of its adapter differs from pod to pod", remedy)
    if gid is not None and gid.strip().isdecimal():
        why = "the index of a GID depends on the function that a pod gets"
        yield _fixed(rank, "NCCL_IB_GID_INDEX", function, why, "remove it: NCCL finds the index by itself since 2.21")


def _virtual_function(devices: Devices, attached: tuple[Attachable, ...]) -> Device | None:
    virtual = {each.resource.rpartition("/")[2] for each in attached if each.plugin in _VIRTUAL_PLUGINS}
    for each in devices.asked:
        if each.kind is DeviceKind.VERBS:
            last = each.resource.rpartition("/")[2]
            if _VIRTUAL.search(last) or last in virtual:
                return each
    return None


def _fixed(rank: Rank, name: str, function: Device, why: str, remedy: str) -> Fault:
    variable = rank.settings[name]
    return Fault(
        rank.pod_set,
        f"{name}={variable.value} is fixed for all pods of {rank.pod_set.name}, but each gets whichever "
        f"{function.resource} is free: {why}",
        place_of(variable),
        remedy,
        name,
        ((f"asks for a function ({rank.pod_set.name})", function.at),) if function.at else (),
        {"variable": name, "value": str(variable.value), "resource": function.resource},
        certainty=Certainty.LIKELY,
    )
