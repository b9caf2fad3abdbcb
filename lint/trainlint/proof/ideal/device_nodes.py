"""The least devices of a node that satisfy the claims of a pod, where their selectors say what they are equal to.

A selector can ask anything. What is read is the common form: a driver, attributes that are equal to literals or true,
amounts of capacity that are at least something. Devices that are made so are tried with the very selectors; where one
is not accepted, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.devices import Attribute, Capacity, DeviceReach, DeviceSlice, NodeDevices, SliceDevice
from trainlint.model.needs import DeviceNeed, DeviceWant
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.scheduling.devices.selection import accepts

__all__ = ["joined_devices", "least_devices"]

_NODE: Final = "node"
_DRIVER: Final = lazy_pattern(r"""device\.driver\s*==\s*["']([^"']+)["']""")
_PLACE: Final = r"""\[\s*["']([^"']+)["']\s*\](?:\.(\w+)|\[\s*["']([^"']+)["']\s*\])"""
_EQUAL: Final = lazy_pattern(rf"""device\.attributes{_PLACE}\s*==\s*(?:"([^"]*)"|'([^']*)'|(-?\d+)\b|(true|false)\b)""")
_TRUE: Final = lazy_pattern(rf"""(?:^|&&)\s*device\.attributes{_PLACE}\s*(?=$|&&)""")
_AT_LEAST: Final = lazy_pattern(
    rf"""device\.capacity{_PLACE}\.compareTo\(\s*quantity\(\s*["']([^"']+)["']\s*\)\s*\)\s*>=\s*0"""
)


def least_devices(needs: Iterable[DeviceNeed]) -> NodeDevices | None:
    """The devices that a node has for one pod with these claims; ``None`` where the claims do not say what they are."""
    found: list[tuple[str, SliceDevice]] = []
    for need in needs:
        if not need.wants or need.shared or len({each.request for each in need.wants}) != len(need.wants):
            return None
        for want in need.wants:
            made = _made(want, need.matching)
            if made is None or not want.known or not isinstance(want.count, str) or not want.count.isdecimal():
                return None
            found += [made] * int(want.count)
    return _devices(found)


def joined_devices(every: Sequence[NodeDevices | None]) -> NodeDevices | None:
    """The devices of several nodes on one; ``None`` where some of them are not known."""
    if any(each is None for each in every):
        return None
    return _devices([(one.driver, two) for each in every if each for one in each.slices for two in one.devices])


def _devices(found: Sequence[tuple[str, SliceDevice]]) -> NodeDevices:
    of_driver: dict[str, list[SliceDevice]] = {}
    for driver, device in found:
        here = of_driver.setdefault(driver, [])
        here.append(replace(device, name=f"dev-{len(here)}"))
    return NodeDevices(
        tuple(
            DeviceSlice(f"{_NODE}-{driver}", driver, _NODE, reach=DeviceReach(node=_NODE), devices=tuple(devices))
            for driver, devices in sorted(of_driver.items())
        )
    )


def _made(want: DeviceWant, matching: Iterable[str]) -> tuple[str, SliceDevice] | None:
    text = " && ".join(want.every_selector)
    drivers = dict.fromkeys(_DRIVER.findall(text))
    if len(drivers) != 1:
        return None
    driver = next(iter(drivers))
    attributes: dict[str, Attribute] = dict.fromkeys(matching, ("string", "1"))
    attributes.update(_attributes(text, driver))
    device = SliceDevice("", attributes=attributes, capacity=dict(_capacity(text, driver)))
    return (driver, device) if accepts(want.every_selector, driver, device) is True else None


def _attributes(text: str, driver: str) -> Iterator[tuple[str, Attribute]]:
    for domain, name, other, double, single, number, truth in _EQUAL.findall(text):
        key = _key(domain, name or other, driver)
        if number:
            yield key, ("int", int(number))
        elif truth:
            yield key, ("bool", truth == "true")
        else:
            yield key, ("string", double or single)
    for domain, name, other in _TRUE.findall(text):
        yield _key(domain, name or other, driver), ("bool", True)


def _capacity(text: str, driver: str) -> Iterator[tuple[str, Capacity]]:
    for domain, name, other, amount in _AT_LEAST.findall(text):
        try:
            value: Fraction = parse_quantity(amount)
        except QuantityError:
            continue
        yield _key(domain, name or other, driver), Capacity(value)


def _key(domain: str, name: str, driver: str) -> str:
    return name if domain == driver else f"{domain}/{name}"
