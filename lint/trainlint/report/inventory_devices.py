"""The devices of a pool as an Inventory says them: equal ones once, with the values in which they differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from trainlint.model.devices import NodeDevices, SliceDevice
from trainlint.model.known import Undetermined
from trainlint.scheduling.quantity import readable

__all__ = ["device_lines"]

Text = Callable[[str], str]


def device_lines(devices: NodeDevices, text: Text) -> Iterator[str]:
    """The lines below a pool; ``text`` writes a scalar."""
    if not any(each.devices for each in devices.slices):
        yield "    devices: []"
        return
    every = [device for each in devices.slices for device in each.devices]
    if all(device.complete for device in every):
        yield "    complete: true"
    yield "    devices:"
    for each in devices.slices:
        for _, found in groupby(each.devices, _alike):
            yield from _group(each.driver, list(found), text)


def _alike(device: SliceDevice) -> object:
    """What one entry says of all its devices: attributes by their types, versions, capacity."""
    attributes = [
        (name, "?" if isinstance(value, Undetermined) else value if value[0] == "version" else value[0])
        for name, value in sorted(device.attributes.items())
    ]
    capacity = sorted((name, each.value) for name, each in device.capacity.items())
    return attributes, capacity, device.shared, device.taints


def _group(driver: str, devices: Sequence[SliceDevice], text: Text) -> Iterator[str]:
    first = devices[0]
    yield f"      - driver: {text(driver)}"
    yield f"        count: {len(devices)}"
    if first.shared:
        yield "        allowMultipleAllocations: true"
    known = [name for name, value in sorted(first.attributes.items()) if not isinstance(value, Undetermined)]
    if known:
        yield "        attributes:"
        yield from (f"          {text(name)}: {_values(name, devices, text)}" for name in known)
    if first.capacity:
        yield "        capacity:"
        for name, each in sorted(first.capacity.items()):
            amount = int(each.value) if each.value.denominator == 1 else 0
            unit = "memory" if amount >= 1 << 20 else name
            yield f"          {text(name)}: {json.dumps(readable(unit, amount))}"
    if first.taints:
        yield "        taints:"
        for taint in first.taints:
            value = f", value: {text(taint.value)}" if taint.value else ""
            yield f"          - {{key: {text(taint.key)}{value}, effect: {text(taint.effect)}}}"
    unknown = [name for name in sorted(first.attributes) if name not in known]
    if unknown:
        yield f"        unknown: [{', '.join(map(text, unknown))}]"


def _values(name: str, devices: Sequence[SliceDevice], text: Text) -> str:
    found = [value for each in devices if not isinstance(value := each.attributes[name], Undetermined)]
    kind = found[0][0]
    written = [_scalar(value, text) for _, value in found]
    if kind == "version":
        return f"{{version: {written[0]}}}"
    if len(set(written)) == 1:
        return written[0]
    numbers = [value for _, value in found]
    if kind == "int" and numbers == list(range(len(numbers))):
        return f'{{each: "0..{len(numbers) - 1}"}}'
    return f"{{each: [{', '.join(written)}]}}"


def _scalar(value: object, text: Text) -> str:
    return json.dumps(value) if isinstance(value, (bool, int)) else text(str(value))
