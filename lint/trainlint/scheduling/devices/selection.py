"""Which devices the selectors of a class and a request accept: CEL over attributes and capacity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from trainlint.cel.expression import Variables, expression
from trainlint.cel.literals import COST, without_literal_loops
from trainlint.cel.quantities import quantity_of
from trainlint.cel.versions import semver
from trainlint.model.because import Because
from trainlint.model.devices import Attribute, SliceDevice
from trainlint.model.known import Known, Undetermined
from trainlint.scheduling.devices.domains import Place, SelectorText, place, reading
from trainlint.scheduling.devices.outcome import AllocationFault, DeviceGround, Open

__all__ = ["VARIABLES", "Selection", "accepts", "compile_fault"]

VARIABLES: Final[Variables] = (
    ("device.driver", "string"),
    ("device.attributes", "map<string, map<string, dyn>>"),
    ("device.capacity", "map<string, map<string, kubernetes.Quantity>>"),
    ("device.allowMultipleAllocations", "bool"),
)
"""The variable of selectors, by its fields."""

Selection = bool | AllocationFault | Open
"""Whether a selector accepts a device; or the evaluation fails, or cannot be told."""


def compile_fault(text: str) -> AllocationFault | Open | None:
    """Why the API server refuses a selector (a fault), or why it cannot be told; ``None``: it takes it."""
    return _compile_fault(text)


@lru_cache(maxsize=4096)
def _compile_fault(text: str) -> AllocationFault | Open | None:
    fault = expression(text, VARIABLES).fault
    if fault is None:
        return None
    if fault.unknown:
        return Open(_says(fault.unknown), function=fault.function)
    return AllocationFault(_says(fault.error))


class Selector:
    """One selector; ``accepts`` remembers what it came to for equal devices."""

    def __init__(self, text: str) -> None:
        self._fault = _compile_fault(text)
        shorter, cost = without_literal_loops(text)
        if cost > COST:
            self._fault = AllocationFault(Because(DeviceGround.COST))
        self._reading: SelectorText = reading(shorter)
        self._known: dict[Any, Selection] = {}

    def accepts(self, driver: str, device: SliceDevice) -> Selection:
        """Whether the selector is true for the device."""
        if self._fault is not None:
            return self._fault
        key = self._key(driver, device)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._evaluated(driver, device)
        return found

    def _key(self, driver: str, device: SliceDevice) -> Any:
        names = self._reading.names
        if self._reading.everything:
            attributes, capacity = tuple(device.attributes.items()), tuple(device.capacity.items())
        else:
            attributes = tuple(each for each in device.attributes.items() if each[0].rpartition("/")[2] in names)
            capacity = tuple(each for each in device.capacity.items() if each[0].rpartition("/")[2] in names)
        return driver, attributes, tuple((name, each.value) for name, each in capacity), device.shared, device.complete

    def _evaluated(self, driver: str, device: SliceDevice) -> Selection:
        attributes: dict[str, dict[str, Any]] = {}
        versions: list[Place] = []
        unknown: set[str] = set()
        for key, written in device.attributes.items():
            domain, name = place(key, driver)
            if isinstance(written, Undetermined):
                unknown.add(name)
                continue
            attributes.setdefault(domain, {})[name] = _value(written)
            if written[0] == "version":
                versions.append((domain, name))
        capacity: dict[str, dict[str, Any]] = {}
        for key, amount in device.capacity.items():
            domain, name = place(key, driver)
            capacity.setdefault(domain, {})[name] = quantity_of(amount.value)
        values: dict[str, Any] = {
            "device.driver": driver,
            "device.attributes": attributes,
            "device.capacity": capacity,
            "device.allowMultipleAllocations": device.shared,
        }
        if not device.complete:
            declared = {place(key, driver)[1] for key in (*device.attributes, *device.capacity)}
            unknown |= self._reading.names - declared
        return self._run(values, versions, unknown)

    def _run(self, values: dict[str, Any], versions: Sequence[Place], unknown: set[str]) -> Selection:
        text = self._reading.raising(versions)
        open_names = unknown & self._reading.names
        if open_names:
            doubting = self._reading.doubting(open_names)
            if doubting is None or self._reading.everything:
                return Open(_not_declared(open_names))
            text = doubting
        by_kind: Mapping[str, Mapping[str, dict[str, Any]]] = {
            "attributes": values["device.attributes"],
            "capacity": values["device.capacity"],
        }
        variables = list(VARIABLES)
        for index, (kind, domain) in enumerate(self._reading.domains):
            variables.append((f"domain_{index}", "map<string, dyn>"))
            values[f"domain_{index}"] = by_kind[kind].get(domain, {})
        found = expression(text, tuple(variables)).evaluate(values)
        if found.unknown:
            return Open(_says(found.unknown))
        if found.error:
            return Open(_not_declared(open_names)) if open_names else AllocationFault(_says(found.error))
        if not isinstance(found.value, bool):
            return AllocationFault(Because(DeviceGround.NO_BOOLEAN))
        return found.value


def _says(text: str) -> Because:
    return Because(DeviceGround.EXPRESSION, (text,))


def _not_declared(names: set[str]) -> Because:
    return Because(DeviceGround.UNDECLARED, (tuple(sorted(names)[:3]),))


def _value(written: Attribute) -> Any:
    kind, value = written
    return semver(str(value)) if kind == "version" else value


@lru_cache(maxsize=4096)
def _selector(text: str) -> Selector:
    return Selector(text)


def accepts(texts: Sequence[str], driver: str, device: SliceDevice) -> Selection:
    """Whether all selectors are true for the device; the first that is not ends the check."""
    broken = _broken(device) if texts else None
    if broken is not None:
        return AllocationFault(Because(DeviceGround.BROKEN_ATTRIBUTE, (broken, device.name)))
    unknown: Open | None = None
    for text in texts:
        found = _selector(text).accepts(driver, device)
        if isinstance(found, Open):
            unknown = unknown or found
        elif found is False:
            return False
        elif isinstance(found, AllocationFault):
            return unknown or found
    return unknown or True


def _broken(device: SliceDevice) -> str | None:
    """The attribute that no selector can be evaluated with: it has no value, or is no version."""
    return next((name for name, written in device.attributes.items() if not _sound(written)), None)


def _sound(written: Known[Attribute]) -> bool:
    if isinstance(written, Undetermined):
        return True
    kind, value = written
    if kind != "version":
        return bool(kind)
    return _is_version(str(value))


@lru_cache(maxsize=4096)
def _is_version(text: str) -> bool:
    try:
        semver(text)
    except ValueError:
        return False
    return True
