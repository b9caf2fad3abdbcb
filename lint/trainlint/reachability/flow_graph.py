"""The flows of a group as a graph: its nodes are (pod set, place), an edge is one flow with the answer of the policies.

The permitted flows are the part of it that groups are judged by; the whole is exported as GraphML. This module and
``graphml`` alone know networkx, which is slow to import: a group all of whose flows are permitted everywhere needs no
graph to know that none is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from trainlint.model.policy import Permission
from trainlint.model.workload import Flow

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["ALLOWED", "DNS", "EVERY", "POSSIBLE", "Attributes", "End", "FlowGraph"]

End = tuple[int, str]
"""A member of the group by its number, and the name of a place."""
Attributes = Mapping[str, str | int | bool]

DNS: Final[End] = (-1, "")
"""The cluster's DNS, which is in no place."""
ALLOWED: Final = frozenset({Permission.ALLOW})
POSSIBLE: Final = frozenset({Permission.ALLOW, Permission.UNKNOWN})
EVERY: Final = frozenset(Permission)


class FlowGraph:
    """What pods in some places connect to. ``answer`` is that of the policies for a flow between two places.

    The edges of a pair of places are added when the pair is first asked about.
    """

    def __init__(self, members: int, flows: Sequence[Flow], answer: Callable[[Flow, str, str], Permission]) -> None:
        self._members = range(members)
        self._flows = flows
        self._answer = answer
        self._pairs: set[tuple[str, str]] = set()

    @cached_property
    def _graph(self) -> nx.MultiDiGraph[End]:
        import networkx as nx  # noqa: PLC0415 (slow to import; only groups of which a flow is cut need it)

        return nx.MultiDiGraph()

    def between(self, places: Iterable[str], answers: Collection[Permission] = ALLOWED) -> nx.MultiDiGraph[End]:
        """The part of the graph that lies in these places, with the flows that have one of the answers."""
        import networkx as nx  # noqa: PLC0415

        asked = tuple(dict.fromkeys(places))
        for pair in ((source, target) for source in asked for target in asked):
            if pair not in self._pairs:
                self._pairs.add(pair)
                self._add(*pair)
        inside = self._graph.subgraph([(member, place) for place in asked for member in self._members])
        edges = inside.edges
        view: nx.MultiDiGraph[End] = nx.subgraph_view(
            inside, filter_edge=lambda *edge: edges[edge]["answer"] in answers
        )
        return view

    def _add(self, source: str, target: str) -> None:
        self._graph.add_nodes_from((member, place) for place in (source, target) for member in self._members)
        for index, flow in enumerate(self._flows):
            if flow.target is not None:
                answer = self._answer(flow, source, target)
                self._graph.add_edge((flow.source, source), (flow.target, target), key=index, answer=answer)

    def cut(self, place: str, flows: Iterable[int]) -> tuple[int, ...]:
        """The flows between members among those given (by index) that are not permitted inside a place."""
        held = {key for _, _, key in self.between((place,)).edges(keys=True)}
        return tuple(index for index in flows if index not in held)

    def viable(self, places: Iterable[str], flows: Collection[int]) -> tuple[str, ...]:
        """The places inside which every one of the flows is permitted."""
        return tuple(place for place in places if not self.cut(place, flows))

    def parts(
        self, place: str, among: Collection[int], answers: Collection[Permission] = ALLOWED
    ) -> tuple[tuple[int, ...], ...]:
        """Which members communicate inside a place by flows with one of the answers: the connected components of some
        of them, the first first.
        """
        import networkx as nx  # noqa: PLC0415

        inside = self.between((place,), answers).subgraph([(member, place) for member in among])
        parts = (sorted(member for member, _ in part) for part in nx.weakly_connected_components(inside))
        return tuple(sorted(map(tuple, parts)))

    def named(self, ends: Mapping[End, str]) -> nx.MultiDiGraph[str]:
        """The graph between ends, the cluster's DNS among them, under their names and in their order; an edge is a flow
        by its index (``key``).
        """
        import networkx as nx  # noqa: PLC0415

        places = dict.fromkeys(end[1] for end in ends if end != DNS)
        whole: nx.MultiDiGraph[End] = nx.MultiDiGraph(self.between(places, EVERY))
        whole.add_node(DNS)
        for index, flow in enumerate(self._flows):
            if flow.target is None:
                for place in places:
                    whole.add_edge((flow.source, place), DNS, key=index, answer=self._answer(flow, place, place))
        found: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        found.add_nodes_from(ends.values())
        found.add_edges_from(nx.relabel_nodes(whole.subgraph(ends), dict(ends)).edges(keys=True, data=True))
        return found
