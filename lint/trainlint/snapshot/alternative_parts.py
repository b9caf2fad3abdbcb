"""The parts to judge one by one: each takes one alternative of each set (design, section 7.3)."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.snapshot.alternatives import Alternatives, Side, Sides, SnapshotPart, Steps, shared_steps
from trainlint.snapshot.objects import Key
from trainlint.source.reading import is_kustomization
from trainlint.source.world import CHART_FILE

__all__ = ["parts"]

EVERYWHERE: Final = ""
MOST: Final = 60_000
"""How many objects all parts may hold together. Where they would hold more (hundreds of examples in one repository), a
part leaves out what other sets hold.
"""
SHOWN: Final = 5


def parts(
    alternatives: tuple[Alternatives, ...], sides: Sides | None = None, *, objects: int = 0, alone: bool = False
) -> tuple[SnapshotPart, ...]:
    """The parts. Independent sets add up, they do not multiply: a part is made for one child of one set, and takes of
    each other set the child that is nearest to it (or has its name); of a set inside another child it takes none.

    ``objects`` says how many objects there are. ``alone``: a part takes nothing of other sets.
    """
    if not alternatives:
        return (SnapshotPart(".", "nothing in it is defined twice in different ways"),)
    return _Parts(alternatives, sides or Sides(alternatives), objects, alone=alone).made()


class _Parts:
    def __init__(self, alternatives: tuple[Alternatives, ...], sides: Sides, objects: int, *, alone: bool) -> None:
        self._alternatives = alternatives
        self._sides = sides
        self._outer = [dict(sides.of("/".join((*each.directory, "")))) for each in alternatives]
        self._holding = {
            (*each.directory,)[:depth] for each in alternatives for depth in range(len(each.directory) + 1)
        }
        self._singles: dict[str, list[int]] = defaultdict(list)
        self._inside: dict[Side, dict[int, None]] = defaultdict(dict)
        """The sets of single objects by the innermost child in which one of their files lies."""
        for number, each in enumerate(alternatives):
            for place in each.children if each.key is not None else ():
                self._singles[place].append(number)
                for side in sides.of(place)[-1:]:
                    self._inside[side][number] = None
        count = sum(len(each.children) for each in alternatives if each.key is None) + len(self._singles)
        self._alone = alone or count * max(objects, len(alternatives)) > MOST

    def made(self) -> tuple[SnapshotPart, ...]:
        """Each state once, under the name of the first child that it was made for."""
        found: dict[tuple[str | None, ...], SnapshotPart] = {}
        for name, why, own in self._seeds():
            chosen = self._chosen(own, tuple(name.split("/")))
            if chosen not in found:
                found[chosen] = SnapshotPart(
                    _shown(name), self._why(why, own, chosen), chosen, own, self._open(own, chosen), self._sides
                )
        return tuple(found.values())

    def _seeds(self) -> Iterator[tuple[str, str, tuple[Side, ...]]]:
        for each in self._alternatives:
            for child in each.children if each.key is None else ():
                inside = (*each.directory, child)
                if inside not in self._holding:  # otherwise the alternatives inside of it stand for it
                    name = "/".join(inside)
                    yield name, _why(each, child), self._sides.of(name)
        for place, numbers in sorted(self._singles.items()):
            own = (*((number, place) for number in numbers), *self._sides.of(place))
            yield place, _why_single([self._alternatives[number] for number in numbers], place), own

    def _chosen(self, own: Sequence[Side], near: Steps) -> tuple[str | None, ...]:
        """The child of each set, outermost first."""
        chosen: list[str | None] = [None] * len(self._alternatives)
        for number, child in own:
            chosen[number] = child
        alone = self._is_alone(own)
        for number in self._inside.get(own[-1], ()) if alone else range(len(chosen)):
            each = self._alternatives[number]
            if chosen[number] is None and all(chosen[outer] == child for outer, child in self._outer[number].items()):
                candidates = [
                    child
                    for child in each.children
                    if each.key is None or all(chosen[outer] == side for outer, side in self._sides.of(child))
                ]
                chosen[number] = min(candidates, key=lambda child: _distance(each, child, near), default=None)
        return tuple(chosen)

    def _is_alone(self, own: Sequence[Side]) -> bool:
        """Whether a part takes nothing of other sets: nodes here and jobs there were never meant for each other."""
        return self._alone or all(self._alternatives[number].nodes for number, _ in own)

    def _why(self, why: str, own: Sequence[Side], chosen: Sequence[str | None]) -> str:
        if self._is_alone(own):
            return why
        made_for = {number for number, _ in own}
        beside = [
            "/".join((*each.directory, child))
            for number, (each, child) in enumerate(zip(self._alternatives, chosen, strict=True))
            if child is not None and number not in made_for and each.key is None
        ]
        if not beside:
            return why
        return f"{why}; of other alternatives it takes {_some(beside)}"

    def _open(self, own: Sequence[Side], chosen: Sequence[str | None]) -> frozenset[str]:
        made_for = {number for number, _ in own}
        if self._is_alone(own):
            return frozenset({EVERYWHERE} if len(made_for) < len(self._alternatives) else ())
        return frozenset[str]().union(
            *(
                each.apart
                for number, each in enumerate(self._alternatives)
                if number not in made_for and chosen[number] is not None
            )
        )


def _distance(each: Alternatives, child: str, near: Steps) -> tuple[int, int, str]:
    """How far a child is from a place: few directories in common, or another name."""
    steps = (*each.directory, *child.split("/"))
    return (-shared_steps(steps, near), -len(set(steps).intersection(near)), child)


def _shown(name: str) -> str:
    return posixpath.dirname(name) or name if is_kustomization(name) else name


def _some(names: Sequence[str]) -> str:
    """The first of many names, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"


def _what(key: Key) -> str:
    return f"{key[1]} {key[3]}"


def _why(each: Alternatives, child: str) -> str:
    others = [other for other in each.children if other != child]
    why = f"{_what(each.example)} is defined differently in {_some(others)}"
    if each.files and CHART_FILE in each.children:
        why += "; a chart is installed with one of its values files at a time, or with its own values alone"
    elif each.files:
        place = "/".join(each.directory) or "the top directory"
        why += f"; these are files of one directory ({place}), taken as alternatives of which one is deployed at a time"
    return why


def _why_single(sets: Sequence[Alternatives], place: str) -> str:
    what = [_what(each.example) for each in sets]
    others = [*dict.fromkeys(_shown(other) for each in sets for other in each.children if other != place)]
    return (
        f"{_some(what)} {'is' if len(what) == 1 else 'are'} defined differently "
        f"in {_some(others)}; everything else is deployed together with either"
    )
