"""Counters that the devices of a pool share: partitions of one physical device."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from trainlint.scheduling.devices.allocated import AllocatedDevices
from trainlint.scheduling.devices.offer import Candidate, DevicePool

__all__ = ["Counters"]

Key = tuple[str, str]


class Counters:
    """What is left of the counters while devices are taken.

    The scheduler finds them by the name of the pool, without its driver: the pool that is asked about first supplies
    them for all of that name.
    """

    def __init__(self, pools: Sequence[DevicePool], taken: AllocatedDevices) -> None:
        self._pools = {(each.driver, each.name): each for each in pools}
        self._taken = taken
        self._left: dict[str, dict[Key, Fraction]] = {}

    def take(self, candidate: Candidate) -> bool:
        """Whether enough is left for the device; then it is taken."""
        left = self._of(candidate)
        self._count(candidate, -1)
        if all(amount >= 0 for amount in left.values()):
            return True
        self._count(candidate, 1)
        return False

    def give_back(self, candidate: Candidate) -> None:
        """Put back what the device took."""
        self._count(candidate, 1)

    def _count(self, candidate: Candidate, sign: int) -> None:
        left = self._of(candidate)
        for each in candidate.device.consumes:
            for name, amount in each.counters:
                if (each.counter_set, name) in left:
                    left[each.counter_set, name] += sign * amount

    def _of(self, candidate: Candidate) -> dict[Key, Fraction]:
        driver, name, _ = candidate.id
        if name not in self._left:
            self._left[name] = self._available(self._pools[driver, name])
        return self._left[name]

    def _available(self, pool: DevicePool) -> dict[Key, Fraction]:
        left = {(each.counter_set, name): amount for each in pool.counters for name, amount in each.counters}
        for each in pool.everywhere:
            for device in each.devices:
                if not device.consumes or not self._taken.counting((pool.driver, pool.name, device.name)):
                    continue
                for consumption in device.consumes:
                    for name, amount in consumption.counters:
                        if (consumption.counter_set, name) in left:
                            left[consumption.counter_set, name] -= amount
        return left
