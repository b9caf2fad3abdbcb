"""Reachability graphs as GraphML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.reachability.flow_graph import DNS, Attributes
from trainlint.reachability.graphml import Described, graphml
from trainlint.report.options import Options
from trainlint.report.terminal import escape
from trainlint.report.zone_graph import RUNS, Edge, GraphNode, edges_between, nodes_of, reached, where
from trainlint.result.graph import GroupGraph

__all__ = ["render"]


def render(graphs: Sequence[GroupGraph], options: Options) -> str:
    """All groups in one graph; with several, the name of the group stands before that of each node."""
    described = (_described(graph, f"{graph.group}: " if len(graphs) > 1 else "") for graph in graphs)
    return graphml(described, {"groups": ", ".join(escape(graph.group) for graph in graphs)})


def _described(graph: GroupGraph, prefix: str) -> Described:
    nodes = {escape(node.id): node for node in nodes_of(graph, prefix=prefix)}
    ends = reached(nodes.values())

    def of_edge(source: str, target: str, flow: int) -> Iterator[Attributes]:
        start, end = nodes[source], nodes[target]
        if start in ends and end in ends:
            yield from (_edge(edge) for edge in edges_between(graph.links[flow], start, end))

    return Described(
        graph.flows,
        {DNS if node.role_zone is None else (node.role_zone.role, node.zone): name for name, node in nodes.items()},
        {name: _node(graph, node) for name, node in nodes.items()},
        of_edge,
    )


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
