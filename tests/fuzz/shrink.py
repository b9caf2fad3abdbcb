"""The shortest sequence of mutations after which a law still does not hold."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from tests.fuzz.laws import Breach
from tests.fuzz.mutations import Mutation, Recipe, made
from tests.fuzz.trial import Sample, try_world
from tests.fuzz.worlds import World

__all__ = ["save", "shrunk"]


def shrunk(recipe: Recipe, kinds: frozenset[str], home: Path, sample: Sample) -> tuple[tuple[Mutation, ...], World]:
    """The mutations that are needed for one of the kinds of failure, and the files that are."""

    def fails(world: World) -> bool:
        trial = try_world(world, home, sample, recipe.world)
        return not kinds.isdisjoint(breach.kind for breach in trial.breaches)

    mutations = recipe.mutations
    for each in recipe.mutations:
        fewer = tuple(other for other in mutations if other is not each)
        if fails(made(recipe, fewer)):
            mutations = fewer
    world = made(recipe, mutations)
    for name in sorted(world):
        less = {other: content for other, content in world.items() if other != name}
        if less and fails(less):
            world = less
    return mutations, world


def save(folder: Path, number: int, recipe: Recipe, breaches: tuple[Breach, ...], sample: Sample, work: Path) -> None:
    """Write the failing repository, as small as it could be made, and how it was made."""
    mutations, world = shrunk(recipe, frozenset(each.kind for each in breaches), work, sample)
    home = folder / f"{recipe.world.rpartition(' ')[0].replace('/', '_')}-{number}"
    for name, content in world.items():
        path = home / "repository" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    told = {
        "world": recipe.world,
        "mutations": [asdict(each) for each in mutations],
        "of": [asdict(each) for each in recipe.mutations],
        "breaches": [asdict(each) for each in breaches],
    }
    (home / "made.json").write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
