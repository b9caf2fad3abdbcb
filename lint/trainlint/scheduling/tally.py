"""The counts of one state of a group, and what affinity and spread make of them."""

from __future__ import annotations

from functools import partial

from trainlint.scheduling import inter_pod_affinity, pod_topology_spread
from trainlint.scheduling.counter import Counter
from trainlint.scheduling.group_model import Column, GroupModel
from trainlint.scheduling.node import OWN
from trainlint.scheduling.pod_topology_spread import HardSpread

__all__ = ["State", "Tally"]

State = tuple[tuple[int, Column], ...]
"""The occupied nodes, sorted: class and column of each."""


class Tally:
    """Counts by domain in one state. Nodes that are a domain by themselves are counted where they are asked about."""

    def __init__(self, model: GroupModel, state: State) -> None:
        self.model = model
        self.state = state
        self.shared = [dict(base) for base in model.base]
        self.placed = tuple(any(column[role] for _, column in state) for role in range(len(model.roles)))
        for node_class, column in state:
            here = model.classes[node_class]
            for index, counts in enumerate(self.shared):
                domain = here.domains[index]
                if domain is not None and domain != OWN and here.counted[index]:
                    counts[domain] += self.model.weight(index, column)
        self._known: dict[tuple[int | str | None, ...], bool] = {}
        self._anywhere: dict[int, int] = {}
        self._lowest: dict[tuple[int, int], int] = {}

    def admits(self, role: int, node_class: int, column: Column) -> bool:
        """Whether affinity, spread and exclusive claims let one more pod of the role onto such a node."""
        model = self.model
        if any(self.placed[other] for other in model.exclusive[role]):
            return False
        relevant = model.of_role[role]
        if not relevant and not model.affinity[role].error and not model.spread[role].error:
            return True
        domains = model.classes[node_class].domains
        key = (
            role,
            *[self._own(index, node_class, column) if domains[index] == OWN else domains[index] for index in relevant],
        )
        known = self._known.get(key)
        if known is None:
            count = partial(self._here, node_class, column)
            known = self._known[key] = (
                inter_pod_affinity.verdict(model.affinity[role], count, self._total) is None
                and pod_topology_spread.verdict(model.spread[role], count, self._minimum) is None
            )
        return known

    def _own(self, counter: int, node_class: int, column: Column) -> int:
        here = self.model.classes[node_class]
        return here.own[counter] + self.model.weight(counter, column) if here.counted[counter] else 0

    def _here(self, node_class: int, column: Column, counter: Counter) -> int | None:
        index = self.model.number[counter]
        domain = self.model.classes[node_class].domains[index]
        if domain is None:
            return None
        return self._own(index, node_class, column) if domain == OWN else self.shared[index].get(domain, 0)

    def _total(self, counter: Counter) -> int:
        index = self.model.number[counter]
        if index not in self._anywhere:
            own = [
                (node_class, each)
                for node_class, each in enumerate(self.model.classes)
                if each.domains[index] == OWN and each.counted[index]
            ]
            alone = {node_class for node_class, _ in own}
            self._anywhere[index] = (
                sum(self.shared[index].values())
                + sum(each.own[index] * each.size for _, each in own)
                + sum(self.model.weight(index, column) for node_class, column in self.state if node_class in alone)
            )
        return self._anywhere[index]

    def _minimum(self, constraint: HardSpread) -> int:
        index = self.model.number[constraint.counter]
        key = (index, constraint.min_domains)
        if key not in self._lowest:
            self._lowest[key] = self._lowest_of(index, constraint.min_domains)
        return self._lowest[key]

    def _lowest_of(self, index: int, min_domains: int) -> int:
        counts = list(self.shared[index].values())
        domains = len(counts)
        for node_class, each in enumerate(self.model.classes):
            if each.domains[index] != OWN or not each.counted[index]:
                continue
            columns = [column for placed, column in self.state if placed == node_class]
            domains += each.size
            counts += [self._own(index, node_class, column) for column in columns]
            if len(columns) < each.size:
                counts.append(each.own[index])
        return min(counts) if counts and domains >= min_domains else 0
