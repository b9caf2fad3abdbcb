"""What a filter answers: nothing (the pod fits), a refusal, or a doubt."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from trainlint.fact import fact
from trainlint.finding import Location

__all__ = ["Answer", "Code", "Doubt", "Refusal"]


class Code(StrEnum):
    """The scheduler's status codes (S 0): removing pods might help, cannot help on this node, the filter failed."""

    UNSCHEDULABLE = "Unschedulable"
    UNRESOLVABLE = "UnschedulableAndUnresolvable"
    ERROR = "Error"


@fact
class Refusal:
    """A filter's no: ``at`` is what in the pod decides, ``node_at`` what in the node does."""

    plugin: str
    code: Code
    reason: str
    at: Location | None = field(default=None, compare=False)
    node_at: Location | None = field(default=None, compare=False)


@fact
class Doubt:
    """A filter cannot tell, and why. ``need`` is what must exist outside Git for a yes, where that is all it takes."""

    plugin: str
    why: str
    at: Location | None = field(default=None, compare=False)
    need: str = ""


Answer = Refusal | Doubt | None
"""``None``: the pod passes."""
