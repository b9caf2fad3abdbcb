"""Which inventories a snapshot has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from trainlint.fact import remembered, together
from trainlint.inventory.read import INVENTORY_KINDS, read_inventories
from trainlint.model.pool import Inventory
from trainlint.model.settings import Settings
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.repository import Repository

__all__ = ["inventories_elsewhere", "inventories_of"]

STATED_OPEN: Final = "trainlint.yaml says nodes: open"


def inventories_of(
    repository: Repository, objects: Sequence[ApiObject], settings: Settings, home: str
) -> tuple[Inventory, ...]:
    """The inventories of a snapshot: those of the files that the settings name, or all that are in it.

    What is deployed to the cluster ``home`` and names no other is about its own nodes, wherever it stands.
    """
    if settings.inventories:
        files = frozenset(settings.inventories)
        named = _inventory_objects(each for each in repository.inventory_objects if each.file in files)
        return _as_stated(_of_one_cluster(named, settings), settings)
    read = _of_one_cluster if home else _of_any
    found = read(_inventory_objects(objects), settings)
    mine = tuple(each for each in found if each.cluster == home)
    return _as_stated(mine or tuple(each for each in found if not home or not each.cluster) or found, settings)


def _as_stated(inventories: tuple[Inventory, ...], settings: Settings) -> tuple[Inventory, ...]:
    """The inventories, with what the settings say about other nodes."""
    return tuple(map(_OPENED[settings.nodes], inventories)) if settings.nodes else inventories


@remembered
def _closed(inventory: Inventory) -> Inventory:
    return replace(inventory, complete=True, partial="")


@remembered
def _open(inventory: Inventory) -> Inventory:
    return replace(inventory, complete=False, partial=STATED_OPEN)


_OPENED: Final = {"closed": _closed, "open": _open}


def inventories_elsewhere(
    repository: Repository, objects: Sequence[ApiObject], settings: Settings
) -> tuple[Inventory, ...]:
    """The inventories of other snapshots: they tell that the repository makes several clusters."""
    if not repository.inventory_objects:
        return ()
    here = {each.file for each in objects}
    return _of_any(_inventory_objects(each for each in repository.inventory_objects if each.file not in here), settings)


def _inventory_objects(objects: Iterable[ApiObject]) -> tuple[ApiObject, ...]:
    return together(*(each for each in objects if each.meta.kind in INVENTORY_KINDS))


@remembered
def _of_any(objects: tuple[ApiObject, ...], settings: Settings) -> tuple[Inventory, ...]:
    return read_inventories(((each.meta, each.field) for each in objects), settings)


@remembered
def _of_one_cluster(objects: tuple[ApiObject, ...], settings: Settings) -> tuple[Inventory, ...]:
    return read_inventories(((each.meta, each.field) for each in objects), settings, together=True)
