"""Ranks of one communicator of which only some have an RDMA or EFA device (N 3.3, 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

from trainlint.fabric.device import Device, DeviceKind, Devices, accelerator_count, requested
from trainlint.fabric.fault import RoleFault
from trainlint.fabric.fixes import request, together
from trainlint.fabric.process import Communicator
from trainlint.fact import fact
from trainlint.finding import Fix, Location, Put, Severity
from trainlint.model.known import Known
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet
from trainlint.workload.accelerators import accelerators_of, is_accelerator

__all__ = ["DeviceFault", "MissingDevice", "UnequalCounts", "some_roles"]


Of = Mapping[int, Devices]
"""By the identity of the pod set."""


@fact
class MissingDevice:
    """Some roles of a group (``having``) ask for a network device, and others for none."""

    group: str
    having: tuple[str, ...]
    lacking: tuple[str, ...]
    resource: str


@fact
class UnequalCounts:
    """One role of a group asks for fewer network devices than another with as many GPUs."""

    group: str
    resource: str
    one: str
    few: Known[int]
    other: str
    many: Known[int]


@fact
class DeviceFault(RoleFault):
    """Unequal network devices in one communicator; ``other_at`` is where the other role asks for its devices."""

    what: MissingDevice | UnequalCounts
    other_at: Location


def some_roles(communicator: Communicator, devices: Of) -> Iterator[DeviceFault]:
    """Ranks of one communicator of which only some have the device, or of which some have fewer."""
    pod_sets = [
        each
        for each in {id(rank.pod_set): rank.pod_set for rank in communicator.ranks}.values()
        if accelerators_of(each.spec)
    ]
    for kind in DeviceKind:
        having = [(each, device) for each in pod_sets if (device := _held(devices[id(each)], kind)) is not None]
        lacking = [each for each in pod_sets if _held(devices[id(each)], kind) is None and not devices[id(each)].open]
        if having and lacking:
            yield _unequal(communicator, lacking, having, kind)
        elif (pair := _fewer(having)) is not None:
            yield _counted(communicator, *pair)


def _held(devices: Devices, kind: DeviceKind) -> Device | None:
    """The device of a kind that the pods ask for, or have by a claim."""
    return devices.of(kind) or (devices.claimed if kind is DeviceKind.VERBS else None)


def _unequal(
    communicator: Communicator, lacking: list[PodSet], having: list[tuple[PodSet, Device]], kind: DeviceKind
) -> DeviceFault:
    first, (other, device) = lacking[0], having[0]
    return DeviceFault(
        first,
        first.spec.at or first.template,
        f"some roles {kind}",
        MissingDevice(
            communicator.group.name,
            tuple(each.name for each, _ in having),
            tuple(each.name for each in lacking),
            device.resource,
        ),
        device.at or other.at,
        fixes=_requested(lacking, device),
    )


def _requested(lacking: list[PodSet], device: Device) -> tuple[Fix, ...]:
    """The device in the container with accelerators of every role that lacks it."""
    holders = [(each, _holder(each)) for each in lacking]
    if "/" not in device.resource or not isinstance(device.count, int) or any(holder is None for _, holder in holders):
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


def _counted(communicator: Communicator, less: tuple[PodSet, Device], more: tuple[PodSet, Device]) -> DeviceFault:
    (one, few), (other, many) = less, more
    edit = () if few.at is None else (Put(few.at, str(many.count)),)
    return DeviceFault(
        one,
        few.at or one.at,
        "unequal counts",
        UnequalCounts(communicator.group.name, few.resource, one.name, few.count, other.name, many.count),
        many.at or other.at,
        severity=Severity.WARNING,
        fixes=(Fix(f"request {many.count} {few.resource} in {one.name}", edit),) if edit else (),
    )
