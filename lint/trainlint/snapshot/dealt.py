"""Which objects belong to which part: whole groups of them, so that nobody asks for each object in each part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.snapshot.alternatives import Part, Side, Sides
from trainlint.snapshot.kinds import HYPERNODE_KINDS
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.repository import Repository

__all__ = ["EVERYWHERE", "Dealt"]

EVERYWHERE: Final = INVENTORY_KINDS | HYPERNODE_KINDS
"""What describes nodes: outside of every kustomization it joins every snapshot; the nearest counts (design, 7.4)."""


class Dealt:
    """Objects by the sides on which their files stand."""

    def __init__(self, objects: Sequence[ApiObject], repository: Repository, sides: Sides) -> None:
        self._objects = objects
        self._by_first: dict[Side | None, dict[tuple[Side, ...], list[int]]] = defaultdict(dict)
        self._everywhere: dict[tuple[Side, ...], list[int]] = {}
        for index, each in enumerate(objects):
            own = sides.of(each.file)
            outside = each.meta.kind in EVERYWHERE and each.file not in repository.together
            groups = self._everywhere if outside else self._by_first[own[0] if own else None]
            groups.setdefault(own, []).append(index)

    def to(self, part: Part) -> list[ApiObject]:
        """The objects of a part, in their order."""
        found: list[int] = []
        for first in (None, *part.taken):
            for own, indices in self._by_first.get(first, {}).items():
                if part.takes(own):
                    found += indices
        for own, indices in self._everywhere.items():
            if part.takes(own, everywhere=True):
                found += indices
        return [self._objects[index] for index in sorted(found)]
