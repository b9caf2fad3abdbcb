"""What the allocator makes of devices and claims before Kubernetes 1.36: fields of later versions do not count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trainlint.model.devices import (
    DeviceClaim,
    DeviceClass,
    DeviceConstraint,
    DeviceReach,
    DeviceRequest,
    DeviceSlice,
    DeviceWish,
    NodeDevices,
    SliceDevice,
)
from trainlint.model.pod import PodResourceClaim
from trainlint.model.pool import Taint
from trainlint.scheduling.devices.allocation import AllocatedClaims, NodeRefusal
from trainlint.scheduling.devices.earlier import earlier_devices, is_earlier
from trainlint.scheduling.devices.one_node import most_together, placed_together
from trainlint.scheduling.devices.outcome import AllocationFault

GPU = DeviceClass("gpu", ("device.driver == 'gpu.example.com'",))


def node(*devices: SliceDevice, slices: int = 1) -> NodeDevices:
    return NodeDevices(
        (DeviceSlice("s", "gpu.example.com", "node", 1, slices, reach=DeviceReach(node="node"), devices=devices),)
    )


def claim(*wishes: DeviceWish, distinct: str = "") -> tuple[PodResourceClaim, ...]:
    constraints = (DeviceConstraint(distinct=distinct),) if distinct else ()
    request = DeviceRequest("r", wishes, alternatives=len(wishes) > 1)
    made = DeviceClaim("ns", "t", (request,), constraints)
    return (PodResourceClaim("c", template="t", devices=made, classes=(GPU,)),)


@pytest.mark.parametrize(
    ("version", "earlier"), [("1.34", True), ("1.35.2", True), ("1.36", False), ("1.37.0", False), ("2.0", False)]
)
def test_the_features_are_on_from_1_36(version: str, *, earlier: bool) -> None:
    assert is_earlier(version) is earlier


def test_a_taint_of_a_device_does_not_count() -> None:
    tainted = node(SliceDevice("d", taints=(Taint("example.com/broken", "", "NoSchedule"),)))
    pods = (claim(DeviceWish("r", "gpu")),)
    assert isinstance(placed_together(pods, tainted), NodeRefusal)
    assert isinstance(placed_together(pods, earlier_devices(tainted)), AllocatedClaims)


def test_a_device_that_would_be_shared_is_had_once() -> None:
    shared = node(SliceDevice("d", shared=True))
    claims = claim(DeviceWish("r", "gpu"))
    assert most_together(claims, shared) > 1
    assert most_together(claims, earlier_devices(shared)) == 1


def test_a_constraint_that_is_left_empty_is_an_error() -> None:
    """distinctAttribute is dropped; the allocator fails on a constraint that asks for nothing."""
    two = node(SliceDevice("a", {"root": ("int", 0)}), SliceDevice("b", {"root": ("int", 1)}))
    pods = (claim(DeviceWish("r", "gpu", count=2), distinct="gpu.example.com/root"),)
    assert isinstance(placed_together(pods, two), AllocatedClaims)
    assert isinstance(placed_together(pods, earlier_devices(two)), AllocationFault)


def test_a_pool_that_is_not_whole_gives_devices_but_not_all_of_them() -> None:
    half = node(SliceDevice("d"), slices=2)
    one, every = (claim(DeviceWish("r", "gpu")),), (claim(DeviceWish("r", "gpu", mode="All")),)
    assert isinstance(placed_together(one, half), NodeRefusal)
    assert isinstance(placed_together(one, earlier_devices(half)), AllocatedClaims)
    assert isinstance(placed_together(every, earlier_devices(half)), AllocationFault)


def test_a_pool_with_one_name_twice_is_an_error() -> None:
    twice = node(SliceDevice("d"), SliceDevice("d"))
    pods = (claim(DeviceWish("r", "gpu")),)
    assert isinstance(placed_together(pods, twice), NodeRefusal)
    assert isinstance(placed_together(pods, earlier_devices(twice)), AllocationFault)


def test_devices_of_other_versions_are_not_equal() -> None:
    plain = node(SliceDevice("d"))
    assert plain != earlier_devices(plain)
    assert earlier_devices(plain) == replace(earlier_devices(plain))
