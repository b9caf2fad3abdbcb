"""Label selectors and node selectors, as written."""

from __future__ import annotations

from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Location

__all__ = ["LabelCondition", "LabelSelector", "NodeSelectorTerm", "Requirement"]


@fact
class Requirement:
    """One requirement on a label (or field): key, operator (In, NotIn, Exists, DoesNotExist, Gt, Lt), values."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class LabelCondition:
    """A condition on labels in one of the forms ``and``, ``or``, ``not`` (of its operands), ``test`` (of its
    requirement, whose operator may also be Contains, StartsWith, EndsWith) and ``unknown``: it holds or not.

    Without operands ``and`` always holds and ``or`` never does. ``text`` is the whole as people wrote it.
    """

    form: str
    operands: tuple[LabelCondition, ...] = ()
    requirement: Requirement | None = None
    text: str = field(default="", compare=False)


@fact
class LabelSelector:
    """All requirements must hold, and the expression where there is one; none at all selects everything.

    A selector that is not there is ``None``.
    """

    requirements: tuple[Requirement, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)
    expression: LabelCondition | None = None


@fact
class NodeSelectorTerm:
    """One of the terms of a node affinity: labels and fields, all of which must match; empty matches nothing."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)
