"""Nodes in a directory of examples: they are those of what lies beside them there, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from trainlint.model.pool import Inventory

__all__ = ["apart", "concerning"]

EXAMPLES: Final = frozenset(
    {"demo", "demos", "e2e", "example", "examples", "fixture", "fixtures", "sample", "samples", "test", "testdata"}
    | {"tests"}
)


def concerning(inventories: Iterable[Inventory], file: str) -> tuple[Inventory, ...]:
    """The inventories that may be about the objects of a file. One that was written as an inventory always may."""
    return tuple(each for each in inventories if not each.derived or file.startswith(_home(each)))


def apart(inventories: Sequence[Inventory], files: Iterable[str]) -> Iterator[str]:
    """What is assumed about inventories that do not concern one of the files, in words."""
    homes = {home: each for each in inventories if each.derived and (home := _home(each))}
    for home, each in homes.items():
        if any(not file.startswith(home) for file in files):
            yield f"{each.name} are an example: they count for what lies in {home} only"


def _home(inventory: Inventory) -> str:
    """The innermost directory of examples in which it lies, with a slash at its end; empty if it lies in none."""
    steps = PurePosixPath(inventory.at.file).parent.parts if inventory.at is not None else ()
    found = [depth for depth, step in enumerate(steps, 1) if step.lower() in EXAMPLES]
    return f"{'/'.join(steps[: found[-1]])}/" if found else ""
