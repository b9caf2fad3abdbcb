"""Equal pods that are to be placed, and what binds them to others over domains."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.fact import fact
from trainlint.scheduling.packing import Packing

__all__ = ["Attraction", "Placement", "PlacementRole", "Repulsion", "State", "Tie"]


@fact
class Attraction:
    """A required pod affinity term: the node must share the key's value with a pod of one of the ``targets``."""

    key: str
    targets: frozenset[int]


@fact
class Repulsion:
    """Required anti-affinity, of the pod itself or (by symmetry) of the ``targets``: none may share the key's value."""

    key: str
    targets: frozenset[int]


@fact
class Tie:
    """Roles whose pods are all placed in one domain of the key; one of the ``leaders`` first, where there are any."""

    key: str
    roles: frozenset[int]
    leaders: frozenset[int] = frozenset()


@fact
class PlacementRole:
    """``count`` equal pods, the classes of nodes (indices) that one of them may use alone, and what binds them.

    ``starts`` says that the pod matches all its own affinity terms, so that the first of all may go anywhere.
    ``lenient`` says that more than ``per_node`` pods may share a node where the nodes fill up evenly; so may then those
    of the roles in ``spread_from``.
    """

    requests: Mapping[str, int]
    count: int
    classes: frozenset[int]
    attractions: tuple[Attraction, ...] = ()
    repulsions: tuple[Repulsion, ...] = ()
    starts: bool = False
    per_node: int | None = None
    apart: frozenset[int] = frozenset()
    lenient: bool = False
    spread_from: frozenset[int] = frozenset()
    ties: tuple[Tie, ...] = ()


State = frozenset[tuple[int, int]]
"""Pairs (role, domain): the role has at least one pod there."""


@fact
class Placement:
    """A complete placement: where each role has pods, and a packing that proves that they fit."""

    state: State
    packing: Packing
