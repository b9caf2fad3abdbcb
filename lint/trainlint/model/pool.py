"""Nodes that are equal for scheduling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trainlint.finding import Location
from trainlint.model.known import Known

__all__ = ["Inventory", "Pool", "Taint"]


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint of a node."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Pool:
    """``minimum`` to ``maximum`` (None: no limit) nodes with the same labels, taints and allocatable resources.

    ``allocatable`` is ``None`` where the source does not say it; quantities are text. A pool of one named node has the
    label ``kubernetes.io/hostname`` and ``node_name``; in larger pools every node has a hostname of its own.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    allocatable: Mapping[str, Known[str]] | None = None
    minimum: int = 1
    maximum: int | None = 1
    unschedulable: bool = False
    node_name: str = ""
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Inventory:
    """All pools that one source of truth describes; ``complete`` means that there are no other nodes."""

    name: str
    pools: tuple[Pool, ...]
    complete: bool = True
    at: Location | None = field(default=None, compare=False, repr=False)
