"""Comments that suppress findings: ``# trainlint: ignore[rule, category] reason until 2027-01-31``."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from trainlint.finding import Location

__all__ = ["Suppression", "Suppressions", "read_suppressions"]

_COMMENT = re.compile(
    r"#\s*trainlint:\s*ignore\s*(?:\[(?P<names>[^\]]*)\])?\s*(?P<reason>.*?)\s*(?:\buntil\s+(?P<until>\S+)\s*)?$"
)


@dataclass(eq=False, slots=True)
class Suppression:
    """One comment: the line it stands on, the line whose findings it suppresses (0: the whole document), its names.

    ``until`` is the last day it counts; ``malformed`` says what is wrong with it. ``used`` collects the names that
    suppressed something.
    """

    at: Location
    line: int
    applies_to: int
    names: tuple[str, ...]
    reason: str = ""
    until: dt.date | None = None
    malformed: str = ""
    used: set[str] = field(default_factory=set)

    def expired(self, today: dt.date) -> bool:
        """Whether its last day is over."""
        return self.until is not None and self.until < today


@dataclass(frozen=True, slots=True, eq=False)
class Suppressions:
    """All suppressions of a run after all findings were seen.

    ``known`` are the names of rules and categories, ``active`` those that ran: a suppression of a rule that did not run
    is not unused.
    """

    all: tuple[Suppression, ...]
    known: frozenset[str]
    active: frozenset[str]
    today: dt.date


def read_suppressions(
    file: str, lines: Iterable[tuple[int, str]], text: list[str], documents: Iterable[tuple[int, int]]
) -> Iterator[Suppression]:
    """The suppressions of a file. ``lines`` are its lines that address trainlint, ``text`` all of its lines,
    ``documents`` the index and first line of each document that was read.
    """
    heads = sorted(((line, index) for index, line in documents), reverse=True)
    for number, line in lines:
        match = _COMMENT.search(line)
        document, first = next(((index, start) for start, index in heads if start <= number), (0, 1))
        at = Location(file, document)
        if match is None:
            what = "trainlint reads only `# trainlint: ignore[rule] reason` here"
            yield Suppression(at, number, number, (), malformed=what)
            continue
        names = tuple(name.strip() for name in (match["names"] or "").split(",") if name.strip())
        until, malformed = _date(match["until"])
        if not names:
            malformed = "it names no rule: write `# trainlint: ignore[rule] reason`"
        own_line = line.lstrip().startswith("#")
        applies = _applies_to(number, text, first) if own_line else number
        yield Suppression(at, number, applies, names, match["reason"], until, malformed)


def _date(text: str | None) -> tuple[dt.date | None, str]:
    if text is None:
        return None, ""
    try:
        return dt.date.fromisoformat(text), ""
    except ValueError:
        return None, f"{text!r} is no date: write it as 2027-01-31"


def _applies_to(number: int, text: list[str], first: int) -> int:
    """The next line that is no comment; 0 for a comment at the head of its document."""
    head = all(_is_blank(line) for line in text[first - 1 : number - 1])
    if head:
        return 0
    following = number
    while following < len(text) and text[following].lstrip().startswith("#"):
        following += 1
    return following + 1


def _is_blank(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped.startswith(("#", "---", "%"))
