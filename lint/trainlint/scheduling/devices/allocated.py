"""What claims have: the devices in use, and how much of the capacity of those that are shared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from trainlint.model.devices import Allocated, Allocation, DeviceId

__all__ = ["AllocatedDevices"]


class AllocatedDevices:
    """The devices of some allocations. ``whole`` are in use; of those in ``parts`` some capacity is used.

    What claims reserve or for which pod plays no role, nor whether a claim is being deleted.
    """

    def __init__(self, allocations: Iterable[Allocation]) -> None:
        self.whole: set[DeviceId] = set()
        self.parts: dict[DeviceId, dict[str, Fraction]] = {}
        for allocation in allocations:
            for each in allocation.devices:
                self._add(each)

    def _add(self, each: Allocated) -> None:
        if each.admin:
            return
        if not each.share:
            self.whole.add(each.device)
            return
        used = self.parts.setdefault(each.device, {})
        for name, amount in each.consumed:
            used[name] = used.get(name, Fraction(0)) + amount

    def used(self, device: DeviceId) -> Mapping[str, Fraction]:
        """What is used of the capacity of a device."""
        return self.parts.get(device, {})

    def counting(self, device: DeviceId) -> bool:
        """Whether the device uses counters of its pool."""
        return device in self.whole or device in self.parts
