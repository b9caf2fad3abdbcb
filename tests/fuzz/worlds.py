"""The repositories that the mutations start from: small ones that are fine, so that a mutation hits what is read."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
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
            examples = _examples()
            return dict(examples[_drawn(rng, examples)])
        case _:
            cases = _cases()
            return dict(_files(cases[_drawn(rng, cases)]))


def _drawn(rng: random.Random, names: Iterable[str]) -> str:
    """One of the names. One more among them changes few draws: seeds keep most of their repositories."""
    draw = rng.random()
    return min(names, key=lambda name: sha256(f"{draw} {name}".encode()).digest())


@cache
def _examples() -> dict[str, World]:
    """The lab, the demo, one repository for each kind that is read, and the bad example of every rule, by a digest."""
    return {sha256(b"".join(each.values())).hexdigest(): dict(each) for each in examples()}


@cache
def _cases() -> dict[str, Path]:
    """The folders of the cases by name; of two states the later one."""
    homes = {each.name: each / "head" if (each / "head").is_dir() else each for each in sorted(CASES.glob("*/*--*"))}
    return {name: home for name, home in homes.items() if sum(map(_size, home.rglob("*"))) <= LARGEST}


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


@cache
def _files(home: Path) -> World:
    files = (path for path in sorted(home.rglob("*")) if path.is_file() and path.name != "case.yaml")
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in files}
