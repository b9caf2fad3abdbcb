"""The reachability graph of a group with every place resolved: what pictures and `trainlint graph` are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING

from trainlint.fact import fact
from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.result import PlacedRelated

if TYPE_CHECKING:
    from trainlint.questions.table import GroupTable
    from trainlint.reachability.flow_graph import FlowGraph

__all__ = [
    "GraphPool",
    "GraphRole",
    "GraphZone",
    "GroupGraph",
    "Link",
    "Reason",
    "RolePlacement",
    "RoleZone",
    "Ruling",
]


@fact
class Reason:
    """A sentence, the change that would end what it says (empty: none is known), and the places that decide it.

    ``short`` is the sentence without its pod set, for pictures that name that themselves; empty where that is all.
    """

    text: str
    places: tuple[PlacedRelated, ...] = ()
    remedy: str = ""
    short: str = ""


@fact
class GraphRole:
    """A pod set of the group: ``pods`` and ``accelerators`` (of one pod) are ``None`` where they are unknown.

    A ``dependency`` serves several groups and need not share their zone. ``at`` is the pod template.
    """

    name: str
    namespace: str
    pods: int | None
    accelerators: int | None
    dependency: bool
    at: PlacedRelated


@fact
class GraphPool:
    """Equal nodes of a zone: ``minimum`` to ``maximum`` (``None``: no limit) of them, by ``names``."""

    names: tuple[str, ...]
    zone: str
    minimum: int
    maximum: int | None
    taints: tuple[str, ...]
    accelerators: tuple[str, ...]
    at: PlacedRelated | None

    @property
    def name(self) -> str:
        """The name by which assignments know it."""
        return self.names[0]


@fact
class GraphZone:
    """A zone, whether it takes the whole group (``None``: not asked), and what is missing there, with the role."""

    name: str
    answer: Answer | None
    lacks: tuple[tuple[int | None, Reason], ...] = ()


@fact
class RoleZone:
    """A role in a zone: whether one pod fits there, on which pools (by name), or why on none."""

    role: int
    zone: str
    fits: Answer
    pools: tuple[str, ...] = ()
    why: Reason | None = None


@fact
class Ruling:
    """A verdict on a connection, for all pairs of zones (source, target; DNS is in none) for which it is the same.

    ``nodes`` is ``on one node`` or ``on two nodes`` where that makes a difference, else empty. ``egress`` and
    ``ingress`` are the sentences of both ends, ``open`` the ports that are open although not all are. ``decided`` are
    the entries that decide, ``near`` what would have allowed it and what is missing for that, ``repairs`` the smallest
    changes that open it.
    """

    answer: Permission
    pairs: tuple[tuple[str, str], ...]
    nodes: str
    egress: str
    ingress: str
    open: tuple[str, ...] = ()
    decided: tuple[PlacedRelated, ...] = ()
    near: tuple[PlacedRelated, ...] = ()
    repairs: tuple[Reason, ...] = ()


@fact
class Link:
    """A connection that the group needs, between roles by number (``None``: the cluster's DNS), with its verdicts.

    ``why`` completes "needed because ..."; ``at`` is where that is written.
    """

    source: int
    target: int | None
    protocol: str
    ports: str
    kind: str
    why: str
    at: PlacedRelated
    rulings: tuple[Ruling, ...] = ()

    def between(self, source: str, target: str) -> Iterator[Ruling]:
        """The verdicts between two zones: two where it matters whether the pods share a node."""
        pair = (source, "" if self.target is None else target)
        return (each for each in self.rulings if pair in each.pairs)


@fact
class RolePlacement:
    """Pods of a role in a zone of a placement; ``pool`` is empty and ``nodes`` 0 where only the zone is known."""

    role: int
    zone: str
    pool: str
    pods: int
    nodes: int


@fact
class GroupGraph:
    """One group in one snapshot: where its roles can run, and which of its connections are permitted between there.

    ``witness`` and ``counterexample`` are placements; ``waiting`` are the roles that the counterexample leaves
    Pending, and why. ``obstacles`` are what else keeps roles from ever starting.
    ``closest`` is the zone that lacks least, where none takes the group. ``across`` says that it
    runs only spread over zones, ``split`` that the counterexample is bad because it is spread. ``table`` is the proof
    as a table. ``flows`` is the graph of the connections, by the numbers of roles and of ``links``.
    """

    group: str
    kind: str
    snapshot: str
    roles: tuple[GraphRole, ...]
    zones: tuple[GraphZone, ...]
    pools: tuple[GraphPool, ...]
    role_zones: tuple[RoleZone, ...]
    links: tuple[Link, ...]
    flows: FlowGraph = field(repr=False, compare=False)
    table: GroupTable
    witness: tuple[RolePlacement, ...] = ()
    counterexample: tuple[RolePlacement, ...] = ()
    waiting: tuple[tuple[int, Reason], ...] = ()
    obstacles: tuple[tuple[int, Reason], ...] = ()
    closest: str = ""
    across: bool = False
    split: bool = False

    @property
    def answer(self) -> Answer:
        """Both answers in one: refuted if one is, proved if both are."""
        return Answer.of_all((self.table.exists, self.table.for_all))
