"""The devices of nodes without what only identifies one of them, so that equal nodes have equal devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from trainlint.inventory.ground import PoolGround
from trainlint.inventory.listed_devices import NODE
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.devices import Attribute, DeviceReach, DeviceSlice, NodeDevices, SliceDevice
from trainlint.model.known import Known, Undetermined

__all__ = ["anonymous_devices"]

_IDENTITY: Final = lazy_pattern(
    r"(?i)(?:uuid|serial|(?:pci)?bus_?id|pci_?address|mac|ipv[46]|guid|hostname|node)(?:number|s|address)?$"
)
_IDENTIFYING: Final = lazy_pattern(
    r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-|(?:[0-9a-f]{2}:){5}[0-9a-f]{2}|\d+\.\d+\.\d+\.\d+|[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d"
)


def anonymous_devices(devices: NodeDevices, node: str) -> NodeDevices | None:
    """The devices as they can be written into an Inventory: attributes that identify a device exist without a value.

    ``None`` where an Inventory cannot say what there is: partitions that share counters, pools that are not
    whole, devices that several nodes share.
    """
    plain = not devices.elsewhere and all(map(_is_plain, devices.slices))
    if not plain:
        return None
    of_driver: dict[str, list[SliceDevice]] = {}
    for each in devices.slices:
        of_driver.setdefault(each.driver, []).extend(_anonymous(device, each.driver, node) for device in each.devices)
    slices = (
        DeviceSlice(f"{NODE}-{driver}", driver, NODE, reach=DeviceReach(node=NODE), devices=_numbered(found))
        for driver, found in of_driver.items()
    )
    return NodeDevices(tuple(sorted(slices, key=lambda each: each.driver)))


def _is_plain(each: DeviceSlice) -> bool:
    odd = (one.consumes or one.binding_conditions for one in each.devices)
    policies = (amount.policy for one in each.devices for amount in one.capacity.values())
    return not each.counters and not each.per_device and not any(odd) and not any(policies)


def _numbered(devices: list[SliceDevice]) -> tuple[SliceDevice, ...]:
    return tuple(replace(each, name=f"dev-{number}") for number, each in enumerate(devices))


def _anonymous(device: SliceDevice, driver: str, node: str) -> SliceDevice:
    attributes: Mapping[str, Known[Attribute]] = {
        name: Undetermined(Because(PoolGround.ATTRIBUTE, (name, driver))) if _identifies(name, value, node) else value
        for name, value in device.attributes.items()
    }
    return replace(device, attributes=attributes)


def _identifies(name: str, value: Known[Attribute], node: str) -> bool:
    if isinstance(value, Undetermined):
        return True
    kind, written = value
    if kind != "string":
        return False
    text = str(written)
    return bool(_IDENTITY.search(name)) or bool(_IDENTIFYING.search(text)) or bool(node and node in text)
