"""A group's graph with a node for each role in each zone, and an edge for each connection between two of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.model.workload import DNS_PEER
from trainlint.result import PlacedRelated
from trainlint.result.graph import GraphRole, GroupGraph, Link, RoleZone, Ruling

__all__ = [
    "RUNS",
    "UNKNOWN_ZONES",
    "VERDICTS",
    "Edge",
    "GraphNode",
    "counted",
    "edges_between",
    "edges_of",
    "nodes_of",
    "pools_text",
    "reached",
    "where",
    "zone_title",
]

UNKNOWN_ZONES: Final = "zones unknown"
RUNS: Final = {Answer.PROVED: "yes", Answer.REFUTED: "no", Answer.CONDITIONAL: "yes", Answer.UNKNOWN: "unknown"}
VERDICTS: Final = {Permission.ALLOW: "allowed", Permission.DENY: "denied", Permission.UNKNOWN: "not known"}


@fact
class GraphNode:
    """A role in a zone, or the cluster's DNS, without ``role_zone`` and ``role``; ``id`` is unique over all graphs."""

    id: str
    role: GraphRole | None
    role_zone: RoleZone | None

    @property
    def zone(self) -> str:
        """The zone by name; empty without an inventory, and for DNS."""
        return "" if self.role_zone is None else self.role_zone.zone


@fact
class Edge:
    """A connection between two nodes by id; ``ruling`` is ``None`` where it could not be judged."""

    source: str
    target: str
    link: Link
    ruling: Ruling | None


def nodes_of(graph: GroupGraph, *, prefix: str = "") -> tuple[GraphNode, ...]:
    """Every role in every zone, then DNS where a role needs it. ``prefix`` tells the groups of one drawing apart."""
    found: dict[str, GraphNode] = {}
    for role_zone in graph.role_zones or (RoleZone(role, "", Answer.UNKNOWN) for role in range(len(graph.roles))):
        role = graph.roles[role_zone.role]
        name = f"{prefix}{role.namespace}/{role.name}" + (f"@{role_zone.zone}" if role_zone.zone else "")
        number = 1
        while (unique := name if number == 1 else f"{name}#{number}") in found:
            number += 1
        found[unique] = GraphNode(unique, role, role_zone)
    if any(link.target is None for link in graph.links):
        found[f"{prefix}{DNS_PEER}"] = GraphNode(f"{prefix}{DNS_PEER}", None, None)
    return tuple(found.values())


def reached(nodes: Iterable[GraphNode]) -> tuple[GraphNode, ...]:
    """The nodes that are ends of edges: those that a role may be scheduled to; of a role that fits nowhere, all."""
    by_role: dict[int | None, list[GraphNode]] = {}
    for node in nodes:
        by_role.setdefault(None if node.role_zone is None else node.role_zone.role, []).append(node)
    ends: list[GraphNode] = []
    for found in by_role.values():
        possible = [node for node in found if node.role_zone is None or node.role_zone.fits is not Answer.REFUTED]
        ends += possible or found
    return tuple(ends)


def edges_of(graph: GroupGraph, nodes: Sequence[GraphNode]) -> Iterator[Edge]:
    """Every connection between places that its ends may be scheduled to; of a role that fits nowhere, between all."""
    by_role: dict[int | None, list[GraphNode]] = {}
    for node in reached(nodes):
        by_role.setdefault(None if node.role_zone is None else node.role_zone.role, []).append(node)
    for link in graph.links:
        for source in by_role.get(link.source, ()):
            for target in by_role.get(link.target, ()):
                yield from edges_between(link, source, target)


def edges_between(link: Link, source: GraphNode, target: GraphNode) -> Iterator[Edge]:
    """The edges of a connection between two nodes: two where it matters whether the pods share a node."""
    rulings: list[Ruling | None] = [*link.between(source.zone, target.zone)]
    return (Edge(source.id, target.id, link, ruling) for ruling in rulings or [None])


def where(places: Sequence[PlacedRelated]) -> Iterator[str]:
    """Places as ``file:line``, the lines of one file together."""
    lines: dict[str, dict[int, None]] = {}
    for each in places:
        lines.setdefault(each.file, {})[each.span.line] = None
    return (f"{file}:{','.join(map(str, sorted(found)))}" for file, found in lines.items())


def pools_text(graph: GroupGraph, names: Sequence[str]) -> str:
    """Pools by the names of the nodes or pools that each stands for; many are counted."""
    known = {pool.name: pool.names for pool in graph.pools}
    return counted([name for each in names for name in known.get(each, (each,))])


def counted(names: Sequence[str], room: int = 30) -> str:
    """The first names, as many as fit into so many characters (at least one); the others are counted."""
    shown, length = 1, len(names[0]) if names else 0
    while shown < len(names) and length + 2 + len(names[shown]) <= room:
        length += 2 + len(names[shown])
        shown += 1
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def zone_title(name: str) -> str:
    """A zone as people call it."""
    if not name:
        return UNKNOWN_ZONES
    return name if name.lower().startswith(("zone", "(")) else f"zone {name}"
