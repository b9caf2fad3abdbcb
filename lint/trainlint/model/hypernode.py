"""HyperNodes: how Volcano is told which nodes are near each other (S 2.3)."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.model.selector import LabelSelector

__all__ = ["HyperNode", "Member"]


@fact
class Member:
    """What a HyperNode holds: nodes, or other HyperNodes (``of_nodes`` is false).

    One of ``name``, ``pattern`` (a regular expression in Go's syntax, found anywhere in the name) and ``labels`` (nodes
    only) says which.
    """

    of_nodes: bool
    name: str = ""
    pattern: str = ""
    labels: LabelSelector | None = None


@fact
class HyperNode:
    """One HyperNode; ``tier`` grows with the distance, ``tier_name`` may name it."""

    name: str
    tier: int
    tier_name: str = ""
    members: tuple[Member, ...] = ()
