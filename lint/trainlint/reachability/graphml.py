"""Graphs of flows as GraphML, for the programs that read graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import networkx as nx

from trainlint.fact import fact
from trainlint.reachability.flow_graph import Attributes, End, FlowGraph

__all__ = ["Described", "graphml"]


@fact(eq=False)
class Described:
    """A graph of flows with a name for each end that is exported, and what is said of its nodes and edges.

    ``of_edge`` gives the attributes of a flow (by its index) between two ends, several where it stands for several
    edges, none where it is left out.
    """

    flows: FlowGraph
    names: Mapping[End, str]
    of_node: Mapping[str, Attributes]
    of_edge: Callable[[str, str, int], Iterable[Attributes]]

    def edges(self) -> Iterator[tuple[str, str, Attributes]]:
        """The edges that are exported, with what is said of each."""
        for source, target, flow in self.flows.named(self.names).edges(keys=True):
            yield from ((source, target, each) for each in self.of_edge(source, target, flow))


def graphml(graphs: Iterable[Described], about: Mapping[str, str]) -> str:
    """All graphs in one, as XML (GraphML); ``about`` are attributes of the whole.

    Characters that XML cannot hold must not be in it.
    """
    whole: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    whole.graph.update(about)
    for graph in graphs:
        whole.add_nodes_from((name, dict(graph.of_node[name])) for name in graph.names.values())
        for source, target, attributes in graph.edges():
            whole.add_edge(source, target, key=f"e{whole.number_of_edges()}", **attributes)
    return "\n".join(nx.generate_graphml(whole, named_key_ids=True)) + "\n"
