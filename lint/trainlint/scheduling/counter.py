"""Pods counted by topology domain: all that affinity, anti-affinity and spread know of the pods already placed."""

from __future__ import annotations

from collections.abc import Callable

from trainlint.fact import fact

__all__ = ["Anywhere", "Counter", "Here", "Kinds"]

Kinds = frozenset[int]
"""Indices of kinds of pods: pods that no filter can tell apart."""


@fact
class Counter:
    """Counts pods of some kinds per value of a topology key, on some nodes (indices; ``None``: on all that have it)."""

    key: str
    kinds: Kinds
    nodes: frozenset[int] | None = None


Here = Callable[[Counter], int | None]
"""The count in the domain of the node in question; ``None`` if that node lacks the key."""

Anywhere = Callable[[Counter], int]
"""The count over all domains; or, where a filter says so, the smallest count of a domain."""
