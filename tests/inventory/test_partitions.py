"""Partitions and taints of devices in an Inventory: what a node takes of each, by the counters that they share."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.finding import UsageError
from trainlint.inventory.trainlint import read_inventory
from trainlint.model.devices import DeviceClaim, DeviceClass, DeviceRequest, DeviceWish, NodeDevices
from trainlint.model.pod import PodResourceClaim
from trainlint.scheduling.devices.one_node import most_together
from trainlint.source.document import Document

OF = "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].type == '{}'"
CLASSES = (DeviceClass("gpu", (OF.format("gpu"),)), DeviceClass("mig", (OF.format("mig"),)))
PARTITIONS = {
    "counters": {"memory-slices": 8, "compute": 7},
    "profiles": [
        {
            "name": "1g",
            "count": 7,
            "consumes": {"memory-slices": 1, "compute": 1},
            "attributes": {"type": "mig", "profile": "1g"},
        },
        {
            "name": "3g",
            "count": 2,
            "consumes": {"memory-slices": 4, "compute": 3},
            "attributes": {"type": "mig", "profile": "3g"},
        },
    ],
}


def devices(**more: Any) -> NodeDevices:
    entry = {"driver": "gpu.example.com", "count": 2, "attributes": {"type": "gpu"}, **more}
    pool = {"name": "p", "count": 1, "complete": True, "devices": [entry]}
    written = {"apiVersion": "trainlint.io/v1alpha1", "kind": "Inventory", "pools": [pool]}
    found = read_inventory(Document("file.yaml", 0, 1, "", written).root).pools[0].devices
    assert found is not None
    return found


def claim(device_class: str, profile: str = "", *, count: int = 1) -> PodResourceClaim:
    selectors = (f"device.attributes['gpu.example.com'].profile == '{profile}'",) if profile else ()
    wish = DeviceWish("r", device_class, selectors, count=count)
    made = DeviceClaim("ns", "t", (DeviceRequest("r", (wish,)),))
    return PodResourceClaim("c", template="t", devices=made, classes=CLASSES)


@pytest.mark.parametrize(
    ("claims", "pods"),
    [
        ((claim("gpu"),), 2),  # the whole of each
        ((claim("mig", "1g"),), 14),  # seven slices of compute on each
        ((claim("mig", "3g"),), 4),  # two times four of eight slices of memory on each
        ((claim("mig", "3g", count=2),), 2),
        ((claim("gpu"), claim("mig", "1g")), 1),  # a whole one, and a part of the other
    ],
)
def test_partitions_share_the_counters_of_their_device(claims: tuple[PodResourceClaim, ...], pods: int) -> None:
    named = tuple(
        PodResourceClaim(f"c{index}", template=f"t{index}", devices=each.devices, classes=each.classes)
        for index, each in enumerate(claims)
    )
    assert most_together(named, devices(partitions=PARTITIONS)) == pods


def test_a_profile_cannot_take_what_the_device_does_not_count() -> None:
    wrong = {**PARTITIONS, "profiles": [{"name": "1g", "consumes": {"tensor": 1}}]}
    with pytest.raises(UsageError, match="profile 1g consumes tensor"):
        devices(partitions=wrong)


def test_tainted_devices_are_had_by_no_request_that_does_not_tolerate_them() -> None:
    assert most_together((claim("gpu"),), devices(taints=[{"key": "broken", "effect": "NoSchedule"}])) == 0
    assert most_together((claim("gpu"),), devices(taints=[{"key": "broken", "effect": "None"}])) == 2
