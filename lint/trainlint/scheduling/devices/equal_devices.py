"""Devices that a search cannot tell apart: where one leads nowhere, so does the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trainlint.model.devices import DeviceClaim, DeviceClass, SliceDevice
from trainlint.scheduling.devices.domains import reading
from trainlint.scheduling.devices.offer import Candidate

__all__ = ["EqualDevices"]


class EqualDevices:
    """What the claims look at. Devices of one slice with equal ``traits`` are alike, if nothing of them is in use."""

    def __init__(self, claims: Iterable[DeviceClaim], classes: Mapping[str, DeviceClass]) -> None:
        names: set[str] = set()
        self._everything = False
        for claim in claims:
            for each in claim.constraints:
                names |= {(each.match or each.distinct).rpartition("/")[2]}
            for request in claim.requests:
                for wish in request.wishes:
                    known = classes.get(wish.device_class)
                    for text in (*(known.selectors if known else ()), *wish.selectors):
                        read = reading(text)
                        names |= read.names
                        self._everything = self._everything or read.everything
        self._names = frozenset(names)
        self._known: dict[int, tuple[SliceDevice, tuple[object, ...]]] = {}

    def traits(self, device: SliceDevice) -> tuple[object, ...]:
        """All of the device that the claims look at, and what taking it takes."""
        found = self._known.get(id(device))
        if found is None:
            found = self._known[id(device)] = device, self._traits(device)
        return found[1]

    def of(self, candidate: Candidate) -> object:
        """What it has in common with devices that are alike."""
        return (id(candidate.slice), self.traits(candidate.device))

    def _traits(self, device: SliceDevice) -> tuple[object, ...]:
        attributes = tuple(
            each
            for each in device.attributes.items()
            if self._everything or each[0].rpartition("/")[2] in self._names or each[1] == ("", None)
        )
        return (
            attributes,
            tuple(device.capacity.items()),
            device.consumes,
            device.taints,
            device.reach,
            device.shared,
            device.binding_conditions,
            device.complete,
        )
