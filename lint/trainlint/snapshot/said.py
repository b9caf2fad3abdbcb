"""What snapshots say equally, said once: among each other, and as they did before a change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from trainlint.model.pool import Inventory
from trainlint.model.settings import Settings
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.snapshot import Snapshot

__all__ = ["Said"]

T = TypeVar("T")


class Said:
    """What snapshots say equally is said once: what follows from the very same facts need not be found out again.

    ``known`` are the snapshots of the repository as it was before.
    """

    def __init__(self, known: Iterable[Snapshot] = ()) -> None:
        self._known = {each.name: each for each in known}
        self._settings: list[Settings] = []
        self._namespaces: list[Mapping[str, Mapping[str, str]]] = []

    def settings(self, found: Settings) -> Settings:
        """The settings that are equal, and came first."""
        return _first(found, self._settings)

    def namespaces(self, found: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
        """The namespaces that are equal, and came first."""
        return _first(found, self._namespaces)

    def snapshot(
        self,
        name: str,
        objects: Sequence[ApiObject],
        inventories: Sequence[Inventory],
        about: tuple[str, Settings, Mapping[str, str], Mapping[str, str]],
    ) -> Snapshot | None:
        """The snapshot of that name as it was before, if nothing of it changed: neither its objects and inventories nor
        what is known ``about`` it (why it is one, its settings, what was not rendered, what opens it).
        """
        known = self._known.get(name)
        if known is None or not _is_same(known, objects, inventories):
            return None
        return known if (known.why, known.settings, known.unrendered, known.opened) == about else None


def _is_same(known: Snapshot, objects: Sequence[ApiObject], inventories: Sequence[Inventory]) -> bool:
    """Whether a snapshot holds the very same objects, of the very same documents, and the very same inventories."""
    nodes = (*known.inventories, *known.elsewhere)
    return (
        len(known.objects) == len(objects)
        and len(nodes) == len(inventories)
        and all(
            one.field.document is other.field.document and one.field.path == other.field.path
            for one, other in zip(known.objects, objects, strict=True)
        )
        and all(one is other for one, other in zip(nodes, inventories, strict=True))
    )


def _first(found: T, before: list[T]) -> T:
    for each in before:
        if each == found:
            return each
    before.append(found)
    return found
