"""Devices counted as amounts: one kind of pod by trying, several kinds by the devices that each accepts."""

from __future__ import annotations

from trainlint.model.because import Because
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
from trainlint.model.known import Undetermined
from trainlint.model.pod import PodResourceClaim, PodSpec
from trainlint.scheduling.device_room import device_room
from trainlint.scheduling.devices.allocation import AllocatedClaims, NodeRefusal
from trainlint.scheduling.devices.one_node import most_together, placed_together
from trainlint.scheduling.devices.outcome import AllocationFault, DeviceGround, Open
from trainlint.scheduling.pod import Pod, defaulted
from trainlint.scheduling.refusal import DoubtGround

GPU = DeviceClass("gpu", ("device.driver == 'gpu.example.com'",))
NIC = DeviceClass("nic", ("device.driver == 'nic.example.com'",))
ANY = DeviceClass("any")


def node(gpus: int, nics: int = 0, *, complete: bool = True) -> NodeDevices:
    slices = [("gpu.example.com", gpus), ("nic.example.com", nics)]
    return NodeDevices(
        tuple(
            DeviceSlice(
                driver,
                driver,
                "node",
                reach=DeviceReach(node="node"),
                devices=tuple(
                    SliceDevice(f"d{index}", {"root": ("int", index // 2)}, complete=complete) for index in range(count)
                ),
            )
            for driver, count in slices
            if count
        )
    )


def claim(device_class: DeviceClass, count: int = 1, *, selector: str = "", match: str = "") -> PodResourceClaim:
    wish = DeviceWish("r", device_class.name, (selector,) if selector else (), count=count)
    constraints = (DeviceConstraint(match=match),) if match else ()
    made = DeviceClaim("ns", "t", (DeviceRequest("r", (wish,)),), constraints)
    return PodResourceClaim("c", template="t", devices=made, classes=(device_class,))


def pod(*claims: PodResourceClaim) -> Pod:
    return defaulted("ns", {}, PodSpec(containers=(), resource_claims=claims))


def test_so_many_equal_pods_fit_as_find_devices_one_after_another() -> None:
    assert most_together((claim(GPU, 3),), node(8)) == 2
    assert most_together((claim(GPU, 2, match="gpu.example.com/root"),), node(7)) == 3
    assert most_together((claim(GPU, 9),), node(8)) == 0


def test_an_attribute_that_is_missing_is_an_error_and_one_that_is_not_declared_is_open() -> None:
    wanted = claim(GPU, selector="device.attributes['gpu.example.com'].model == 'h100'")
    assert isinstance(placed_together(((wanted,),), node(2)), AllocationFault)
    assert isinstance(placed_together(((wanted,),), node(2, complete=False)), Open)
    tested = claim(GPU, selector="has(device.attributes['gpu.example.com'].model)")
    assert isinstance(placed_together(((tested,),), node(2)), NodeRefusal)
    assert isinstance(placed_together(((tested,),), node(2, complete=False)), Open)
    assert isinstance(placed_together(((claim(GPU),),), node(2, complete=False)), AllocatedClaims)


def test_pods_of_one_kind_are_counted_by_node() -> None:
    found = device_room([pod(claim(GPU, 3)), pod()], [4, 1], {0: node(8), 1: node(4)})
    (name,) = found.requests[0]
    assert found.requests == [{name: 1}, {}]
    assert [found.rooms[index][name] for index in (0, 1)] == [2, 1]


def test_kinds_of_devices_are_counted_by_themselves() -> None:
    found = device_room([pod(claim(GPU, 2)), pod(claim(GPU), claim(NIC, 2))], [2, 2], {0: node(4, 3)})
    gpus = next(iter(found.requests[0]))
    (nics,) = set(found.requests[1]) - {gpus}
    assert found.requests == [{gpus: 2}, {gpus: 1, nics: 2}]
    assert found.rooms == {0: {gpus: 4, nics: 3}}


def test_kinds_that_overlap_are_not_counted() -> None:
    found = device_room([pod(claim(GPU, 2)), pod(claim(ANY))], [2, 2], {0: node(4, 3)})
    assert [each.ground for each in found.unknown] == [DoubtGround.DEVICES_TOGETHER]


def test_a_claim_that_several_pods_share_is_not_counted() -> None:
    shared = PodResourceClaim("c", claim="one", devices=DeviceClaim("ns", "one"))
    found = device_room([pod(shared)], [2], {0: node(4)})
    assert [each.ground for each in found.unknown] == [DoubtGround.SHARED_DEVICES]


def test_a_number_that_is_not_known_is_open() -> None:
    wish = DeviceWish("r", "gpu", count=Undetermined(Because(DeviceGround.COUNT, ("it is a placeholder",))))
    made = DeviceClaim("ns", "t", (DeviceRequest("r", (wish,)),))
    wanted = PodResourceClaim("c", template="t", devices=made, classes=(GPU,))
    assert isinstance(placed_together(((wanted,),), node(2)), Open)
