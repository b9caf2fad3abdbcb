"""Which parts of a repository are alternatives of each other (design, section 7.3).

Files that define one object differently cannot be deployed together. The children of their nearest common directory
are then alternatives: ``before/`` and ``after/``, two examples that use one name. Objects outside every alternative
are shared by all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import PurePosixPath

from trainlint.fact import fact
from trainlint.snapshot.objects import ApiObject, Key
from trainlint.source.files import CHART_FILE

__all__ = ["Alternatives", "Part", "Side", "Sides", "find_alternatives", "parts"]

Steps = tuple[str, ...]
Side = tuple[int, str]
"""A set of alternatives, by number, and one of its children."""


@fact
class Alternatives:
    """One set: the children (directories or files) of ``directory`` of which one is deployed at a time.

    ``files``: all of them are files, of which nobody can be sure that they are not meant together.
    """

    directory: Steps
    children: tuple[str, ...]
    example: Key
    files: bool = False

    def child_of(self, steps: Steps) -> str | None:
        """The alternative that a file belongs to, if to any."""
        depth = len(self.directory)
        if steps[:depth] == self.directory and len(steps) > depth and steps[depth] in self.children:
            return steps[depth]
        return None


class Sides:
    """On which side of each set of alternatives a file stands: worked out once for all parts."""

    def __init__(self, alternatives: tuple[Alternatives, ...]) -> None:
        self._alternatives = alternatives
        self._known: dict[str, tuple[Side, ...]] = {}

    def of(self, file: str) -> tuple[Side, ...]:
        """The sides on which a file stands: at most one in each set."""
        known = self._known.get(file)
        if known is None:
            steps = tuple(file.split("/")) if self._alternatives else ()
            sides = ((number, each.child_of(steps)) for number, each in enumerate(self._alternatives))
            known = self._known[file] = tuple((number, child) for number, child in sides if child is not None)
        return known


@fact
class Part:
    """What is deployed together: a name, why it is a part, and the alternative that it takes in each set."""

    name: str
    why: str
    chosen: tuple[tuple[Alternatives, str | None], ...] = ()
    sides: Sides | None = field(default=None, compare=False, repr=False)

    def holds(self, file: str, *, everywhere: bool = False) -> bool:
        """Whether a file belongs to it; ``everywhere``: also one from a set that has nothing to do with it."""
        sides = self.sides or Sides(tuple(each for each, _ in self.chosen))
        return self.takes(sides.of(file), everywhere=everywhere)

    def takes(self, sides: Iterable[Side], *, everywhere: bool = False) -> bool:
        """Whether a file on these sides belongs to it."""
        chosen = ((child, self.chosen[number][1]) for number, child in sides)
        return all(child == wanted or (everywhere and wanted is None) for child, wanted in chosen)

    @property
    def taken(self) -> Iterator[Side]:
        """The sides that it takes: in its own set, and in those inside of which that lies."""
        return ((number, child) for number, (_, child) in enumerate(self.chosen) if child is not None)


def find_alternatives(objects: Iterable[ApiObject], together: Mapping[str, str]) -> tuple[Alternatives, ...]:
    """The sets of alternatives among the objects, outermost first.

    ``together`` maps files to the kustomization that deploys them: files of one kustomization are no alternatives.
    """
    definitions: dict[Key, dict[str, ApiObject]] = defaultdict(dict)
    for each in objects:
        if each.meta.kind != "Namespace" and each.key is not None:
            definitions[each.key][each.file] = each  # in one file the last definition counts
    joined: dict[Steps, list[tuple[set[str], Key]]] = defaultdict(list)
    files: set[Steps] = set()
    for key, by_file in definitions.items():
        for rivals in _rivals(by_file, together):
            directory = _common_directory(rivals)
            children = {PurePosixPath(file).parts[len(directory)] for file in rivals}
            files.update(PurePosixPath(file).parts for file in rivals)
            _join(joined[directory], children, key)
    return tuple(
        Alternatives(directory, tuple(sorted(children)), key, all((*directory, child) in files for child in children))
        for directory, sets in sorted(joined.items(), key=lambda item: (len(item[0]), item[0]))
        for children, key in sets
    )


def _rivals(by_file: Mapping[str, ApiObject], together: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """The files that define one object differently, if any do, and those among the files of each child that do."""
    if len(by_file) < 2:
        return
    files = list(by_file)
    first = by_file[files[0]]
    if all(by_file[file].field.value == first.field.value for file in files[1:]):
        return
    homes = {together.get(file, file) for file in files}
    if len(homes) < 2:
        return
    yield tuple(files)
    depth = len(_common_directory(files))
    children: dict[str, dict[str, ApiObject]] = defaultdict(dict)
    for file, each in by_file.items():
        children[PurePosixPath(file).parts[depth]][file] = each
    for inside in children.values():
        yield from _rivals(inside, together)


def _common_directory(files: Iterable[str]) -> Steps:
    directories = [PurePosixPath(file).parts[:-1] for file in files]
    common: list[str] = []
    for steps in zip(*directories, strict=False):
        if len(set(steps)) > 1:
            break
        common.append(steps[0])
    return tuple(common)


def _join(sets: list[tuple[set[str], Key]], children: set[str], key: Key) -> None:
    """Add a set of children, united with those that it overlaps."""
    apart = [each for each in sets if each[0].isdisjoint(children)]
    overlapping = [each for each in sets if not each[0].isdisjoint(children)]
    united = children.union(*(each[0] for each in overlapping))
    sets[:] = [*apart, (united, overlapping[0][1] if overlapping else key)]


def parts(alternatives: tuple[Alternatives, ...], sides: Sides | None = None) -> tuple[Part, ...]:
    """The parts to judge one by one. Independent sets add up, they do not multiply: in a part of one set the other
    sets' objects are left out, but for the alternative inside which the set itself lies.
    """
    if not alternatives:
        return (Part(".", "nothing in it is defined twice in different ways"),)
    found = []
    sides = sides or Sides(alternatives)
    for each in alternatives:
        for child in each.children:
            inside = (*each.directory, child)
            if any(other is not each and other.directory[: len(inside)] == inside for other in alternatives):
                continue  # its own alternatives stand for it
            chosen = tuple((other, _choice(other, each, child)) for other in alternatives)
            found.append(Part("/".join(inside), _why(each, child), chosen, sides))
    return tuple(found)


def _why(each: Alternatives, child: str) -> str:
    others = ", ".join(other for other in each.children if other != child)
    _, kind, _, name = each.example
    why = f"{kind} {name} is defined differently in {others}"
    if each.files and CHART_FILE in each.children:
        why += "; a chart is installed with one of its values files at a time, or with its own values alone"
    elif each.files:
        place = "/".join(each.directory) or "the top directory"
        why += f"; these are files of one directory ({place}), taken as alternatives of which one is deployed at a time"
    return why


def _choice(other: Alternatives, mine: Alternatives, child: str) -> str | None:
    """The child that a part of ``mine`` takes in the set ``other``: its own, the one that contains it, or none."""
    if other is mine:
        return child
    return other.child_of((*mine.directory, "")) if len(mine.directory) > len(other.directory) else None
