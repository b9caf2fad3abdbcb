"""Disjoint sets of numbers that are joined one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

__all__ = ["DisjointSets"]


class DisjointSets:
    """Sets of numbers; each is named by its smallest member."""

    def __init__(self, items: Iterable[int]) -> None:
        self._leader = {item: item for item in items}

    def find(self, item: int) -> int:
        """The smallest number in the set that holds the item."""
        while self._leader[item] != item:
            self._leader[item] = self._leader[self._leader[item]]
            item = self._leader[item]
        return item

    def join(self, one: int, other: int) -> None:
        """Makes one set of two."""
        first, second = sorted((self.find(one), self.find(other)))
        self._leader[second] = first

    def among(self, items: Iterable[int]) -> list[list[int]]:
        """The items, by the sets that hold them."""
        found: dict[int, list[int]] = defaultdict(list)
        for item in items:
            found[self.find(item)].append(item)
        return list(found.values())
