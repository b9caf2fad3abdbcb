"""Devices in an Inventory, declared compactly: equal ones of a driver once, with what differs between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from trainlint.inventory.ground import PoolGround
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.devices import (
    Attribute,
    Capacity,
    Consumption,
    DeviceReach,
    DeviceSlice,
    NodeDevices,
    SliceDevice,
)
from trainlint.model.known import Known, Undetermined
from trainlint.model.pool import Taint
from trainlint.model.quantity import QuantityError, parse_quantity

__all__ = ["NODE", "DevicesModel", "listed_devices"]

NODE: Final = "node"
"""Stands for the node, and for the pools of devices that drivers name after it."""
_MOST: Final = 128
_RANGE: Final = lazy_pattern(r"(\d+)\.\.(\d+)")
_Amount = Annotated[str, WithJsonSchema({"type": ["string", "number"]})]
_Scalar = bool | int | str


def _as_text(value: Any) -> Any:
    return {key: str(each) for key, each in value.items()} if isinstance(value, dict) else value


def _amounts(value: dict[str, str]) -> dict[str, str]:
    for text in value.values():
        try:
            parse_quantity(text)
        except QuantityError as error:
            raise ValueError(str(error)) from error
    return value


Amounts = Annotated[dict[str, _Amount], BeforeValidator(_as_text), AfterValidator(_amounts)]
"""Quantities by name, which may be written without quotes."""


class _Version(BaseModel):
    """A version, which no text is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str


class _Each(BaseModel):
    """One value for each device: a list, or the numbers ``0..7``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    each: list[_Scalar] | str


class _ValuesOfDriver(BaseModel):
    """The values that the devices of another driver on the node have, in their order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sameAs: str  # noqa: N815 (the name in the file)


class _DeviceTaint(BaseModel):
    """A taint of devices, which requests of claims tolerate."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str = Field(min_length=1)
    value: str = ""
    effect: str = Field(pattern="^(NoSchedule|NoExecute|None)$")


class _Profile(BaseModel):
    """``count`` partitions of each device, with the attributes of the device and others of their own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    count: int = Field(1, ge=1, le=_MOST)
    consumes: Amounts = Field(min_length=1, description="What one takes of the counters.")
    attributes: dict[str, _Version | _Scalar] = Field(default_factory=dict)
    capacity: Amounts = Field(default_factory=dict)


class _Partitions(BaseModel):
    """Counters that each device has, and the partitions that share them; the whole device takes all of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    counters: Amounts = Field(min_length=1)
    profiles: list[_Profile] = Field(min_length=1)

    @model_validator(mode="after")
    def _of_counters(self) -> _Partitions:
        for profile in self.profiles:
            for name in profile.consumes:
                if name not in self.counters:
                    raise ValueError(f"profile {profile.name} consumes {name}, which is none of the counters")
        return self


class DevicesModel(BaseModel):
    """``count`` devices of a driver on each node."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    driver: str = Field(min_length=1)
    name: str = Field("dev-{i}", description="The name of each; {i} is its number, from 0.")
    count: int = Field(1, ge=1, le=_MOST)
    attributes: dict[str, _Version | _Each | _ValuesOfDriver | _Scalar] = Field(
        default_factory=dict,
        description="Values by the names of the driver; true, numbers and texts are of their type.",
    )
    capacity: Amounts = Field(default_factory=dict)
    taints: list[_DeviceTaint] = Field(default_factory=list, description="Of each of them.")
    partitions: _Partitions | None = Field(None, description="Parts of a device, had beside each other: MIG profiles.")
    unknown: list[str] = Field(
        default_factory=list, description="Attributes that exist, and whose values are not known."
    )
    allowMultipleAllocations: bool = False  # noqa: N815 (the name in the file)


def listed_devices(written: Sequence[DevicesModel], *, complete: bool) -> NodeDevices:
    """The devices of one node: a slice for each driver, as drivers of devices that are local to nodes publish them."""
    of_driver: dict[str, list[SliceDevice]] = {}
    for each in written:
        of_driver.setdefault(each.driver, []).extend(_devices(each, written, complete=complete))
    counters = {driver: tuple(_counter_sets(driver, written)) for driver in of_driver}
    slices = (each for driver, devices in of_driver.items() for each in _slices(driver, devices, counters[driver]))
    return NodeDevices(tuple(sorted(slices, key=lambda each: (each.driver, each.name))))


def _slices(driver: str, devices: Sequence[SliceDevice], counters: Sequence[Consumption]) -> Iterator[DeviceSlice]:
    """The devices, and in a slice of their own the counters that they share."""
    name, reach, count = f"{NODE}-{driver}", DeviceReach(node=NODE), 2 if counters else 1
    yield DeviceSlice(name, driver, NODE, slices=count, reach=reach, devices=tuple(devices))
    if counters:
        yield DeviceSlice(f"{name}-counters", driver, NODE, slices=count, reach=reach, counters=tuple(counters))


def _counter_sets(driver: str, written: Sequence[DevicesModel]) -> Iterator[Consumption]:
    for each in written:
        if each.driver == driver and each.partitions is not None:
            for number in range(each.count):
                yield _consumption(each, number, each.partitions.counters)


def _consumption(each: DevicesModel, number: int, amounts: Mapping[str, str]) -> Consumption:
    counters = tuple((name, parse_quantity(text)) for name, text in sorted(amounts.items()))
    return Consumption(each.name.replace("{i}", str(number)), counters)


def _devices(each: DevicesModel, written: Sequence[DevicesModel], *, complete: bool) -> Iterator[SliceDevice]:
    for number in range(each.count):
        whole = SliceDevice(
            name=each.name.replace("{i}", str(number)),
            attributes=_attributes(each, number, written),
            capacity=_capacity(each.capacity),
            consumes=() if each.partitions is None else (_consumption(each, number, each.partitions.counters),),
            taints=tuple(Taint(taint.key, taint.value, taint.effect) for taint in each.taints),
            shared=each.allowMultipleAllocations,
            complete=complete,
        )
        yield whole
        for profile in each.partitions.profiles if each.partitions is not None else ():
            for index in range(profile.count):
                own = {name: _written(value) for name, value in profile.attributes.items()}
                yield replace(
                    whole,
                    name=f"{whole.name}-{profile.name}-{index}",
                    attributes={**whole.attributes, **own},
                    capacity=_capacity(profile.capacity),
                    consumes=(_consumption(each, number, profile.consumes),),
                )


def _capacity(written: Mapping[str, str]) -> Mapping[str, Capacity]:
    return {name: Capacity(parse_quantity(text)) for name, text in written.items()}


def _written(value: _Version | _Scalar) -> Attribute:
    return ("version", value.version) if isinstance(value, _Version) else _typed(value)


def _attributes(each: DevicesModel, number: int, written: Sequence[DevicesModel]) -> Mapping[str, Known[Attribute]]:
    found: dict[str, Known[Attribute]] = {
        name: Undetermined(Because(PoolGround.ATTRIBUTE, (name, each.driver))) for name in each.unknown
    }
    for name in each.attributes:
        value = _value(each, name, number, written)
        if value is not None:
            found[name] = value
    return found


def _value(each: DevicesModel, name: str, number: int, written: Sequence[DevicesModel]) -> Attribute | None:
    value = each.attributes.get(name)
    if isinstance(value, _ValuesOfDriver):
        other = next((one for one in written if one.driver == value.sameAs and one is not each), None)
        return (
            None
            if other is None or isinstance(other.attributes.get(name), _ValuesOfDriver)
            else _value(other, name, number, ())
        )
    if isinstance(value, _Each):
        values = _values(value.each)
        return _typed(values[number]) if number < len(values) else None
    return None if value is None else _written(value)


def _values(written: list[_Scalar] | str) -> Sequence[_Scalar]:
    if not isinstance(written, str):
        return written
    limits = _RANGE.fullmatch(written)
    return range(int(limits[1]), min(int(limits[2]), int(limits[1]) + _MOST) + 1) if limits else [written]


def _typed(value: _Scalar) -> Attribute:
    if isinstance(value, bool):
        return "bool", value
    return ("int", value) if isinstance(value, int) else ("string", value)
