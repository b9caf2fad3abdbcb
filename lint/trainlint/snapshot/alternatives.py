"""Alternatives and the parts that take one of each (design, section 7.3): the facts, and who belongs to which part.

Two directories (or files) alternate as a whole where they are states of one thing: ``before/`` and ``after/``. Where
they only define one object differently, that object alternates alone. What is in no set belongs to every part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.snapshot.objects import ApiObject, Key

__all__ = ["Alternatives", "Side", "Sides", "SnapshotPart", "Steps", "shared_steps"]

Steps = tuple[str, ...]
Side = tuple[int, str]
"""A set of alternatives, by number, and one of its children."""


@fact
class Alternatives:
    """One set, of which one child is deployed at a time.

    ``children`` are directories and files in ``directory``, each with all that it holds; with a ``key`` they are the
    files (by their whole paths) that define this object, and nothing else of them alternates. ``example`` is an object
    that they define differently, ``apart`` the namespaces of what some of them hold and others do not.

    ``files``: all of them are files of one directory, which may be meant together. ``nodes``: what they define
    differently describes nodes, of which the nearest count.
    """

    directory: Steps
    children: tuple[str, ...]
    example: Key
    files: bool = False
    key: Key | None = None
    apart: frozenset[str] = frozenset()
    nodes: bool = False


class Sides:
    """On which side of each set of alternatives a file or an object stands: worked out once for all parts.

    ``places`` are the files as which a file is deployed, where that is not its own name alone.
    """

    def __init__(
        self, alternatives: tuple[Alternatives, ...], places: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self.alternatives = alternatives
        self._places = places or {}
        self._whole: dict[Steps, list[tuple[int, frozenset[str]]]] = defaultdict(list)
        self._single: dict[Key, int] = {}
        self._known: dict[str, tuple[Side, ...]] = {}
        for number, each in enumerate(alternatives):
            if each.key is None:
                self._whole[each.directory].append((number, frozenset(each.children)))
            else:
                self._single[each.key] = number

    def places(self, file: str) -> tuple[str, ...]:
        """The files as which a file is deployed."""
        return self._places.get(file, (file,))

    def of(self, place: str) -> tuple[Side, ...]:
        """The sides on which all stands that is deployed as this file: at most one in each set, outermost first."""
        known = self._known.get(place)
        if known is None:
            steps = tuple(place.split("/")) if self._whole else ()
            known = self._known[place] = tuple(self._sides(steps))
        return known

    def of_object(self, each: ApiObject) -> tuple[tuple[str, tuple[Side, ...]], ...]:
        """The places of an object, each with the sides on which it stands there."""
        number = self._single.get(each.key) if each.key is not None and self._single else None
        if number is None:
            return tuple((place, self.of(place)) for place in self.places(each.file))
        return tuple((place, (*self.of(place), (number, place))) for place in self.places(each.file))

    def singles(self, keys: Iterable[Key]) -> Iterator[int]:
        """The sets of these objects alone, where there are any."""
        return (self._single[key] for key in keys if key in self._single)

    def _sides(self, steps: Steps) -> Iterator[Side]:
        for depth, child in enumerate(steps):
            for number, children in self._whole.get(steps[:depth], ()):
                if child in children:
                    yield number, child


@fact
class SnapshotPart:
    """What is deployed together: a name, why it is a part, and the child that it takes of each set (``None``: none).

    ``own`` are the sides for which it was made: the others are taken beside them. ``open`` are the namespaces (empty:
    all) of which other sets have objects that it leaves out.
    """

    name: str
    why: str
    chosen: tuple[str | None, ...] = ()
    own: tuple[Side, ...] = ()
    open: frozenset[str] = frozenset()
    sides: Sides = field(default_factory=lambda: Sides(()), compare=False, repr=False)

    def holds(self, file: str) -> bool:
        """Whether a file belongs to it, as far as files alternate."""
        return any(self.takes(self.sides.of(place)) for place in self.sides.places(file))

    def takes(self, sides: Iterable[Side], *, everywhere: bool = False) -> bool:
        """Whether what stands on these sides belongs to it; ``everywhere``: whatever it takes of sets for which it was
        not made.
        """
        if everywhere:
            own = dict(self.own)
            return all(own.get(number, child) == child for number, child in sides)
        return all(child == self.chosen[number] for number, child in sides)

    @property
    def taken(self) -> Iterator[Side]:
        """The sides that it takes."""
        return ((number, child) for number, child in enumerate(self.chosen) if child is not None)


def shared_steps(one: Steps, other: Steps) -> int:
    """How many steps two paths have in common from the top."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
