"""What the linter reports: places, findings, unknowns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from trainlint.fact import fact

__all__ = [
    "Certainty",
    "Finding",
    "Location",
    "Path",
    "Related",
    "Severity",
    "Span",
    "Unknown",
    "UsageError",
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
        """0 for the worst."""
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


@fact
class Finding:
    """One thing that is wrong in the manifests.

    A rule fills the first block; the engine adds the second. ``cause`` tells apart two findings of one rule at one
    place and is part of the identity, so it must not contain line numbers. ``span`` is for what has no path (a comment,
    text that does not parse).
    """

    message: str
    at: Location
    remedy: str = ""
    related: tuple[Related, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    counterexample: Mapping[str, Any] = field(default_factory=dict)
    assumes: tuple[str, ...] = ()
    severity: Severity | None = None
    certainty: Certainty = Certainty.PROVEN
    cause: str = ""
    span: Span | None = None

    rule: str = ""
    category: str = ""
    snapshots: tuple[str, ...] = ()
    id: str = ""


@fact
class Unknown:
    """A fact that is not there, what depends on it, and what would supply it. Neither fine nor an error.

    ``span`` is for what has no path.
    """

    subject: str
    missing: str
    remedy: str = ""
    at: Location | None = field(default=None, compare=False)
    span: Span | None = field(default=None, compare=False)


class UsageError(Exception):
    """Wrong usage or configuration: the message says what, where and how to mend it; exit code 2."""
