"""Reachability graphs as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.model.policy import Permission
from trainlint.report.options import Options
from trainlint.report.table import table
from trainlint.report.terminal import Paint, escape
from trainlint.report.zone_graph import RUNS, VERDICTS, Edge, GraphNode, edges_of, nodes_of, pools_text, where
from trainlint.result.graph import GroupGraph

__all__ = ["render"]


def render(graphs: Sequence[GroupGraph], options: Options) -> str:
    """The places of the roles of each group, and the connections between them, as text."""
    if not graphs:
        return "no groups\n"
    return "\n".join("\n".join(_group(graph, options)) + "\n" for graph in graphs)


def _group(graph: GroupGraph, options: Options) -> Iterator[str]:
    paint = Paint(options.color)
    nodes = nodes_of(graph)
    yield paint("bold", escape(f"group {graph.group} ({graph.kind})"))
    rows = [_node(graph, node) for node in nodes if node.role_zone is not None]
    for line in table(
        ("role", "zone", "pods", "schedulable", "on, or why not"), rows, paint, options.width - 2, flexible=4
    ):
        yield f"  {line}"
    edges = [_edge(edge) for edge in edges_of(graph, nodes)]
    if edges:
        yield ""
        header = ("from", "to", "ports", "verdict", "decided at")
        for line in table(header, edges, paint, options.width - 2, flexible=4):
            yield f"  {line}"


def _node(graph: GroupGraph, node: GraphNode) -> tuple[str, ...]:
    assert node.role is not None
    assert node.role_zone is not None
    pods = "?" if node.role.pods is None else str(node.role.pods)
    why = node.role_zone.why.text if node.role_zone.why is not None else pools_text(graph, node.role_zone.pools)
    return (node.role.name, node.zone or "?", pods, RUNS[node.role_zone.fits], why)


def _edge(edge: Edge) -> tuple[str, ...]:
    answer = Permission.UNKNOWN if edge.ruling is None else edge.ruling.answer
    nodes = f" {edge.ruling.nodes}" if edge.ruling is not None and edge.ruling.nodes else ""
    decided = "" if edge.ruling is None else ", ".join(where(edge.ruling.decided))
    ports = f"{edge.link.protocol} {edge.link.ports}"
    return (edge.source, edge.target, ports, f"{VERDICTS[answer]}{nodes}", decided)
