"""RDMA and EFA: devices that are not used, settings without a device, roles that differ (N 3.3, 4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Final

from trainlint.fabric.device import Device, DeviceKind, Devices, accelerator_count, requested
from trainlint.fabric.fault import NetworkFault, place_of
from trainlint.fabric.fixes import drop, request, together, write
from trainlint.fabric.number import read_number
from trainlint.fabric.process import Communicator, Rank
from trainlint.finding import Certainty, Fix, Put, Severity
from trainlint.launch.environment import Variable
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet
from trainlint.workload.accelerators import accelerators_of, is_accelerator

__all__ = ["disabled_fabric", "fabric_refused", "missing_device", "some_roles"]

_SLOW_PROVIDERS: Final = frozenset({"tcp", "sockets", "udp", "tcp;ofi_rxm"})
_ETHERNET: Final = re.compile(r"^=?(?:eth|en[opsx]\d|bond|lo\b)")
"""Names of network interfaces: as names of adapters they select none, which some write to have none."""
_FABRIC_NETS: Final = frozenset({"ib", "libfabric", "aws libfabric", "ofi"})

Of = Mapping[int, Devices]
"""By the identity of the pod set."""


def disabled_fabric(rank: Rank, devices: Devices) -> Iterator[NetworkFault]:
    """A device that the pods hold, and a setting that keeps NCCL from it."""
    verbs, efa = devices.of(DeviceKind.VERBS) or devices.mounted, devices.of(DeviceKind.EFA)
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
    if efa is not None and provider is not None and provider.strip().lower() in _SLOW_PROVIDERS:
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


def missing_device(
    rank: Rank, devices: Devices, offered: Callable[[], Sequence[Device]] = tuple
) -> NetworkFault | None:
    """A setting that only makes sense with a device, in pods that have none. ``offered`` is what their nodes have."""
    if devices.asked or devices.open or _fabric_off(rank):
        return None
    for name, wanted in (
        ("FI_PROVIDER", "vpc.amazonaws.com/efa"),
        ("NCCL_IB_HCA", "the cluster's RDMA resource, as rdma/..."),
        ("UCX_NET_DEVICES", "the cluster's RDMA resource, as rdma/..."),
        ("NCCL_NET", "the resource of that network"),
    ):
        variable, value = rank.settings.get(name), rank.value(name)
        if variable is not None and value is not None and _needs(name, value):
            return _without(rank, variable, wanted, offered)
    return None


def fabric_refused(rank: Rank) -> bool:
    """Whether a setting says that the ranks shall use no fabric, or may say so."""
    net, provider = rank.value("NCCL_NET"), rank.value("FI_PROVIDER")
    if {"NCCL_NET", "FI_PROVIDER"} & set(rank.settings) and net is None and provider is None:
        return True
    tcp = (net or "").lower() == "socket" or (provider or "").strip().lower() in _SLOW_PROVIDERS
    return tcp or _fabric_off(rank)


def _fabric_off(rank: Rank) -> bool:
    off = rank.value("NCCL_IB_DISABLE")
    if off is None:
        return "NCCL_IB_DISABLE" in rank.settings
    return read_number(off).value not in {None, 0}


def _needs(name: str, value: str) -> bool:
    if name == "FI_PROVIDER":
        return value.strip() == "efa"
    if name == "NCCL_NET":
        return value.lower() in _FABRIC_NETS
    if name == "UCX_NET_DEVICES":
        return value.startswith(("mlx", "rocep"))
    return len(value) > 1 and not value.startswith("^") and _ETHERNET.match(value) is None


def _without(rank: Rank, variable: Variable, wanted: str, offered: Callable[[], Sequence[Device]]) -> NetworkFault:
    kind = DeviceKind.EFA if variable.name == "FI_PROVIDER" else DeviceKind.VERBS
    fitting = [each for each in offered() if each.kind is kind and isinstance(each.count, int)]
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


def some_roles(communicator: Communicator, devices: Of) -> Iterator[NetworkFault]:
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
) -> NetworkFault:
    first, (other, device) = lacking[0], having[0]
    names = ", ".join(each.name for each in lacking)
    return NetworkFault(
        first,
        f"the ranks of {communicator.group.name} have different networks: {other.name} asks for {device.resource}, "
        f"{names} for no such device, so that NCCL cannot use it between them, falls back to TCP or hangs",
        first.spec.at or first.template,
        f"request {device.resource} in every role that holds GPUs",
        f"some roles {kind}",
        ((f"asks for {device.resource} ({other.name})", device.at or other.at),),
        {"resource": device.resource, "with": ", ".join(each.name for each, _ in having), "without": names},
        fixes=_requested(lacking, device),
    )


def _requested(lacking: list[PodSet], device: Device) -> tuple[Fix, ...]:
    """The device in the container with accelerators of every role that lacks it."""
    holders = [(each, _holder(each)) for each in lacking]
    if not isinstance(device.count, int) or any(holder is None for _, holder in holders):
        return ()
    count = device.count
    return together(
        fix for each, holder in holders if holder is not None for fix in request(each, holder, device.resource, count)
    )


def _holder(pod_set: PodSet) -> Container | None:
    """The one container with accelerators."""
    found = [
        each for each in pod_set.spec.containers if any(is_accelerator(resource) for resource, _, _ in requested(each))
    ]
    return found[0] if len(found) == 1 else None


def _fewer(having: list[tuple[PodSet, Device]]) -> tuple[tuple[PodSet, Device], tuple[PodSet, Device]] | None:
    """Two roles of which one asks for fewer of a resource, though it has as many GPUs."""
    for one, other in permutations(having, 2):
        few, many = one[1], other[1]
        if few.resource == many.resource and isinstance(few.count, int) and isinstance(many.count, int):
            equal = accelerator_count(one[0]) == accelerator_count(other[0])
            if few.count < many.count and equal:
                return one, other
    return None


def _counted(communicator: Communicator, less: tuple[PodSet, Device], more: tuple[PodSet, Device]) -> NetworkFault:
    (one, few), (other, many) = less, more
    return NetworkFault(
        one,
        f"the ranks of {communicator.group.name} have unequal networks: {one.name} asks for {few.count} "
        f"{few.resource}, {other.name} for {many.count}",
        few.at or one.at,
        "request the same number in every role that holds GPUs",
        "unequal counts",
        ((f"asks for {many.count} ({other.name})", many.at or other.at),),
        {"resource": few.resource},
        severity=Severity.WARNING,
        fixes=()
        if few.at is None
        else (Fix(f"request {many.count} {few.resource} in {one.name}", (Put(few.at, str(many.count)),)),),
    )
