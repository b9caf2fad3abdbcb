"""Which flavors Kueue gives to a workload, cycle by cycle (kubernetes-sigs/kueue:pkg/scheduler/flavorassigner)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from trainlint.fact import fact
from trainlint.model.kueue import PROVISIONING, ClusterQueue, Queues, ResourceGroup
from trainlint.scheduling.kueue.capacity import level, most
from trainlint.scheduling.kueue.domains import Forest, Path, Requests
from trainlint.scheduling.kueue.match import KueueCode, mismatch
from trainlint.scheduling.kueue.pod_set_groups import fnv, groups_of, is_explicit, leader_and_workers
from trainlint.scheduling.kueue.requested import MOST, Team
from trainlint.scheduling.kueue.state import multikueue_check
from trainlint.scheduling.kueue.topology import place

__all__ = ["Assigner", "Choice", "Combination", "FlavorAssignment", "Memory"]

Memory = Mapping[tuple[str, str], int]
"""The index of the last flavor that was looked at, by pod set and resource; -1 if it was the last of its group."""
Choice = Mapping[str, str]
"""The flavor of each resource of a pod set."""
Combination = Mapping[str, Choice]
"""The flavors of every pod set."""


@fact
class FlavorAssignment:
    """What one cycle came to: ``codes`` say why it failed; ``memory`` is what the next cycle starts from."""

    flavors: Combination
    codes: frozenset[KueueCode]
    memory: Memory
    delayed: bool = False
    again: bool = False

    @property
    def fits(self) -> bool:
        """Whether the workload reserves quota."""
        return not self.codes


@dataclass
class _Scan:
    """What a cycle has found so far."""

    used: dict[tuple[str, str], int] = field(default_factory=dict)
    flavors: dict[str, dict[str, str]] = field(default_factory=dict)
    memory: dict[tuple[str, str], int] = field(default_factory=dict)


class Assigner:
    """One ClusterQueue, alone on an empty cluster. Without ``forests`` the nodes are unknown: topologies have room."""

    def __init__(self, queue: ClusterQueue, queues: Queues, forests: Mapping[str, Forest] | None) -> None:
        self.queue = queue
        self._queues = queues
        self._forests = forests
        self._capacity: dict[tuple[str, str], int] = {}

    @cached_property
    def implied(self) -> bool:
        """Whether every flavor has a topology, so that all pods are placed by one."""
        names = [name for group in self.queue.groups for name in group.flavors]
        return all(self._queues.flavors[name].topology for name in names if name in self._queues.flavors)

    def capacity(self, flavor: str, resource: str) -> int:
        """The most that the queue can get, in the units of Requests; 0 where that is unknown."""
        key = (flavor, resource)
        if key not in self._capacity:
            self._capacity[key] = most(self.queue, flavor, resource, self._queues, alone=True) or 0
        return self._capacity[key]

    @cached_property
    def is_known(self) -> bool:
        """Whether every amount that the queue can get is known."""
        return all(
            most(self.queue, name, resource, self._queues, alone=True) is not None
            for group in self.queue.groups
            for name in group.flavors
            for resource in group.covered
        )

    def cycle(self, teams: Sequence[Team], memory: Memory) -> FlavorAssignment:
        """What one cycle of the scheduler makes of a workload, with what it remembers of the cycle before."""
        scan = _Scan()
        for group in groups_of(teams):
            codes = self._assign(group, memory, scan)
            if codes:
                return FlavorAssignment(scan.flavors, codes, scan.memory)
        return self._placed(teams, scan.flavors, scan.memory)

    def possible(self, teams: Sequence[Team], limit: int) -> tuple[Combination, ...] | None:
        """Every combination of one flavor for each group of pod sets and resource group that holds all pods; ``None``
        where there are more than ``limit`` to try.
        """
        groups = groups_of(teams)
        wanted = [(group, each) for group in groups for each in self._asked(group)]
        if any(each is None for _, each in wanted):
            return ()
        parts = [(group, each) for group, each in wanted if each is not None]
        choices = [list(each.flavors) for _, each in parts]
        total = 1
        for each in choices:
            total *= len(each)
        if total > limit:
            return None
        return tuple(self._fitting(teams, parts, choices))

    def _fitting(
        self,
        teams: Sequence[Team],
        parts: Sequence[tuple[Sequence[Team], ResourceGroup]],
        choices: Sequence[Sequence[str]],
    ) -> Iterator[Combination]:
        for names in product(*choices):
            used: dict[tuple[str, str], int] = {}
            flavors: dict[str, dict[str, str]] = {team.name: {} for team in teams}
            fits = True
            for (group, covered), name in zip(parts, names, strict=True):
                fits = fits and all(self._mismatch(team, name, covered) is None for team in group)
                for resource, amount in self.requested(group).items():
                    if resource in covered.covered:
                        used[name, resource] = used.get((name, resource), 0) + amount
                for team in group:
                    flavors[team.name] |= self._own(team, covered, dict.fromkeys(covered.covered, name))
            fits = fits and all(amount <= self.capacity(*key) for key, amount in used.items())
            if fits and self._placed(teams, flavors, {}).codes <= {KueueCode.NO_LONGER_FITS}:
                yield flavors

    def _asked(self, group: Sequence[Team]) -> Iterator[ResourceGroup | None]:
        """The resource groups that pod sets ask of; ``None`` for a resource that none covers."""
        found: list[ResourceGroup] = []
        for resource, amount in self.requested(group).items():
            covering = self._covering(resource)
            if covering is None:
                if amount:
                    yield None
            elif all(each is not covering for each in found):
                found.append(covering)
                yield covering

    def _assign(self, group: Sequence[Team], memory: Memory, scan: _Scan) -> frozenset[KueueCode]:
        """Flavors for pod sets that get the same; the codes say why there are none."""
        requests = self.requested(group)
        given: dict[str, str] = {}
        tried: dict[str, int] = {}
        for resource in sorted(requests, key=fnv):
            covering = self._covering(resource)
            if resource in given or (covering is None and requests[resource] == 0):
                continue
            if covering is None:
                return frozenset({KueueCode.UNCOVERED})
            start = memory.get((group[0].name, resource), -1) + 1
            own = {name: amount for name, amount in requests.items() if name in covering.covered}
            name, last, codes = self._scan(group, covering, own, start, scan)
            if name is None:
                return codes
            given |= dict.fromkeys(own, name)
            tried |= dict.fromkeys(own, last)
        for team in group:
            flavors = {name: flavor for name, flavor in given.items() if name in self._team_requests(team)}
            if not self._team_requests(team) and team.topology is not None and team.topology.group is not None:
                flavors = {name: each for name, each in given.items() if self._queues.flavors[each].topology}
            scan.flavors[team.name] = flavors
            for name, flavor in flavors.items():
                amount = self._team_requests(team).get(name, 0)
                scan.used[flavor, name] = min(MOST, scan.used.get((flavor, name), 0) + amount)
                scan.memory[team.name, name] = tried[name]
        return frozenset()

    def _scan(
        self, group: Sequence[Team], covering: ResourceGroup, requests: Requests, start: int, scan: _Scan
    ) -> tuple[str | None, int, frozenset[KueueCode]]:
        """The flavor that is chosen, the index of the last that was looked at, and why others were not."""
        names = list(covering.flavors)
        best: tuple[int, str] | None = None
        codes: set[KueueCode] = set()
        index = start - 1
        for index in range(start, len(names)):
            name = names[index]
            refused = next((code for team in group if (code := self._mismatch(team, name, covering))), None)
            if refused is not None:
                codes.add(refused)
                if refused is KueueCode.AFFINITY_INVALID:
                    return None, index, frozenset(codes)
                continue
            borrowed = self._borrowed(name, requests, scan)
            if borrowed is None:
                codes.add(KueueCode.QUOTA)
                continue
            if best is None or borrowed < best[0]:
                best = (borrowed, name)
            if borrowed == 0 or not self.queue.borrows_last:
                break
        last = -1 if index == len(names) - 1 else index
        return (None if best is None else best[1]), last, frozenset(codes)

    def _borrowed(self, flavor: str, requests: Requests, scan: _Scan) -> int | None:
        """How high the queue must borrow for requests; ``None`` where the flavor has too little."""
        found = 0
        for resource, amount in requests.items():
            need = scan.used.get((flavor, resource), 0) + amount
            if need > self.capacity(flavor, resource):
                return None
            found = max(found, level(self.queue, flavor, resource, need, self._queues))
        return found

    def _placed(self, teams: Sequence[Team], flavors: Combination, memory: Memory) -> FlavorAssignment:
        """The assignment, if the topologies of its flavors hold the pods."""
        by_flavor: dict[str, list[Team]] = {}
        delayed = False
        for team in teams:
            if not self._by_topology(team) or team.count == 0:
                continue
            tas = {name for name in flavors.get(team.name, {}).values() if self._queues.flavors[name].topology}
            if not self.queue.groups and team.requests:  # all of them 0: nothing is asked of any flavor
                continue
            if len(tas) != 1:
                code = KueueCode.SEVERAL_TAS_FLAVORS if tas else KueueCode.NO_TAS_FLAVOR
                return FlavorAssignment(flavors, frozenset({code}), memory)
            (name,) = tas
            if self._is_delayed(name):
                delayed = True
            else:
                by_flavor.setdefault(name, []).append(team)
        if self._forests is not None and not self._have_room(by_flavor, self._forests):
            return FlavorAssignment(flavors, frozenset({KueueCode.TOPOLOGY}), memory)
        if any(not team.requests for placed in by_flavor.values() for team in placed):
            return FlavorAssignment(flavors, frozenset({KueueCode.NO_LONGER_FITS}), memory, again=True)
        return FlavorAssignment(flavors, frozenset(), memory, delayed)

    def _have_room(self, by_flavor: Mapping[str, Sequence[Team]], forests: Mapping[str, Forest]) -> bool:
        """Whether each flavor's topology holds its pod sets, placed one after the other."""
        by_host: dict[Path, dict[str, int]] = {}
        for name, teams in sorted(by_flavor.items()):
            forest = forests[name]
            used = by_host if forest.by_host else {}
            for group in groups_of(teams):
                leader, workers = leader_and_workers(group)
                found = place(forest, workers, leader, used, implied=not is_explicit(workers))
                if found is None:
                    return False
                for team, places in ((workers, found[0]), (leader or workers, found[1])):
                    for path, pods in places.items():
                        taken = used.setdefault(forest.id_of(forest.leaves[path]), {})
                        for resource, amount in {**team.requests, "pods": 1}.items():
                            taken[resource] = taken.get(resource, 0) + amount * pods
        return True

    def _is_delayed(self, flavor: str) -> bool:
        """Whether nodes are looked at only after a check was passed."""
        if multikueue_check(self.queue, self._queues) is not None:
            return True
        for name in self.queue.checks:
            check = self._queues.checks.get(name)
            named = self.queue.on_flavors.get(name)
            if check is not None and check.controller == PROVISIONING and (named is None or flavor in named):
                return True
        return False

    def _by_topology(self, team: Team) -> bool:
        return is_explicit(team) or self.implied

    def _mismatch(self, team: Team, name: str, covering: ResourceGroup) -> KueueCode | None:
        flavor = self._queues.flavors[name]
        levels = self._queues.topologies.get(flavor.topology, ())
        return mismatch(team, flavor, covering.covered, levels, implied=self.implied)

    def _covering(self, resource: str) -> ResourceGroup | None:
        return next((each for each in self.queue.groups if resource in each.covered), None)

    def requested(self, group: Sequence[Team]) -> dict[str, int]:
        """What all pods of some pod sets request together; their number too, where a group covers it."""
        found: dict[str, int] = {}
        for team in group:
            for name, amount in self._team_requests(team).items():
                found[name] = min(MOST, found.get(name, 0) + amount)
        return found

    def _team_requests(self, team: Team) -> dict[str, int]:
        found = {name: min(MOST, amount * team.count) for name, amount in team.requests.items()}
        if self._covering("pods") is not None:
            found["pods"] = team.count
        return found

    def _own(self, team: Team, covering: ResourceGroup, given: Choice) -> dict[str, str]:
        own = {name: given[name] for name in self._team_requests(team) if name in covering.covered}
        if not self._team_requests(team) and team.topology is not None and team.topology.group is not None:
            own = {name: each for name, each in given.items() if self._queues.flavors[each].topology}
        return own
