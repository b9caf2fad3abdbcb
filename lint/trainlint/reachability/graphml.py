"""A reachability graph as GraphML, for the programs that read graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import networkx as nx

__all__ = ["Attributes", "graphml"]

Attributes = Mapping[str, str | int | bool]


def graphml(
    nodes: Mapping[str, Attributes], edges: Iterable[tuple[str, str, Attributes]], about: Mapping[str, str]
) -> str:
    """The graph as XML (GraphML), in the order given; ``about`` are attributes of the graph.

    Characters that XML cannot hold must not be in it.
    """
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    graph.graph.update(about)
    for name, attributes in nodes.items():
        graph.add_node(name, **attributes)
    for number, (source, target, attributes) in enumerate(edges):
        graph.add_edge(source, target, key=f"e{number}", **attributes)
    return "\n".join(nx.generate_graphml(graph, named_key_ids=True)) + "\n"
