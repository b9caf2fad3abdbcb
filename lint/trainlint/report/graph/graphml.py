"""Reachability graphs as GraphML."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.reachability.graphml import Attributes, graphml
from trainlint.report.expanded import RUNS, Edge, GraphNode, edges_of, nodes_of, where
from trainlint.report.options import Options
from trainlint.report.terminal import escape
from trainlint.result.graph import GroupGraph

__all__ = ["render"]


def render(graphs: Sequence[GroupGraph], options: Options) -> str:
    """All groups in one graph; with several, the name of the group stands before that of each node."""
    nodes: dict[str, Attributes] = {}
    edges: list[tuple[str, str, Attributes]] = []
    for graph in graphs:
        found = nodes_of(graph, prefix=f"{graph.group}: " if len(graphs) > 1 else "")
        nodes.update((escape(node.id), _node(graph, node)) for node in found)
        edges += [(escape(edge.source), escape(edge.target), _edge(edge)) for edge in edges_of(graph, found)]
    about = {"groups": ", ".join(escape(graph.group) for graph in graphs)}
    return graphml(nodes, edges, about)


def _node(graph: GroupGraph, node: GraphNode) -> Attributes:
    if node.role_zone is None or node.role is None:
        return {"group": escape(graph.group), "pod_set": "kube-dns"}
    pods = {} if node.role.pods is None else {"pods": node.role.pods}
    return {
        "group": escape(graph.group),
        "pod_set": escape(node.role.name),
        "namespace": escape(node.role.namespace),
        "zone": escape(node.zone),
        **pods,
        "schedulable": RUNS[node.role_zone.fits],
        "pools": escape(", ".join(node.role_zone.pools)),
        "reason": escape("" if node.role_zone.why is None else node.role_zone.why.text),
    }


def _edge(edge: Edge) -> Attributes:
    link, ruling = edge.link, edge.ruling
    said = {
        "protocol": escape(link.protocol),
        "ports": link.ports,
        "kind": link.kind,
        "because": escape(link.why),
        "verdict": "unknown" if ruling is None else str(ruling.answer),
    }
    if ruling is None:
        return said
    return {
        **said,
        "nodes": ruling.nodes,
        "egress": escape(ruling.egress),
        "ingress": escape(ruling.ingress),
        "deciding": escape(", ".join(where(ruling.decided))),
    }
