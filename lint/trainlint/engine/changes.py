"""What a change touched: which lines of a document, and whether that reaches a place in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from trainlint.engine.state import State
from trainlint.finding import Location, Path
from trainlint.snapshot.objects import ApiObject, Key
from trainlint.source.document import MISSING, Document
from trainlint.source.spans import locate, spans

__all__ = ["Changes"]

LARGE = 1_000_000
"""Pairs of lines above which only lines that stand once tie two texts together."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that were replaced: those of the head (empty: before ``start``) and those of the base, as in ``range``."""

    start: int
    end: int
    base_start: int
    base_end: int


class Changes:
    """Compares documents with those that they were, wherever they stood: files may be renamed, objects moved.

    Line ends and what stands around a document do not count.
    """

    def __init__(self, base: State, head: State, same: frozenset[str]) -> None:
        self.base = base
        self.head = head
        self._same = same
        self._hunks: dict[int, tuple[Hunk, ...]] = {}

    def touches(self, at: Location) -> bool:
        """Whether a place of the head is new, holds another value than before, or lost something."""
        if at.base or at.file in self._same:
            return False
        document = self.head.places.document(at)
        if document is None:
            return True
        before = self.counterpart(document)
        return before is None or self._differs(document, before, locate(document, at.path)[0])

    def narrowed(self, at: Location) -> Location:
        """The first changed place at or below one that is touched: the part of it that is another now."""
        document = self.head.places.document(at)
        before = self.counterpart(document) if document is not None else None
        if document is None or before is None:
            return at
        path = locate(document, at.path)[0]
        while _value(before, path) is not MISSING:
            below = next((each for each in _children(document, path) if self._differs(document, before, each)), None)
            if below is None:
                break
            path = below
        return Location(at.file, at.document, path)

    def counterpart(self, document: Document) -> Document | None:
        """The document of the base revision that became this one."""
        here = (document.file, document.index)
        keys = [item.key for item in self.head.repository.by_place.get(here, ()) if item.key is not None]
        for key in keys:
            found = self._by_key.get(key, ())
            same = [item for item in found if item.file == document.file] or found
            if same:
                nearest = min(same, key=lambda item: abs(item.field.document.index - document.index))
                return nearest.field.document
        if keys:
            return None
        return self.base.places.document(Location(*here))

    @cached_property
    def _by_key(self) -> Mapping[Key, list[ApiObject]]:
        found: dict[Key, list[ApiObject]] = defaultdict(list)
        for item in self.base.repository.objects:
            if item.key is not None:
                found[item.key].append(item)
        return found

    def _differs(self, document: Document, before: Document, path: Path) -> bool:
        if _value(document, path) == _value(before, path):
            return False
        first, last = _extent(document, path)
        hunks = self._hunks_of(document, before)
        if any(hunk.start <= last and hunk.end > first for hunk in hunks if hunk.start < hunk.end):
            return True
        removals = [hunk for hunk in hunks if hunk.start == hunk.end]
        if any(first < hunk.start <= last for hunk in removals):
            return True
        base_first, base_last = _extent(before, path)
        return any(
            hunk.start == last + 1 and hunk.base_start <= base_last and hunk.base_end > base_first for hunk in removals
        )

    def _hunks_of(self, document: Document, before: Document) -> tuple[Hunk, ...]:
        known = self._hunks.get(id(document))
        if known is None:
            known = self._hunks[id(document)] = tuple(_hunks(document, before))
        return known


def _hunks(document: Document, before: Document) -> Iterator[Hunk]:
    new, old = ([line.removesuffix("\r") for line in each.text.split("\n")] for each in (document, before))
    head = 0
    while head < min(len(new), len(old)) and new[head] == old[head]:
        head += 1
    tail = 0
    while tail < min(len(new), len(old)) - head and new[-1 - tail] == old[-1 - tail]:
        tail += 1
    new, old = new[head : len(new) - tail], old[head : len(old) - tail]
    line, base_line = document.line + head, before.line + head
    for kind, old_start, old_end, start, end in _matcher(old, new).get_opcodes():
        if kind != "equal":
            yield Hunk(line + start, line + end, base_line + old_start, base_line + old_end)


def _matcher(old: Sequence[str], new: Sequence[str]) -> SequenceMatcher[str]:
    if len(old) * len(new) <= LARGE:
        return SequenceMatcher(None, old, new, autojunk=False)
    counts = Counter(new)
    return SequenceMatcher(lambda text: counts[text] > 1, old, new, autojunk=False)


def _value(document: Document, path: Path) -> object:
    return document.root.down(*path).value


def _children(document: Document, path: Path) -> Iterator[Path]:
    here = document.root.down(*path)
    yield from (child.path for _, child in here.items())
    yield from (child.path for child in here.elements())


def _extent(document: Document, path: Path) -> tuple[int, int]:
    """The first and the last line of a value and the key written for it."""
    found = spans(document)
    value = found.value(path)
    if value is None:
        _, mark = locate(document, path)
        return mark.line, mark.end_line
    keys = found.keys(path)
    last = value.end_line if value.end_column > 1 or value.end_line == value.line else value.end_line - 1
    return min([value.line, *(key.line for key in keys[-1:])]), last
