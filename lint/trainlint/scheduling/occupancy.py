"""Nodes with pods on them, and every filter that depends on those pods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.namespace import Namespaces
from trainlint.scheduling import inter_pod_affinity, pod_topology_spread
from trainlint.scheduling.counter import Counter, Kinds
from trainlint.scheduling.node import OWN, Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.pod_topology_spread import HardSpread
from trainlint.scheduling.refusal import Code, Doubt, DoubtGround

__all__ = ["Occupancy", "domain_of"]


def domain_of(nodes: Sequence[Node], index: int, key: str) -> str | None:
    """The domain of a node among others; ``None`` where it has none, or it is not known."""
    value = nodes[index].domain(key)
    if value == OWN:
        return f"{OWN}{index}"
    return None if isinstance(value, Undetermined) else value


@fact(eq=False, slots=False)
class Occupancy:
    """Which pods sit on which nodes: ``counts[kind]`` maps the index of a node to the number of pods of that kind."""

    nodes: Sequence[Node]
    kinds: Sequence[Pod] = ()
    counts: Sequence[Mapping[int, int]] = ()
    namespaces: Namespaces = field(default_factory=dict)

    def on(self, node: int) -> list[tuple[Pod, int]]:
        """The pods on one node, with their numbers."""
        return [(kind, here) for kind, count in zip(self.kinds, self.counts, strict=True) if (here := count.get(node))]

    @cached_property
    def used(self) -> tuple[Mapping[str, int], ...]:
        """What is requested on each node, in the units of Requests; undetermined amounts count as nothing."""
        sums: tuple[dict[str, int], ...] = tuple(defaultdict(int) for _ in self.nodes)
        for kind, count in zip(self.kinds, self.counts, strict=True):
            for node, number in count.items():
                for resource, amount in kind.requests.amounts.items():
                    if isinstance(amount, int):
                        sums[node][resource] += amount * number
        return sums

    @cached_property
    def pods(self) -> tuple[int, ...]:
        """The number of pods on each node."""
        return tuple(sum(count.get(node, 0) for count in self.counts) for node in range(len(self.nodes)))

    def domains(self, counter: Counter) -> dict[str, int]:
        """The counter's value in every domain that takes part."""
        values: dict[str, int] = {}
        for index in range(len(self.nodes)) if counter.nodes is None else counter.nodes:
            domain = domain_of(self.nodes, index, counter.key)
            if domain is not None:
                here = sum(self.counts[kind].get(index, 0) for kind in counter.kinds)
                values[domain] = values.get(domain, 0) + here
        return values

    def inter_pod_affinity(self, pod: Pod) -> list[Code | Doubt | None] | None:
        """The verdict of InterPodAffinity for one more pod, on each node; ``None`` if there is nothing to check."""
        asked = inter_pod_affinity.rules(pod, self.kinds, self.namespaces)
        if asked.idle:
            return None
        tables = {
            counter: self.domains(counter) for counter in (*asked.affinity, *asked.anti_affinity, *asked.symmetry)
        }
        if not (asked.own or asked.doubtful or any(any(tables[counter].values()) for counter in asked.symmetry)):
            return None
        anywhere = {counter: sum(table.values()) for counter, table in tables.items()}
        answers: list[Code | Doubt | None] = [
            inter_pod_affinity.verdict(asked, partial(self._here, tables, node), anywhere.__getitem__)
            for node in range(len(self.nodes))
        ]
        doubt = asked.doubt or self._doubt(asked.doubtful)
        if doubt:
            unknown = Doubt(inter_pod_affinity.PLUGIN, doubt, pod.spec.at)
            return [answer if answer is Code.UNSCHEDULABLE else unknown for answer in answers]
        return answers

    def pod_topology_spread(self, pod: Pod) -> list[Code | Doubt | None] | None:
        """The verdict of PodTopologySpread for one more pod, on each node; ``None`` if there is nothing to check."""
        asked = pod_topology_spread.rules(pod, self.kinds, self.nodes)
        if asked.idle:
            return None
        doubt = asked.doubt or self._doubt(asked.doubtful)
        if doubt:
            return [Doubt(pod_topology_spread.PLUGIN, doubt, pod.spec.at)] * len(self.nodes)
        tables = {constraint.counter: self.domains(constraint.counter) for constraint in asked.constraints}

        def lowest(constraint: HardSpread) -> int:
            counts = tables[constraint.counter].values()
            return min(counts) if len(counts) >= constraint.min_domains and counts else 0

        return [
            pod_topology_spread.verdict(asked, partial(self._here, tables, node), lowest)
            for node in range(len(self.nodes))
        ]

    def _doubt(self, kinds: Kinds) -> Because | None:
        placed = any(any(self.counts[kind].values()) for kind in kinds)
        return Because(DoubtGround.PLACED_SELECTED) if placed else None

    def _here(self, tables: Mapping[Counter, Mapping[str, int]], node: int, counter: Counter) -> int | None:
        domain = domain_of(self.nodes, node, counter.key)
        return None if domain is None else tables[counter].get(domain, 0)
