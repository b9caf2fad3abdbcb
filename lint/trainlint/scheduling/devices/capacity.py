"""Capacity of devices: what a request consumes, and whether that is left."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from trainlint.model.devices import Capacity, DeviceWish, RequestPolicy, SliceDevice

__all__ = ["consumed", "fits"]


def fits(wish: DeviceWish, device: SliceDevice, used: Mapping[str, Fraction], taking: Mapping[str, Fraction]) -> bool:
    """Whether what the wish consumes of the device is left beside what is used and what is being taken."""
    if any(name not in device.capacity for name, _ in wish.capacity):
        return False
    zero = Fraction(0)
    for name, amount in consumed(wish, device).items():
        capacity = device.capacity[name]
        if _violates(amount, capacity.policy):
            return False
        if used.get(name, zero) + taking.get(name, zero) + amount > capacity.value:
            return False
    return True


def consumed(wish: DeviceWish, device: SliceDevice) -> dict[str, Fraction]:
    """What the wish consumes of each capacity of the device."""
    asked = dict(wish.capacity)
    return {name: _amount(asked.get(name), capacity) for name, capacity in device.capacity.items()}


def _amount(asked: Fraction | None, capacity: Capacity) -> Fraction:
    policy = capacity.policy
    if asked is None:
        return capacity.value if policy is None or policy.default is None else policy.default
    if policy is None:
        return asked
    if policy.least is not None:
        if asked < policy.least:
            return policy.least
        if policy.step:
            return policy.least + policy.step * -((asked - policy.least) // -policy.step)
        return asked
    return next((each for each in policy.valid if asked <= each), asked)


def _violates(amount: Fraction, policy: RequestPolicy | None) -> bool:
    if policy is None or (policy.default is not None and amount == policy.default):
        return False
    if policy.most is not None or policy.least is not None or policy.step is not None:
        if policy.most is not None and amount > policy.most:
            return True
        return bool(policy.step) and (amount - (policy.least or 0)) % (policy.step or 1) != 0
    return bool(policy.valid) and amount not in policy.valid
