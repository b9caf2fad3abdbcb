"""NCCL's lists of interface and device names (N 2.1): ``[^][=]item[:port][,item...]``."""

from __future__ import annotations

import re

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["LONGEST_NAME", "MOST_ITEMS", "Item", "NameList"]

MOST_ITEMS = 16
"""Items after these are dropped, and so are interfaces."""
LONGEST_NAME = 15
"""IFNAMSIZ without the final zero: no interface has a longer name."""

_LEADING_NUMBER = lazy_pattern(r"[ \t\n\v\f\r]*([+-]?\d+)", re.ASCII)


@fact
class Item:
    """A name of the list and the port behind its colon (-1 without one)."""

    name: str
    port: int


@fact
class NameList:
    """A parsed list. ``exclude`` and ``exact`` hold for all items, whatever stands before a later one."""

    items: tuple[Item, ...]
    exclude: bool
    exact: bool

    @classmethod
    def parse(cls, text: str, most: int = MOST_ITEMS) -> NameList:
        """The list as NCCL takes it apart; nothing is trimmed, and every text is some list."""
        exclude = text.startswith("^")
        text = text[exclude:]
        exact = text.startswith("=")
        return cls(parse_items(text[exact:], most), exclude, exact)

    def lists(self, name: str) -> bool:
        """Whether an item matches the name; a list without items matches every name."""
        if not self.items:
            return True
        if self.exact:
            return any(name == item.name for item in self.items)
        return any(name.startswith(item.name) for item in self.items)

    def takes(self, name: str) -> bool:
        """Whether the list selects the name."""
        return self.lists(name) != self.exclude


def parse_items(text: str, most: int = MOST_ITEMS) -> tuple[Item, ...]:
    """Items between commas; what follows a colon is a port, and empty items are dropped."""
    found = []
    for piece in text.split(","):
        name, colon, port = piece.partition(":")
        if name:
            number = _LEADING_NUMBER.match(port) if colon else None
            found.append(Item(name, (int(number[1][:12]) if number else 0) if colon else -1))
        if len(found) == most:
            break
    return tuple(found)
