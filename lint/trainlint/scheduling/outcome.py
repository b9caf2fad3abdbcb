"""What is asked about all placements of a group that can be reached."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from math import comb

from trainlint.fact import fact
from trainlint.scheduling.group_model import GroupModel
from trainlint.scheduling.tally import State

__all__ = ["Example", "Exploration", "Outcome", "Zone"]

Zone = str | None


@fact
class Example:
    """A state: pods of each role on each node, and the roles that wait without a feasible node."""

    placed: Mapping[str, Mapping[str, int]]
    waiting: tuple[str, ...] = ()


@fact
class Exploration:
    """What can come out (the fields of the recordings). Zones: ``None`` is a node without the topology key.

    ``zones``: sets of zones that complete placements use. ``stuck``: some pod may have to wait, perhaps only for now.
    ``dead_end``: the group may never start as a whole. ``role_zones``: by role, over all reachable states. ``pairs``:
    zones of two different pods of two roles (by index, the first not after the second) in some complete placement.
    ``examples``: a complete placement for each set of zones. ``stranded_example``: a dead end in which all pods would
    find room without affinity, anti-affinity and spread.
    """

    states: int
    complete: int
    zones: frozenset[frozenset[Zone]]
    stuck: bool
    dead_end: bool
    role_zones: Mapping[int, frozenset[Zone]]
    pairs: Mapping[tuple[int, int], frozenset[tuple[Zone, Zone]]]
    examples: Mapping[frozenset[Zone], Example]
    zone_examples: Mapping[frozenset[Zone], Example]
    pair_examples: Mapping[tuple[tuple[int, int], tuple[Zone, Zone]], Example]
    complete_example: Example | None
    stuck_example: Example | None
    dead_end_example: Example | None
    stranded_example: Example | None = None


class Outcome:
    """Collects what is asked about all reachable states."""

    def __init__(self, model: GroupModel) -> None:
        self.model = model
        self.states = self.complete = 0
        self.zones: dict[frozenset[Zone], State] = {}
        self.role_zones: dict[int, set[Zone]] = {index: set() for index, _ in enumerate(model.roles)}
        self.pairs: dict[tuple[int, int], dict[tuple[Zone, Zone], State]] = {
            (first, second): {}
            for first, second in combinations_with_replacement(range(len(model.roles)), 2)
            if first != second or model.roles[first].replicas > 1
        }
        self.examples: dict[str, Example] = {}
        self.by_zones: dict[frozenset[Zone], Example] = {}
        self.dead_ends: list[State] = []

    def visit(
        self,
        state: State,
        open_roles: Sequence[int],
        successors: Mapping[int, Sequence[object]],
        *,
        again: bool = False,
    ) -> None:
        """Takes one state into account, with what may follow for each role that still has pods to place.

        ``again``: the state was counted already, with other devices.
        """
        weight = 0 if again else self._arrangements(state)
        self.states += weight
        counts: dict[tuple[int, Zone], int] = defaultdict(int)
        for node_class, column in state:
            zone = self.model.classes[node_class].zone
            for role, count in enumerate(column):
                if count:
                    self.role_zones[role].add(zone)
                    counts[role, zone] += count
        if not open_roles:
            self.complete += weight
            self.zones.setdefault(frozenset(zone for _, zone in counts), state)
            self._pair(state, counts)
            zones = frozenset(zone for _, zone in counts)
            if zones not in self.by_zones:
                self.by_zones[zones] = self._example(state, ())
            if "complete" not in self.examples:
                self.examples["complete"] = self._example(state, ())
            return
        waiting = tuple(role for role in open_roles if not successors[role])
        if waiting and "stuck" not in self.examples:
            self.examples["stuck"] = self._example(state, waiting)
        if len(waiting) == len(open_roles):
            self.dead_ends.append(state)
            if "dead_end" not in self.examples:
                self.examples["dead_end"] = self._example(state, waiting)

    def _pair(self, state: State, counts: Mapping[tuple[int, Zone], int]) -> None:
        for ((one, here), number), (other, there) in product(counts.items(), counts):
            if one < other or (one == other and (here != there or number > 1)):
                ends = (here, there) if one != other else _sorted_pair(here, there)
                self.pairs[one, other].setdefault(ends, state)

    def _arrangements(self, state: State) -> int:
        """How many placements on single nodes the state stands for."""
        number = 1
        left = {index: each.size for index, each in enumerate(self.model.classes)}
        for (node_class, _), count in Counter(state).items():
            number *= comb(left[node_class], count)
            left[node_class] -= count
        return number

    def _example(self, state: State, waiting: Sequence[int]) -> Example:
        used: dict[int, Iterator[str]] = {}
        placed: dict[str, dict[str, int]] = {}
        for node_class, column in state:
            node = next(used.setdefault(node_class, self.model.classes[node_class].node_names()))
            for role, count in enumerate(column):
                if count:
                    placed.setdefault(self.model.roles[role].name, {})[node] = count
        return Example(placed, tuple(self.model.roles[role].name for role in waiting))

    def strand(self, state: State, waiting: Sequence[int]) -> None:
        """Takes the state as the dead end into which affinity, anti-affinity or spread led."""
        self.examples["stranded"] = self._example(state, waiting)

    def result(self) -> Exploration:
        """The findings, frozen."""
        return Exploration(
            states=self.states,
            complete=self.complete,
            zones=frozenset(self.zones),
            stuck="stuck" in self.examples,
            dead_end="dead_end" in self.examples,
            role_zones={role: frozenset(zones) for role, zones in self.role_zones.items()},
            pairs={roles: frozenset(pairs) for roles, pairs in self.pairs.items()},
            examples=self.by_zones,
            zone_examples={zones: self._example(state, ()) for zones, state in self.zones.items()},
            pair_examples={
                (roles, ends): self._example(state, ())
                for roles, found in self.pairs.items()
                for ends, state in found.items()
            },
            complete_example=self.examples.get("complete"),
            stuck_example=self.examples.get("stuck"),
            dead_end_example=self.examples.get("dead_end"),
            stranded_example=self.examples.get("stranded"),
        )


def _sorted_pair(one: Zone, other: Zone) -> tuple[Zone, Zone]:
    return (one, other) if (one is not None, one or "") <= (other is not None, other or "") else (other, one)
