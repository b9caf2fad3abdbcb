"""The claim that is made up for extended resources which device classes stand for."""

from __future__ import annotations

from trainlint.model.pod import Container, PodSpec
from trainlint.scheduling.devices.extended import made_up


def container(**requests: str) -> Container:
    names = {"gpu": "example.com/gpu", "nic": "example.com/nic"}
    return Container("c", requests={names.get(name, name): amount for name, amount in requests.items()})


def test_requests_are_numbered_by_all_that_their_container_asks_for_and_sorted_by_name() -> None:
    spec = PodSpec(containers=(container(cpu="1", gpu="1", nic="2"), container(gpu="3")))
    claim = made_up(spec, "ns", [("example.com/gpu", "gpu"), ("example.com/nic", "nic")])
    asked = [(each.name, wish.device_class, wish.count) for each in claim.requests for wish in each.wishes]
    assert asked == [
        ("container-0-request-1", "gpu", 1),
        ("container-0-request-2", "nic", 2),
        ("container-1-request-0", "gpu", 3),
    ]
