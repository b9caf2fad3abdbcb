"""What the linter reports: places, findings and what could fix them, unknowns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from functools import cached_property
from typing import Any

from trainlint.fact import fact

__all__ = [
    "Add",
    "Append",
    "Certainty",
    "Edit",
    "Finding",
    "Fix",
    "Location",
    "Move",
    "Path",
    "Put",
    "Quote",
    "Related",
    "RelatedPlaces",
    "Remove",
    "Rename",
    "Safety",
    "Severity",
    "Span",
    "Unknown",
    "UsageError",
    "besides",
    "certainty_of",
    "one_after_the_other",
    "or_else",
]

Path = tuple[str | int, ...]
"""Keys and indices from the root of a document; items of a List start with ``("items", N)``."""


class Severity(StrEnum):
    """How bad a finding is; the order of definition is the order of severity, worst first."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """Its place in the order: 0 for the worst."""
        return list(Severity).index(self)


class Certainty(StrEnum):
    """Whether a finding is proved from the manifests or rests on experience."""

    PROVEN = "proven"
    LIKELY = "likely"


@fact
class Span:
    """A range of text in a file: lines and columns count from 1 (columns in characters), the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@fact(order=True)
class Location:
    """A place: a path in one document of one file. The engine resolves it to a span as late as possible.

    ``base`` marks a place in the base revision, for what the repository does not hold any more.
    """

    file: str
    document: int
    path: Path = ()
    base: bool = False

    def child(self, *steps: str | int) -> Location:
        """The place below this one."""
        return Location(self.file, self.document, (*self.path, *steps), self.base)


@fact
class Related:
    """Another place that belongs to a finding, with its part in it ("who needs it", "who blocks it").

    ``span`` is for what has no path. ``cause`` is not 0 for the places that together force it, and the same for those
    of one cause: with nothing but these left, the finding is still there; without any one of them, it is not.
    """

    role: str
    at: Location
    span: Span | None = None
    cause: int = 0


def certainty_of(assumes: Sequence[object]) -> Certainty:
    """Likely for what rests on assumptions, else proven."""
    return Certainty.LIKELY if assumes else Certainty.PROVEN


RelatedPlaces = Sequence[Related] | Callable[[], Sequence[Related]]
"""The other places of a finding, or what makes them when they are shown."""


def _made(places: RelatedPlaces) -> Sequence[Related]:
    return places() if callable(places) else places


def besides(first: RelatedPlaces, others: RelatedPlaces) -> Callable[[], tuple[Related, ...]]:
    """What makes the first places, and of the others those that stand elsewhere."""

    def places() -> tuple[Related, ...]:
        found = _made(first)
        known = {each.at for each in found}
        return (*found, *(each for each in _made(others) if each.at not in known))

    return places


def one_after_the_other(*parts: RelatedPlaces) -> Callable[[], tuple[Related, ...]]:
    """What makes all places, in their order."""
    return lambda: tuple(each for part in parts for each in _made(part))


def or_else(first: RelatedPlaces, others: RelatedPlaces) -> Callable[[], Sequence[Related]]:
    """What makes the first places, or the others where there are none of the first."""
    return lambda: _made(first) or _made(others)


class Safety(StrEnum):
    """What a fix may do to what already works."""

    SAFE = "safe"
    """Nothing: it cannot change what already works."""
    UNSAFE = "unsafe"
    """It may change where pods run, what they use or which pods they reach: review it."""
    OPENING = "opening"
    """It admits more traffic: it is only ever shown."""


@fact
class Put:
    """The value at a place becomes another one; the entry, with its parents, is made where it is not there.

    A new entry stands before the first of ``before`` that its mapping has, else at its end.
    """

    at: Location
    value: Any
    before: tuple[str, ...] = ()


@fact
class Append:
    """The list at a place gets one more element; the list is made where it is not there."""

    at: Location
    value: Any
    before: tuple[str, ...] = ()


@fact
class Remove:
    """An entry or element goes, with its lines; a list or mapping that it leaves empty stays as an empty one."""

    at: Location


@fact
class Move:
    """An entry goes, as it is written, to another path of its document, where nothing stands yet."""

    at: Location
    to: Path


@fact
class Rename:
    """The key of an entry becomes another one."""

    at: Location
    key: str


@fact
class Quote:
    """A number or a boolean becomes the string that is written there."""

    at: Location


@fact
class Add:
    """One more document stands after the one at a place: an object, written as the document at ``like`` is.

    The path of the place does not count.
    """

    at: Location
    value: Any
    like: Location | None = None


Edit = Put | Append | Remove | Move | Rename | Quote | Add
"""What a fix does at one place, in words of paths: ``trainlint.fix`` makes text of it."""


@fact
class Fix:
    """Edits that together remove the cause of a finding; ``title`` completes "to fix it, ...".

    The check that finds the fault proposes it; nothing is offered before it was tried on the model. ``opens`` says
    what a fix lets in that admits more traffic.
    """

    title: str
    edits: tuple[Edit, ...]
    safety: Safety = Safety.UNSAFE
    opens: str = ""


@fact(slots=False)
class Finding:
    """One thing that is wrong in the manifests.

    A rule fills the first block; the engine adds the second. ``cause`` tells apart two findings of one rule at one
    place and is part of the identity, so it must not contain line numbers. ``groups`` are
    the groups that it is about, where it is about groups; ``predicate`` is its message without the group at the
    beginning, for tables that name the group themselves. ``span`` is for what has no path (a comment, text that does
    not parse). ``of_key`` says that the key at the place is wrong, whatever its value. ``fixes`` makes
    proposals, the best first: it is called only when repairs are asked for. ``related`` are the other places that
    belong to it, or what makes them, which is called only when they are shown; ``places`` are they.
    """

    message: str
    at: Location
    remedy: str = ""
    related: RelatedPlaces = field(default=(), compare=False)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    counterexample: Mapping[str, Any] = field(default_factory=dict)
    assumes: tuple[str, ...] = ()
    severity: Severity | None = None
    certainty: Certainty = Certainty.PROVEN
    cause: str = ""
    groups: tuple[str, ...] = ()
    predicate: str = ""
    span: Span | None = None
    of_key: bool = False
    fixes: Callable[[], Iterable[Fix]] = field(default=tuple, compare=False, repr=False)

    rule: str = ""
    category: str = ""
    snapshots: tuple[str, ...] = ()
    id: str = ""

    @cached_property
    def places(self) -> tuple[Related, ...]:
        """The other places that belong to it."""
        return tuple(_made(self.related))


@fact
class Unknown:
    """A fact that is not there, what depends on it, and what would supply it. Neither fine nor an error.

    ``span`` is for what has no path, ``command`` what supplies it at the shell, where one command does.
    """

    subject: str
    missing: str
    remedy: str = ""
    at: Location | None = field(default=None, compare=False)
    span: Span | None = field(default=None, compare=False)
    command: str = ""


class UsageError(Exception):
    """Wrong usage or configuration: the message says what, where and how to fix it; exit code 2."""
