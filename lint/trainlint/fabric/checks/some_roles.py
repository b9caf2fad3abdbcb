"""Ranks of one communicator of which only some have an RDMA or EFA device (N 3.3, 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

from trainlint.fabric.device import Device, DeviceKind, Devices, accelerator_count, requested
from trainlint.fabric.fault import NetworkFault
from trainlint.fabric.fixes import request, together
from trainlint.fabric.process import Communicator
from trainlint.finding import Fix, Put, Severity
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet
from trainlint.workload.accelerators import accelerators_of, is_accelerator

__all__ = ["some_roles"]


Of = Mapping[int, Devices]
"""By the identity of the pod set."""


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
