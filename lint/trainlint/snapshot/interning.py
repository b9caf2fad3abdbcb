"""Equal values of snapshots, kept once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from trainlint.finding import Location
from trainlint.model.namespace import Namespaces
from trainlint.model.pool import Inventory
from trainlint.model.settings import Settings
from trainlint.snapshot.snapshot import Snapshot

__all__ = ["Interning"]

T = TypeVar("T")


class Interning:
    """What snapshots say equally is said once: what follows from the very same facts need not be found out again.

    ``known`` are snapshots of the repository as it was before.
    """

    def __init__(self, known: Iterable[Snapshot]) -> None:
        self.known = {each.name: each for each in known}
        self._settings: list[Settings] = []
        self._namespaces: list[Namespaces] = []
        self._inventories: dict[object, list[Inventory]] = {}

    def settings(self, found: Settings) -> Settings:
        """The settings that are equal, and came first."""
        return _first(found, self._settings)

    def namespaces(self, found: Namespaces) -> Namespaces:
        """The namespaces that are equal, and came first."""
        return _first(found, self._namespaces)

    def inventories(self, found: Iterable[Inventory]) -> tuple[Inventory, ...]:
        """The inventories, each as the equal one of the same places that came first."""
        return tuple(_first(each, self._inventories.setdefault(_places(each), [])) for each in found)


def _places(inventory: Inventory) -> tuple[str, Location | None, tuple[Location, ...], tuple[Location | None, ...]]:
    """Where an inventory and its pools are described, which inventories that are equal may differ in."""
    return (inventory.name, inventory.at, inventory.also, tuple(each.at for each in inventory.pools))


def _first(found: T, before: list[T]) -> T:
    for each in before:
        if each == found:
            return each
    before.append(found)
    return found
