"""The Inventory of trainlint itself (``trainlint.io/v1alpha1``): pools written down by people or by a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, field_validator, model_validator

from trainlint.config.validate import validate
from trainlint.inventory.amounts import as_written
from trainlint.inventory.listed_devices import DevicesModel, listed_devices
from trainlint.model.pool import Inventory, Pool, Taint
from trainlint.model.settings import ZONE

if TYPE_CHECKING:
    from trainlint.source.document import Field as Cursor

__all__ = ["InventoryModel", "read_inventory"]

REGION = "topology.kubernetes.io/region"


_Amount = Annotated[str, WithJsonSchema({"type": ["string", "number"]})]
"""An amount, which may be written without quotes."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Taint(_Strict):
    """A taint, as in a Node."""

    key: str = Field(min_length=1)
    value: str = ""
    effect: str = Field(pattern="^(NoSchedule|NoExecute|PreferNoSchedule)$")


class _Pool(_Strict):
    """Equal nodes: ``count`` of them, or ``min`` to ``max``."""

    name: str = Field(min_length=1)
    count: int | None = Field(None, ge=0)
    min: int | None = Field(None, ge=0)
    max: int | None = Field(None, ge=0)
    zone: str | None = Field(None, min_length=1)
    region: str | None = Field(None, min_length=1)
    labels: dict[str, str] = Field(default_factory=dict)
    taints: list[_Taint] = Field(default_factory=list)
    allocatable: dict[str, _Amount] | None = None
    unschedulable: bool = False
    devices: list[DevicesModel] | None = Field(
        None, description="What drivers of resource claims publish on each node; without it, that is not known."
    )
    complete: bool = Field(default=False, description="The devices have no attributes but those that are listed.")

    @field_validator("allocatable", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {
            key: str(each) if isinstance(each, (int, float)) and not isinstance(each, bool) else each
            for key, each in value.items()
        }

    @model_validator(mode="after")
    def _one_size(self) -> _Pool:
        if self.count is not None and (self.min is not None or self.max is not None):
            raise ValueError("give count, or min and max, not both")
        if self.count is None and self.min is None and self.max is None:
            raise ValueError("give count (or min and max): how many nodes the pool has")
        if self.max is not None and self.max < (self.min or 0):
            raise ValueError("max is smaller than min")
        return self


class _Metadata(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    name: str = "inventory"


class InventoryModel(_Strict):
    """The whole object."""

    apiVersion: str  # noqa: N815 (the name in the file)
    kind: str
    metadata: _Metadata = Field(default_factory=_Metadata)
    complete: bool = Field(default=True, description="There are no other nodes.")
    pools: list[_Pool]


def read_inventory(item: Cursor) -> Inventory:
    """An Inventory object as pools.

    Raises:
        UsageError: a key or value that an Inventory cannot have, with its line.
    """
    model = validate(InventoryModel, InventoryModel.model_json_schema, item, what="Inventory", lenient=True)
    listed = frozenset({ZONE, REGION}).union(*(pool.labels for pool in model.pools))
    pools = tuple(_pool(pool, item["pools"][index], listed) for index, pool in enumerate(model.pools))
    return Inventory(name=model.metadata.name, pools=pools, complete=model.complete, at=item.at, live=True)


def _pool(pool: _Pool, cursor: Cursor, listed: frozenset[str]) -> Pool:
    labels = {"kubernetes.io/os": "linux", **pool.labels}
    if pool.zone is not None:
        labels[ZONE] = pool.zone
    if pool.region is not None:
        labels[REGION] = pool.region
    taints = tuple(
        Taint(taint.key, taint.value, taint.effect, at=cursor["taints"][index].at)
        for index, taint in enumerate(pool.taints)
    )
    minimum, maximum = (pool.count, pool.count) if pool.count is not None else (pool.min or 0, pool.max)
    made = Pool(
        name=pool.name,
        labels=labels,
        taints=taints,
        allocatable=pool.allocatable,
        minimum=minimum,
        maximum=maximum,
        unschedulable=pool.unschedulable,
        listed_keys=listed,
        at=cursor.at,
        devices=None if pool.devices is None else listed_devices(pool.devices, complete=pool.complete),
    )
    return as_written(made, devices=True)
