"""The reachability graph of a group: which flows are permitted between which places.

Verdicts are asked for one by one and remembered; ``flow_graph`` makes a graph of them, which tells what is cut and who
still communicates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from typing import Literal

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.known import Known, Undetermined
from trainlint.model.namespace import Namespaces
from trainlint.model.policy import Direction, Permission, PolicyEntry, Verdict
from trainlint.model.pool import Pool
from trainlint.model.settings import ZONE, Settings
from trainlint.model.workload import Flow, Group, PortRange
from trainlint.policy import Endpoint, PolicySet
from trainlint.policy.endpoints import endpoint
from trainlint.reachability.flow_graph import FlowGraph

__all__ = [
    "ANYWHERE",
    "NO_DOMAIN",
    "REGION",
    "Crossing",
    "Place",
    "Reachability",
    "places",
    "reads_places",
    "unknown_of",
]

REGION = "topology.kubernetes.io/region"
EVERY_PORT = PortRange(1, 65535)
NO_DOMAIN = "(no zone)"
"""The name of the domain of nodes that lack the topology key."""


@fact
class Place:
    """A domain by name, with the zone and region that its nodes carry as labels."""

    name: str
    zone: Known[str] | None
    region: Known[str] | None = None


ANYWHERE = Place("", Undetermined(Because(ValueGround.NO_INVENTORY)), Undetermined(Because(ValueGround.NO_INVENTORY)))
"""The place of pods where no inventory says which places there are."""


@fact
class Crossing:
    """A flow between two places, with the verdict for pods of one node and of two (equal unless a node is an end)."""

    flow: Flow
    source: Place
    target: Place
    same_node: Verdict
    other_node: Verdict

    @property
    def permission(self) -> Permission:
        """Allowed or denied if both verdicts agree; else it depends on the nodes, which is not known."""
        if self.same_node.answer is self.other_node.answer:
            return self.same_node.answer
        return Permission.UNKNOWN

    @property
    def may_be_denied(self) -> bool:
        """Whether some choice of nodes inside the two places denies it."""
        return Permission.DENY in {self.same_node.answer, self.other_node.answer}


def places(pools: Iterable[Pool], key: str) -> tuple[Place, ...]:
    """The domains of the pools by the topology key, each with the labels that its nodes share."""
    found: dict[str, list[Pool]] = {}
    for pool in pools:
        value = pool.label(key)
        if not isinstance(value, Undetermined):
            found.setdefault(value if value is not None else NO_DOMAIN, []).append(pool)
    return tuple(
        Place(name, _shared(members, ZONE), _shared(members, REGION)) for name, members in sorted(found.items())
    )


def reads_places(entries: Iterable[PolicyEntry]) -> bool:
    """Whether some policy entry reads the zone or region of a pod or node."""
    return any(
        name in requirement.key
        for entry in entries
        for selector in (entry.subject, entry.requires, *(peer.selector for peer in entry.peers or ()))
        for requirement in (selector.requirements if selector else ())
        for name in (ZONE, REGION)
    )


def _shared(pools: Sequence[Pool], key: str) -> Known[str] | None:
    values = {pool.label(key) for pool in pools}
    return values.pop() if len(values) == 1 else Undetermined(Because(ValueGround.MIXED_DOMAIN, (key,)))


class Reachability:
    """Which flows of a group are permitted, for every pair of places; asked lazily, remembered.

    ``zonal`` says that some policy reads the labels of places; without one, what holds in one place holds in all.
    """

    def __init__(
        self,
        group: Group,
        everywhere: Sequence[Place],
        policies: PolicySet,
        settings: Settings,
        namespaces: Namespaces,
        *,
        zonal: bool = True,
    ) -> None:
        self.group = group
        self.places = tuple(everywhere) or (ANYWHERE,)
        self._policies = policies
        self._settings = settings
        self._namespaces = namespaces
        self._endpoints: dict[tuple[int, Place, str], Endpoint] = {}
        self._verdicts: dict[tuple[Endpoint, Endpoint, Flow], Verdict] = {}
        self._zonal = zonal
        self._alike: dict[int, tuple[Flow, Verdict, Verdict]] = {}
        self._crossings: dict[tuple[int, str, str], Crossing] = {}

    def crossing(self, flow: Flow, source: Place, target: Place) -> Crossing:
        """The verdicts on a flow between two places."""
        key = (id(flow), source.name, target.name)
        found = self._crossings.get(key)
        if found is None or found.flow is not flow:
            other, same = self._both(flow, source, target)
            found = self._crossings[key] = Crossing(flow, source, target, same, other)
        return found

    def _both(self, flow: Flow, source: Place, target: Place) -> tuple[Verdict, Verdict]:
        """The verdicts for two nodes and for one node."""
        if not self._zonal:
            other, same = self._anywhere(flow)
            return other, same if source == target else other
        other = self._verdict(flow, source, target, "other")
        if source == target and self._on_host(flow):
            return other, self._verdict(flow, source, target, "same")
        return other, other

    def _anywhere(self, flow: Flow) -> tuple[Verdict, Verdict]:
        """The verdicts where they are the same in all places."""
        if id(flow) not in self._alike:
            place = self.places[0]
            other = self._verdict(flow, place, place, "other")
            same = self._verdict(flow, place, place, "same") if self._on_host(flow) else other
            self._alike[id(flow)] = (flow, other, same)
        return self._alike[id(flow)][1:]

    def _on_host(self, flow: Flow) -> bool:
        """Whether an end of the flow is a node's own identity, so that it matters which node."""
        ends = [flow.source] if flow.target is None else [flow.source, flow.target]
        return any(self.group.members[end].spec.host_network for end in ends)

    def _verdict(self, flow: Flow, source: Place, target: Place, node: Literal["same", "other"]) -> Verdict:
        start = self._endpoint(flow.source, source, node)
        end = self._dns if flow.target is None else self._endpoint(flow.target, target, node)
        key = (start, end, flow)
        if key not in self._verdicts:
            self._verdicts[key] = self._policies.verdict(start, end, flow.protocol, flow.ports)
        return self._verdicts[key]

    def _endpoint(self, member: int, place: Place, node: Literal["same", "other"]) -> Endpoint:
        key = (member, place, node)
        if key not in self._endpoints:
            self._endpoints[key] = endpoint(
                self.group.members[member],
                self._settings,
                self._namespaces,
                zone=place.zone,
                region=place.region,
                node=node,
            )
        return self._endpoints[key]

    @cached_property
    def _dns(self) -> Endpoint:
        return self._policies.dns.main

    def crossings(self, flow: Flow) -> Iterator[Crossing]:
        """The flow between every pair of places."""
        targets = self.places if flow.target is not None else self.places[:1]
        return (self.crossing(flow, source, target) for source in self.places for target in targets)

    def is_denied(self, flow: Flow) -> bool:
        """Whether it is denied for every pair of places; where no policy reads places, one inside a place tells."""
        found = self.crossings(flow)
        return all(each.permission is Permission.DENY for each in (found if self._zonal else islice(found, 1)))

    @property
    def pairs(self) -> int:
        """The number of pairs of places that are looked at for one flow."""
        return len(self.places) ** 2 if self._zonal else 1

    @cached_property
    def denied(self) -> tuple[tuple[Flow, Verdict], ...]:
        """The flows that are denied wherever the pods land, each with one of the verdicts."""
        return tuple((flow, next(self.crossings(flow)).other_node) for flow in self.group.flows if self.is_denied(flow))

    @cached_property
    def selecting(self) -> tuple[PolicyEntry, ...]:
        """The policy entries that select, or may select, an end of a flow somewhere, in the order of the policies."""
        found: set[int] = set()
        for end, direction in self._ends():
            found.update(id(each.entry) for each, _ in self._policies.selection(end, direction).entries)
        return tuple(entry for entry in self._policies.entries if id(entry) in found)

    def _ends(self) -> Iterator[tuple[Endpoint, Direction]]:
        """Every end of every flow, in every place and on every kind of node, with the direction of its part in it."""
        everywhere = self.places if self._zonal else self.places[:1]
        nodes: tuple[Literal["other", "same"], ...] = ("other", "same")
        for flow, place, node in product(self.group.flows, everywhere, nodes):
            if node == "other" or self._on_host(flow):
                yield self._endpoint(flow.source, place, node), Direction.EGRESS
                target = self._dns if flow.target is None else self._endpoint(flow.target, place, node)
                yield target, Direction.INGRESS

    def under(self, policies: PolicySet) -> Reachability:
        """The same group in the same places under other policies."""
        other = Reachability(self.group, self.places, policies, self._settings, self._namespaces, zonal=self._zonal)
        other._endpoints = self._endpoints
        return other

    def always_permitted(self, flow: Flow) -> bool:
        """Whether the flow is surely permitted from every place to every other, without looking at each pair."""
        if self._zonal:
            return False
        return all(verdict.answer is Permission.ALLOW for verdict in self._anywhere(flow))

    def ends(self, flow: Flow, source: str = "", target: str = "") -> tuple[Endpoint, Endpoint]:
        """What policies see of the two ends of a flow on two nodes, in the places of these names or in the first."""
        named = {each.name: each for each in self.places}
        here, there = (named.get(each, self.places[0]) for each in (source, target))
        end = self._dns if flow.target is None else self._endpoint(flow.target, there, "other")
        return self._endpoint(flow.source, here, "other"), end

    def on_ports(self, flow: Flow, ports: PortRange = EVERY_PORT) -> Verdict:
        """The verdict on the flow's ends for other ports, in the first place."""
        place = self.places[0]
        return self._verdict(replace(flow, ports=ports), place, place, "other")

    @cached_property
    def graph(self) -> FlowGraph:
        """The flows as a graph of (member, place), each with the answer of the policies."""
        known = {place.name: place for place in self.places}

        def answer(flow: Flow, source: str, target: str) -> Permission:
            if source not in known or target not in known:
                return Permission.UNKNOWN
            return self.crossing(flow, known[source], known[target]).permission

        return FlowGraph(len(self.group.members), self.group.flows, answer)

    def cut_inside(self, place: Place, flows: Iterable[int]) -> tuple[Crossing, ...]:
        """The flows among those given (indices) that are not permitted inside one place."""
        asked = [(index, self.crossing(self.group.flows[index], place, place)) for index in flows]
        if all(crossing.permission is Permission.ALLOW for _, crossing in asked):
            return ()  # a graph with all its edges has no cut
        between = [index for index, each in asked if each.flow.target is not None]
        here = place if self._zonal else self.places[0]  # no policy tells places apart: what holds in one holds in all
        cut = set(self.graph.cut(here.name, between))
        return tuple(
            each
            for index, each in asked
            if index in cut or (each.flow.target is None and each.permission is not Permission.ALLOW)
        )


def unknown_of(verdict: Verdict) -> tuple[Because, ...]:
    """What is missing for a verdict."""
    return tuple(each for decision in (verdict.egress, verdict.ingress) for each in decision.uncertain)
