"""Devices in an Inventory, declared compactly: equal ones of a driver once, with what differs between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, field_validator

from trainlint.inventory.ground import PoolGround
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.devices import Attribute, Capacity, DeviceReach, DeviceSlice, NodeDevices, SliceDevice
from trainlint.model.known import Known, Undetermined
from trainlint.model.quantity import QuantityError, parse_quantity

__all__ = ["NODE", "DevicesModel", "listed_devices"]

NODE: Final = "node"
"""Stands for the node, and for the pools of devices that drivers name after it."""
_MOST: Final = 128
_RANGE: Final = lazy_pattern(r"(\d+)\.\.(\d+)")
_Amount = Annotated[str, WithJsonSchema({"type": ["string", "number"]})]
_Scalar = bool | int | str


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
    capacity: dict[str, _Amount] = Field(default_factory=dict)
    unknown: list[str] = Field(
        default_factory=list, description="Attributes that exist, and whose values are not known."
    )
    allowMultipleAllocations: bool = False  # noqa: N815 (the name in the file)

    @field_validator("capacity", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return {key: str(each) for key, each in value.items()} if isinstance(value, dict) else value

    @field_validator("capacity")
    @classmethod
    def _amounts(cls, value: dict[str, str]) -> dict[str, str]:
        for text in value.values():
            try:
                parse_quantity(text)
            except QuantityError as error:
                raise ValueError(str(error)) from error
        return value


def listed_devices(written: Sequence[DevicesModel], *, complete: bool) -> NodeDevices:
    """The devices of one node: a slice for each driver, as drivers of devices that are local to nodes publish them."""
    of_driver: dict[str, list[SliceDevice]] = {}
    for each in written:
        of_driver.setdefault(each.driver, []).extend(_devices(each, written, complete=complete))
    slices = (
        DeviceSlice(f"{NODE}-{driver}", driver, NODE, reach=DeviceReach(node=NODE), devices=tuple(devices))
        for driver, devices in of_driver.items()
    )
    return NodeDevices(tuple(sorted(slices, key=lambda each: each.driver)))


def _devices(each: DevicesModel, written: Sequence[DevicesModel], *, complete: bool) -> Iterator[SliceDevice]:
    capacity = {name: Capacity(parse_quantity(text)) for name, text in each.capacity.items()}
    for number in range(each.count):
        yield SliceDevice(
            name=each.name.replace("{i}", str(number)),
            attributes=_attributes(each, number, written),
            capacity=capacity,
            shared=each.allowMultipleAllocations,
            complete=complete,
        )


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
    if isinstance(value, _Version):
        return "version", value.version
    if isinstance(value, _Each):
        values = _values(value.each)
        return _typed(values[number]) if number < len(values) else None
    return None if value is None else _typed(value)


def _values(written: list[_Scalar] | str) -> Sequence[_Scalar]:
    if not isinstance(written, str):
        return written
    limits = _RANGE.fullmatch(written)
    return range(int(limits[1]), min(int(limits[2]), int(limits[1]) + _MOST) + 1) if limits else [written]


def _typed(value: _Scalar) -> Attribute:
    if isinstance(value, bool):
        return "bool", value
    return ("int", value) if isinstance(value, int) else ("string", value)
