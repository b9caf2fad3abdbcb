"""What suppresses findings: comments, annotations of objects, entries of the configuration.

A comment says ``# trainlint: ignore[rule, category] reason until 2027-01-31``, the annotation ``trainlint.io/ignore``
says ``rule, category: reason until 2027-01-31``.
"""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from trainlint.fact import fact
from trainlint.finding import Location, Span
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["ANNOTATION", "Suppression", "Suppressions", "read_annotation", "read_suppressions"]

ANNOTATION = "trainlint.io/ignore"

_COMMENT = lazy_pattern(
    r"#\s*trainlint:\s*ignore\s*(?:\[(?P<names>[^\]]*)\])?\s*(?P<reason>.*?)\s*(?:\buntil\s+(?P<until>\S+)\s*)?$"
)
_VALUE = lazy_pattern(r"(?P<names>[^:]*?)\s*(?::\s*(?P<reason>.*?))?\s*(?:\buntil\s+(?P<until>\S+)\s*)?", re.DOTALL)


@dataclass(eq=False, slots=True)
class Suppression:
    """One comment, annotation or entry: where it stands, the names in it, and what it covers.

    A comment covers the findings of the line ``applies_to`` (0: of its whole document); an annotation those of
    ``object``; an entry those in files that ``paths`` match (as in .gitignore, from the directory of the file it stands
    in). ``line`` is that of a comment, else 0. ``until`` is the last day it counts; ``malformed`` says what is wrong
    with it, ``remedy`` what to do. ``used`` collects the names that suppressed something. ``judged`` is false where it
    may be needed for files that were not linted.
    """

    at: Location
    line: int
    applies_to: int
    names: tuple[str, ...]
    reason: str = ""
    until: dt.date | None = None
    malformed: str = ""
    used: set[str] = field(default_factory=set)
    form: str = "comment"
    object: Location | None = None
    paths: tuple[str, ...] = ()
    remedy: str = ""
    judged: bool = True

    @property
    def span(self) -> Span | None:
        """The place of a comment; ``None`` for the others, which stand at a path."""
        return Span(self.line, 1, self.line, 2) if self.line else None

    def expired(self, today: dt.date) -> bool:
        """Whether its last day is over."""
        return self.until is not None and self.until < today


@fact(eq=False)
class Suppressions:
    """All suppressions of a run after all findings were seen.

    ``known`` are the names of rules and categories, ``active`` those that ran: a suppression of a rule that did not run
    is not unused.
    """

    all: tuple[Suppression, ...]
    known: frozenset[str]
    active: frozenset[str]
    today: dt.date


def read_annotation(text: str, at: Location, item: Location) -> Suppression:
    """What the annotation at ``at`` of the object at ``item`` suppresses."""
    match = _VALUE.fullmatch(text.strip())
    found = match.groupdict() if match else {"names": "", "reason": None, "until": None}
    names = _names(found["names"] or "")
    until, malformed = _date(found["until"])
    if not names:
        malformed = "it names no rule: write `rule: reason`"
    return Suppression(at, 0, 0, names, found["reason"] or "", until, malformed, form="annotation", object=item)


def read_suppressions(
    file: str, lines: Iterable[tuple[int, str]], text: list[str], documents: Iterable[tuple[int, int]]
) -> Iterator[Suppression]:
    """The suppressions of a file. ``lines`` are its lines that address trainlint, ``text`` all of its lines,
    ``documents`` the index and first line of each document that was read.
    """
    heads = sorted((line, index) for index, line in documents)
    starts = [line for line, _ in heads]
    ends = _Ends(text)
    for number, line in lines:
        match = _COMMENT.search(line)
        above = bisect_right(starts, number)
        first, document = heads[above - 1] if above else (1, 0)
        at = Location(file, document)
        if match is None:
            what = "trainlint reads only `# trainlint: ignore[rule] reason` here"
            yield Suppression(at, number, number, (), malformed=what)
            continue
        names = _names(match["names"] or "")
        until, malformed = _date(match["until"])
        if not names:
            malformed = "it names no rule: write `# trainlint: ignore[rule] reason`"
        own_line = line.lstrip().startswith("#")
        applies = ends.applies_to(number, first) if own_line else number
        yield Suppression(at, number, applies, names, match["reason"], until, malformed)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _date(text: str | None) -> tuple[dt.date | None, str]:
    if text is None:
        return None, ""
    try:
        return dt.date.fromisoformat(text), ""
    except ValueError:
        return None, f"{text!r} is no date: write it as 2027-01-31"


class _Ends:
    """Where comments of several lines end, and the heads of documents: each line is looked at once."""

    def __init__(self, text: list[str]) -> None:
        self._text = text
        self._heads: dict[int, int] = {}
        self._following = 0

    def applies_to(self, number: int, first: int) -> int:
        """The next line that is no comment; 0 for a comment at the head of its document. Asked in order of lines."""
        if first not in self._heads:
            lines = range(first, len(self._text) + 1)
            self._heads[first] = next((each for each in lines if not _is_blank(self._text[each - 1])), lines.stop)
        if number <= self._heads[first]:
            return 0
        self._following = max(self._following, number)
        while self._following < len(self._text) and self._text[self._following].lstrip().startswith("#"):
            self._following += 1
        return self._following + 1


def _is_blank(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped.startswith(("#", "---", "%"))
