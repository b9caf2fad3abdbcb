"""Reachability graphs in Graphviz's language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.report.options import Options
from trainlint.report.terminal import escape
from trainlint.report.zone_graph import VERDICTS, Edge, GraphNode, edges_of, nodes_of, pools_text, where, zone_title
from trainlint.result.graph import GroupGraph

__all__ = ["render"]

STYLES: Final = {
    Permission.ALLOW: 'color="#1a7f37"',
    Permission.DENY: 'color="#cf222e", fontcolor="#cf222e", style=dashed, arrowhead=tee, penwidth=2',
    Permission.UNKNOWN: 'color="#6e7781", fontcolor="#6e7781", style=dotted',
}
BOXES: Final = {
    Answer.PROVED: "style=rounded",
    Answer.REFUTED: 'style="rounded,dashed", color="#6e7781", fontcolor="#6e7781"',
    Answer.CONDITIONAL: "style=rounded",
    Answer.UNKNOWN: 'style="rounded,dotted"',
}


def render(graphs: Sequence[GroupGraph], options: Options) -> str:
    """One digraph: groups are clusters, and zones clusters inside of them."""
    lines = ["digraph trainlint {", "  rankdir=LR;", "  node [shape=box, fontname=sans];", "  edge [fontname=sans];"]
    for number, graph in enumerate(graphs):
        lines += _group(graph, f"g{number}")
    return "\n".join([*lines, "}"]) + "\n"


def _group(graph: GroupGraph, key: str) -> Iterator[str]:
    nodes = nodes_of(graph)
    ids = {node.id: f"{key}n{number}" for number, node in enumerate(nodes)}
    yield f"  subgraph cluster_{key} {{"
    yield f"    label={_text(f'group {graph.group}: exists {graph.table.exists}, for all {graph.table.for_all}')};"
    for number, zone in enumerate(dict.fromkeys(node.zone for node in nodes if node.role_zone is not None)):
        yield f"    subgraph cluster_{key}z{number} {{"
        yield f"      label={_text(zone_title(zone))};"
        for node in nodes:
            if node.role_zone is not None and node.zone == zone:
                yield f"      {ids[node.id]} [label={_text(*_label(graph, node))}, {BOXES[node.role_zone.fits]}];"
        yield "    }"
    yield from (f"    {ids[node.id]} [label={_text('kube-dns')}];" for node in nodes if node.role_zone is None)
    yield "  }"
    for edge in edges_of(graph, nodes):
        answer = Permission.UNKNOWN if edge.ruling is None else edge.ruling.answer
        label = _text(*_edge(edge, answer))
        yield f"  {ids[edge.source]} -> {ids[edge.target]} [label={label}, {STYLES[answer]}];"


def _label(graph: GroupGraph, node: GraphNode) -> Iterator[str]:
    if node.role is None or node.role_zone is None:
        return
    yield node.role.name
    if node.role.pods is not None:
        yield f"{node.role.pods} pod{'' if node.role.pods == 1 else 's'}"
    if node.role_zone.fits is Answer.REFUTED:
        yield "no node takes it"
    elif node.role_zone.pools:
        yield f"on {pools_text(graph, node.role_zone.pools)}"


def _edge(edge: Edge, answer: Permission) -> Iterator[str]:
    nodes = f" {edge.ruling.nodes}" if edge.ruling is not None and edge.ruling.nodes else ""
    yield f"{edge.link.protocol} {edge.link.ports} {VERDICTS[answer]}{nodes}"
    if edge.ruling is not None and answer is not Permission.ALLOW:
        yield from where(edge.ruling.decided)


def _text(*lines: str) -> str:
    """A quoted string in which nothing is an escape or an entity of Graphviz."""
    shown = (escape(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(shown) + '"'
