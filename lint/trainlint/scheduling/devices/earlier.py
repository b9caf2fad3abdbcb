"""Dynamic resource allocation before Kubernetes 1.36: what of the objects counts there.

The feature gates of partitions, taints, shared capacity, binding conditions and extended resources are on by default
from 1.36 on. Before, the API server drops their fields on write (kube_features.go; recorded from 1.34.1).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from trainlint.model.devices import (
    Allocation,
    Capacity,
    DeviceClaim,
    DeviceObjects,
    DeviceReach,
    DeviceRequest,
    DeviceSlice,
    NodeDevices,
    SliceDevice,
)

__all__ = ["counts_more", "earlier_claim", "earlier_devices", "earlier_objects", "is_earlier"]

_FOLLOWED: Final = (1, 36)


def is_earlier(kubernetes: str) -> bool:
    """Whether the version (major, minor and more, with dots) is one without these features."""
    major, _, rest = kubernetes.partition(".")
    minor = rest.partition(".")[0]
    return major.isdecimal() and minor.isdecimal() and (int(major), int(minor)) < _FOLLOWED


def earlier_objects(objects: DeviceObjects) -> DeviceObjects:
    """The objects as an API server of an earlier version holds them."""
    return DeviceObjects(
        slices=tuple(map(_slice, objects.slices)),
        classes={name: replace(each, extended_resource="") for name, each in objects.classes.items()},
        claims={key: earlier_claim(each) for key, each in objects.claims.items()},
        templates={key: earlier_claim(each) for key, each in objects.templates.items()},
    )


def earlier_devices(devices: NodeDevices) -> NodeDevices:
    """The devices of a node as the allocator of an earlier version sees them."""
    if devices.earlier:
        return devices
    return NodeDevices(tuple(map(_slice, devices.slices)), devices.elsewhere, earlier=True)


def counts_more(devices: NodeDevices) -> bool:
    """Whether Kubernetes 1.36 may refuse a claim on a node that an earlier version grants: devices have taints, take of
    counters or are shared, or slices of a pool are missing.
    """
    held: dict[tuple[str, str, int], int] = {}
    for each in devices.slices:
        key = each.driver, each.pool, each.generation
        held[key] = held.get(key, 0) + 1
        if any(device.taints or device.consumes or device.shared for device in each.devices):
            return True
    return any(held[each.driver, each.pool, each.generation] != each.slices for each in devices.slices)


def earlier_claim(claim: DeviceClaim) -> DeviceClaim:
    """The claim without the fields of later versions; a constraint may be left with nothing to ask for."""
    return replace(
        claim,
        requests=tuple(map(_request, claim.requests)),
        constraints=tuple(replace(each, distinct="") for each in claim.constraints),
        allocation=None if claim.allocation is None else _allocation(claim.allocation),
        for_extended_resources=False,
    )


def _request(request: DeviceRequest) -> DeviceRequest:
    return replace(request, wishes=tuple(replace(each, tolerations=(), capacity=()) for each in request.wishes))


def _allocation(allocation: Allocation) -> Allocation:
    devices = (
        replace(each, share="", consumed=(), binding_conditions=(), failure_conditions=())
        for each in allocation.devices
    )
    return replace(allocation, devices=tuple(devices))


def _slice(each: DeviceSlice) -> DeviceSlice:
    return replace(each, per_device=False, counters=(), devices=tuple(map(_device, each.devices)))


def _device(device: SliceDevice) -> SliceDevice:
    return replace(
        device,
        capacity={name: Capacity(each.value) for name, each in device.capacity.items()},
        consumes=(),
        taints=(),
        reach=DeviceReach(),
        shared=False,
        binding_conditions=(),
    )
