"""The mutations by name, and sequences of them: the same names and seeds always make the same repository."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.fuzz.layout import LAYOUT
from tests.fuzz.structure import STRUCTURE
from tests.fuzz.text import TEXT
from tests.fuzz.worlds import World, seed_world

__all__ = ["KINDS", "Mutation", "Recipe", "made", "recipe"]

KINDS: dict[str, Callable[[World, random.Random], World]] = {**STRUCTURE, **LAYOUT, **TEXT}
LONGEST = 5


@dataclass(frozen=True)
class Mutation:
    """A mutation by its name, and the seed of what it chooses."""

    name: str
    seed: int


@dataclass(frozen=True)
class Recipe:
    """How a repository is made: the one to start from, by a seed, and mutations in their order."""

    world: str
    mutations: tuple[Mutation, ...]


def recipe(seed: str, number: int) -> Recipe:
    """The recipe of one repository of a run: one to five mutations, half of them of the structure."""
    rng = random.Random(f"{seed} {number}")
    groups = [list(STRUCTURE), list(STRUCTURE), list(LAYOUT), list(TEXT)]
    chosen = (rng.choice(rng.choice(groups)) for _ in range(rng.randint(1, LONGEST)))
    return Recipe(f"{seed} {number}", tuple(Mutation(name, rng.randrange(1 << 32)) for name in chosen))


def made(recipe: Recipe, mutations: Sequence[Mutation] | None = None) -> World:
    """The repository of a recipe, or the one that only some of its mutations make."""
    world = seed_world(random.Random(recipe.world))
    for each in recipe.mutations if mutations is None else mutations:
        if world:
            world = KINDS[each.name](world, random.Random(each.seed))
    return world
