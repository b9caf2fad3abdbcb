"""Label selectors and node selectors, as written."""

from __future__ import annotations

from dataclasses import dataclass, field

from trainlint.finding import Location

__all__ = ["LabelSelector", "NodeSelectorTerm", "Requirement"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement on a label (or field): key, operator (In, NotIn, Exists, DoesNotExist, Gt, Lt), values."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """All requirements must hold; none at all selects everything. A selector that is not there is ``None``."""

    requirements: tuple[Requirement, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """One of the terms of a node affinity: labels and fields, all of which must match; empty matches nothing."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)
