"""The repositories that the mutations start from: small ones that are fine, so that a mutation hits what is read."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from tests.plausible import plausible
from tests.test_robustness import worlds as examples

__all__ = ["World", "seed_world"]

World = dict[str, bytes]
"""The files of a repository by their paths."""

CASES = Path(__file__).parents[1] / "cases"
LARGEST = 40_000
"""Bytes of a repository at most: larger ones are slow, and a mutation of them seldom hits what matters."""


def seed_world(rng: random.Random) -> World:
    """One of the repositories, at times two of them in one."""
    world = _one(rng)
    if rng.random() < 0.1:
        world = {**{f"other/{name}": content for name, content in _one(rng).items()}, **world}
    return world


def _one(rng: random.Random) -> World:
    match rng.randrange(10):
        case 0 | 1:
            return {name: text.encode() for name, text in plausible(rng).items()}
        case 2 | 3 | 4:
            return dict(rng.choice(_examples()))
        case _:
            return _read(rng.choice(_cases()))


@cache
def _examples() -> tuple[World, ...]:
    """The lab, the demo, one repository for each kind that is read, and the bad example of every rule."""
    return tuple(dict(each) for each in examples())


@cache
def _cases() -> tuple[Path, ...]:
    """The folders of the cases; of two states the later one."""
    homes = (each / "head" if (each / "head").is_dir() else each for each in sorted(CASES.glob("*/*--*")))
    return tuple(home for home in homes if sum(map(_size, home.rglob("*"))) <= LARGEST)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


@cache
def _files(home: Path) -> World:
    files = (path for path in sorted(home.rglob("*")) if path.is_file() and path.name != "case.yaml")
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in files}


def _read(home: Path) -> World:
    return dict(_files(home))
