"""Which objects belong to which part, by whole groups of objects: no part asks for each object."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.snapshot.alternatives import Side, Sides, SnapshotPart
from trainlint.snapshot.kinds import HYPERNODE_KINDS
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.repository import Repository

__all__ = ["EVERYWHERE", "Partition"]

EVERYWHERE: Final = INVENTORY_KINDS | HYPERNODE_KINDS
"""What describes nodes: outside of kustomizations it joins every snapshot; the nearest counts (design, section 7.4)."""

Groups = dict[tuple[Side, ...], list[int]]


class Partition:
    """Objects by the sides on which they stand."""

    def __init__(self, objects: Sequence[ApiObject], repository: Repository, sides: Sides) -> None:
        self._objects = objects
        self._repository = repository
        self._by_first: dict[Side | None, Groups] = defaultdict(dict)
        self._everywhere: Groups = {}
        self._either: dict[str, list[ApiObject]] = {
            file: [] for file in repository.transformed if file in repository.places
        }
        """The objects of files that one kustomization brings in as they are, and another one would change."""
        for index, each in enumerate(objects):
            if each.file in self._either:
                self._either[each.file].append(each)
            outside = each.meta.kind in EVERYWHERE and each.file not in repository.together
            for _, own in sides.of_object(each):
                groups = self._everywhere if outside else self._by_first[own[0] if own else None]
                groups.setdefault(own, []).append(index)

    def to(self, part: SnapshotPart) -> list[ApiObject]:
        """The objects of a part, in their order."""
        return [self._objects[index] for index in sorted(set(self._indices(part)))]

    def transformed(self, part: SnapshotPart) -> dict[str, str]:
        """The files of a part whose objects a kustomization changes that was not rendered, with its directory."""
        changes = self._repository.transformed
        return {
            file: by
            for file, by in changes.items()
            if (
                any(self._is_changed(part, each, by) for each in self._either[file])
                if file in self._either
                else part.holds(file)
            )
        }

    @staticmethod
    def _is_changed(part: SnapshotPart, each: ApiObject, by: str) -> bool:
        """Whether a part takes an object as a kustomization changes it, and not as it is."""
        places = [place for place, own in part.sides.of_object(each) if part.takes(own)]
        return bool(places) and all(place != each.file and (posixpath.dirname(place) or ".") == by for place in places)

    def _indices(self, part: SnapshotPart) -> Iterator[int]:
        for first in (None, *part.taken):
            for own, indices in self._by_first.get(first, {}).items():
                if part.takes(own):
                    yield from indices
        for own, indices in self._everywhere.items():
            if part.takes(own, everywhere=True):
                yield from indices
