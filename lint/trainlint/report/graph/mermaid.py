"""Reachability graphs as Mermaid flowcharts."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.report.mermaid import label
from trainlint.report.options import Options
from trainlint.report.zone_graph import GraphNode, edges_of, nodes_of, pools_text, where, zone_title
from trainlint.result.graph import GroupGraph, Ruling

__all__ = ["render"]

STYLES = {
    Permission.ALLOW: "stroke:#1a7f37",
    Permission.DENY: "stroke:#cf222e,stroke-width:2px",
    Permission.UNKNOWN: "stroke:#6e7781",
}


def render(graphs: Sequence[GroupGraph], options: Options) -> str:
    """One flowchart: groups are frames, and zones frames inside of them."""
    drawing = _Drawing()
    for graph in graphs:
        drawing.group(graph)
    styles = [
        f"  linkStyle {','.join(map(str, numbers))} {STYLES[answer]}"
        for answer, numbers in drawing.styled.items()
        if numbers
    ]
    return "\n".join(["flowchart LR", *drawing.boxes, *drawing.edges, *styles]) + "\n"


class _Drawing:
    """Collects the lines; edges are styled by their number."""

    def __init__(self) -> None:
        self.boxes: list[str] = []
        self.edges: list[str] = []
        self.styled: dict[Permission, list[int]] = {answer: [] for answer in Permission}
        self.count = self.frames = 0

    def group(self, graph: GroupGraph) -> None:
        nodes = nodes_of(graph)
        ids = {node.id: f"p{self.count + number}" for number, node in enumerate(nodes)}
        self.count += len(nodes)
        self._frame(f"group {graph.group}", "  ")
        self.boxes.append("    direction LR")
        for zone in dict.fromkeys(node.zone for node in nodes if node.role_zone is not None):
            self._frame(zone_title(zone), "    ")
            here = [node for node in nodes if node.role_zone is not None and node.zone == zone]
            self.boxes += [f"      {ids[node.id]}[{label(*_lines(graph, node))}]" for node in here]
            self.boxes.append("    end")
        self.boxes += [f"    {ids[node.id]}[{label('kube-dns')}]" for node in nodes if node.role_zone is None]
        self.boxes.append("  end")
        for edge in edges_of(graph, nodes):
            self._edge(ids[edge.source], ids[edge.target], f"{edge.link.protocol} {edge.link.ports}", edge.ruling)

    def _frame(self, title: str, indent: str) -> None:
        self.boxes.append(f"{indent}subgraph f{self.frames}[{label(title)}]")
        self.frames += 1

    def _edge(self, source: str, target: str, ports: str, ruling: Ruling | None) -> None:
        answer = Permission.UNKNOWN if ruling is None else ruling.answer
        nodes = [ruling.nodes] if ruling is not None and ruling.nodes else []
        self.styled[answer].append(len(self.edges))
        if answer is Permission.ALLOW:
            self.edges.append(f"  {source} -- {label(ports, *nodes)} --> {target}")
        elif answer is Permission.DENY and ruling is not None:
            text = label(f"denied: {ports}", *nodes, *where(ruling.decided))
            self.edges.append(f"  {source} -. {text} .-x {target}")
        else:
            self.edges.append(f"  {source} -. {label(f'not known: {ports}', *nodes)} .-> {target}")


def _lines(graph: GroupGraph, node: GraphNode) -> list[str]:
    if node.role is None or node.role_zone is None:
        return []
    pods = [] if node.role.pods is None else [f"{node.role.pods} pod{'' if node.role.pods == 1 else 's'}"]
    refused = ["no node takes it"] if node.role_zone.fits is Answer.REFUTED else []
    pools = [f"on {pools_text(graph, node.role_zone.pools)}"] if node.role_zone.pools else []
    return [node.role.name, *pods, *pools, *refused]
