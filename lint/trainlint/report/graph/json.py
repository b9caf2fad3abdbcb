"""Reachability graphs for programs: the schema is ``trainlint_schemas/graph.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from trainlint import __version__
from trainlint.report.options import Options
from trainlint.report.zone_graph import RUNS, Edge, GraphNode, edges_of, nodes_of
from trainlint.result import PlacedRelated
from trainlint.result.graph import GraphPool, GroupGraph, Reason, RolePlacement

__all__ = ["render"]


def render(graphs: Sequence[GroupGraph], options: Options) -> str:
    """All graphs; keys in a fixed order; ASCII."""
    data = {"schema": 1, "trainlint": __version__, "groups": [_group(graph) for graph in graphs]}
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _group(graph: GroupGraph) -> dict[str, Any]:
    nodes = nodes_of(graph)
    return {
        "name": graph.group,
        "kind": graph.kind,
        "snapshot": graph.snapshot,
        "exists": str(graph.table.exists),
        "for_all": str(graph.table.for_all),
        "missing": list(graph.table.missing),
        "zones": [
            {
                "name": zone.name,
                "answer": None if zone.answer is None else str(zone.answer),
                "lacks": [_reason(reason) for _, reason in zone.lacks],
            }
            for zone in graph.zones
        ],
        "pools": [_pool(pool) for pool in graph.pools],
        "nodes": [_node(node) for node in nodes],
        "edges": [_edge(edge) for edge in edges_of(graph, nodes)],
        "witness": list(_placements(graph, graph.witness)),
        "counterexample": list(_placements(graph, graph.counterexample)),
        "waiting": list(_stranded(graph, graph.waiting)),
        "obstacles": list(_stranded(graph, graph.obstacles)),
    }


def _pool(pool: GraphPool) -> dict[str, Any]:
    return {
        "names": list(pool.names),
        "zone": pool.zone,
        "min": pool.minimum,
        "max": pool.maximum,
        "taints": list(pool.taints),
        "accelerators": list(pool.accelerators),
        "location": None if pool.at is None else _place(pool.at),
    }


def _node(node: GraphNode) -> dict[str, Any]:
    if node.role_zone is None or node.role is None:
        return {"id": node.id, "dns": True}
    return {
        "id": node.id,
        "pod_set": node.role.name,
        "namespace": node.role.namespace,
        "zone": node.zone or None,
        "pods": node.role.pods,
        "accelerators": node.role.accelerators,
        "dependency": node.role.dependency,
        "schedulable": RUNS[node.role_zone.fits],
        "pools": list(node.role_zone.pools),
        "reason": None if node.role_zone.why is None else _reason(node.role_zone.why),
    }


def _edge(edge: Edge) -> dict[str, Any]:
    link, ruling = edge.link, edge.ruling
    said: dict[str, Any] = {
        "source": edge.source,
        "target": edge.target,
        "protocol": link.protocol,
        "ports": link.ports,
        "kind": link.kind,
        "because": link.why,
        "needed_at": _place(link.at),
    }
    if ruling is None:
        return {**said, "verdict": "unknown"}
    return {
        **said,
        "verdict": str(ruling.answer),
        **({"nodes": ruling.nodes} if ruling.nodes else {}),
        "open": list(ruling.open),
        "egress": ruling.egress,
        "ingress": ruling.ingress,
        "deciding": [_place(each) for each in ruling.decided],
        "near_misses": [_place(each) for each in ruling.near],
        "repairs": [_reason(each) for each in ruling.repairs],
    }


def _placements(graph: GroupGraph, assignments: Sequence[RolePlacement]) -> Iterator[dict[str, Any]]:
    for each in assignments:
        yield {
            "pod_set": graph.roles[each.role].name,
            "zone": each.zone,
            "pool": each.pool or None,
            "pods": each.pods,
            "nodes": each.nodes or None,
        }


def _stranded(graph: GroupGraph, roles: Sequence[tuple[int, Reason]]) -> Iterator[dict[str, Any]]:
    for role, reason in roles:
        yield {"pod_set": graph.roles[role].name, **_reason(reason)}


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "text": reason.text,
        **({"remedy": reason.remedy} if reason.remedy else {}),
        "locations": [_place(each) for each in reason.places],
    }


def _place(placed: PlacedRelated) -> dict[str, Any]:
    return {
        "role": placed.role,
        "file": placed.file,
        "line": placed.span.line,
        "column": placed.span.column,
        "end_line": placed.span.end_line,
        "end_column": placed.span.end_column,
        "path": list(placed.path),
    }
