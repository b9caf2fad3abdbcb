"""The permitted flows of a group as a graph: its nodes are (pod set, place), an edge is one flow that is permitted.

This module and ``graphml`` alone know networkx, which is slow to import: a group all of whose flows are permitted
everywhere needs no graph to know that none is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from trainlint.model.workload import Flow

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["FlowGraph"]

End = tuple[int, str]
"""A member of the group by its number, and the name of a place."""


class FlowGraph:
    """What pods in some places may connect to. ``permits`` tells whether a flow is permitted between two places.

    The edges of a pair of places are added when the pair is first asked about.
    """

    def __init__(self, members: int, flows: Sequence[Flow], permits: Callable[[Flow, str, str], bool]) -> None:
        import networkx as nx  # noqa: PLC0415 (slow to import; only groups of which a flow is cut need it)

        self._members = range(members)
        self._flows = flows
        self._permits = permits
        self._pairs: set[tuple[str, str]] = set()
        self._graph: nx.MultiDiGraph[End] = nx.MultiDiGraph()

    def between(self, places: Iterable[str]) -> nx.MultiDiGraph[End]:
        """The part of the graph that lies in these places."""
        asked = tuple(dict.fromkeys(places))
        for pair in ((source, target) for source in asked for target in asked):
            if pair not in self._pairs:
                self._pairs.add(pair)
                self._add(*pair)
        inside = set(asked)
        return self._graph.subgraph([end for end in self._graph if end[1] in inside])

    def _add(self, source: str, target: str) -> None:
        self._graph.add_nodes_from((member, place) for place in (source, target) for member in self._members)
        for index, flow in enumerate(self._flows):
            if flow.target is not None and self._permits(flow, source, target):
                self._graph.add_edge((flow.source, source), (flow.target, target), key=index)

    def cut(self, place: str, flows: Iterable[int]) -> tuple[int, ...]:
        """The flows between members among those given (by index) that have no edge inside a place."""
        held = {key for _, _, key in self.between((place,)).edges(keys=True)}
        return tuple(index for index in flows if index not in held)

    def viable(self, places: Iterable[str], flows: Collection[int]) -> tuple[str, ...]:
        """The places inside which every one of the flows has an edge."""
        return tuple(place for place in places if not self.cut(place, flows))

    def parts(self, place: str, among: Collection[int]) -> tuple[tuple[int, ...], ...]:
        """Which members still communicate inside a place: the connected components of some of them, the first first."""
        import networkx as nx  # noqa: PLC0415

        inside = self.between((place,)).subgraph([(member, place) for member in among])
        parts = (sorted(member for member, _ in part) for part in nx.weakly_connected_components(inside))
        return tuple(sorted(map(tuple, parts)))
