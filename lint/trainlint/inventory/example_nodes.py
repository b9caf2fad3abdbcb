"""Nodes in a directory of examples: they are those of what lies beside them there, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trainlint.model.pool import Inventory
from trainlint.source.examples import example_of, is_for

__all__ = ["apart", "concerning"]


def concerning(inventories: Iterable[Inventory], file: str) -> tuple[Inventory, ...]:
    """The inventories that may be about the objects of a file. One that was written as an inventory always may."""
    return tuple(each for each in inventories if not each.derived or each.at is None or is_for(each.at.file, file))


def apart(inventories: Sequence[Inventory], files: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The inventories that do not concern one of the files: the name of each, and its directory of examples."""
    homes = {example_of(each.at.file): each for each in inventories if each.derived and each.at is not None}
    for home, each in homes.items():
        if any(not file.startswith(home) for file in files):
            yield each.name, home
