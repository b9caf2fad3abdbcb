"""The answers for a small group whose constraints count pods or look at single nodes: every placement, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.namespace import Namespaces
from trainlint.model.policy import Permission
from trainlint.model.storage import Storage
from trainlint.model.workload import Group
from trainlint.proof.assignments import example_assignments
from trainlint.proof.cause import Assignment, CutCause, CutPair, SplitCause, StrandedCause, Where
from trainlint.proof.deciding_places import denying_verdict, open_questions, shared_node
from trainlint.proof.for_all import ForAll
from trainlint.proof.ground import NoteGround, ProofGround
from trainlint.proof.node_sharing import may_be_denied, permission
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.proof.zone_reason import NoOrder, ZoneReason
from trainlint.proof.zones import Zone
from trainlint.reachability import NO_DOMAIN, Reachability
from trainlint.scheduling.exploration import Example, Exploration, explore
from trainlint.scheduling.group_model import Cell, Role
from trainlint.scheduling.packing import UNLIMITED

__all__ = ["Enumeration", "enumerate_placements"]

PODS = 12
STATES = 5_000
"""Larger groups are not explored: their answer stays unknown."""

STEPS = 500_000
"""States times nodes: on more than a hundred kinds of nodes, fewer states are explored."""

SIZES = 16
"""Combinations of pool sizes that are looked at."""

Run = Callable[[Sequence[Role], Sequence[int], int], Exploration | None]


@fact
class Enumeration:
    """What came out for a problem: the exploration at the largest size of the pools.

    ``smaller`` are the explorations at other sizes of the pools, where these can change what a constraint counts;
    ``None`` where there are too many.
    """

    problem: PlacementProblem
    found: Exploration
    smaller: tuple[Exploration, ...] | None = ()

    def zones(self, zones: tuple[Zone, ...]) -> tuple[Zone, ...]:
        """The zones' answers as the exploration knows them; reasons that were found before stay."""
        return tuple(self._zone(zone) for zone in zones)

    def _zone(self, zone: Zone) -> Zone:
        alone = frozenset({None if zone.name == NO_DOMAIN else zone.name})
        if alone in self.found.zones:
            return replace(
                zone,
                answer=zone.flows,
                structural=zone.own_flows,
                reasons=tuple(each for each in zone.reasons if each.flow is not None),
                witness=self._witness(alone) if zone.own_flows is Answer.PROVED else {},
                assignments=self._assignments(alone),
                missing=() if zone.flows is not Answer.UNKNOWN else zone.missing,
            )
        reasons = zone.reasons or (self._reason(zone.name),)
        refuted = Answer.REFUTED
        return replace(
            zone, answer=refuted, structural=refuted, reasons=reasons, witness={}, assignments=(), missing=()
        )

    def _reason(self, zone: str) -> ZoneReason:
        """Why a zone does not do in which every role fits alone: what its constraints count."""
        specs = [(index, self.problem.pods[index].spec) for index in range(self.problem.own)]
        bound = [index for index, spec in specs if spec.spread or spec.pod_affinity or spec.pod_anti_affinity]
        pod_set = self.problem.pod_sets[bound[0] if bound else 0]
        names = tuple(self.problem.pod_sets[index].name for index in bound) or (pod_set.name,)
        return ZoneReason(pod_set, NoOrder(names, zone), pod_set.spec.at or pod_set.at)

    def _witness(self, zones: frozenset[str | None]) -> Where:
        example = self.found.examples.get(zones)
        return self.where(example) if example is not None else {}

    def _assignments(self, zones: frozenset[str | None]) -> tuple[Assignment, ...]:
        example = self.found.examples.get(zones)
        return example_assignments(self.problem, example) if example is not None else ()

    def where(self, example: Example) -> Where:
        """An example as pod set, zone and number of pods."""
        placed: dict[str, dict[str, int]] = {}
        for assignment in example_assignments(self.problem, example):
            by_zone = placed.setdefault(assignment.pod_set, {})
            by_zone[assignment.zone] = by_zone.get(assignment.zone, 0) + assignment.pods
        return placed

    def everywhere(self, group: Group, reach: Reachability, good: tuple[str, ...]) -> ForAll:
        """The for-all answer."""
        missing: list[Because] = []
        if self.smaller is None:
            missing.append(Because(ProofGround.OTHER_SIZES, (self.problem.beyond[0],)))
        cut = self._cut(group, reach, missing)
        split = self._split(missing) if group.collective and not group.cross_zone_allowed else None
        stranded, notes = self._dead_end(good)
        bad = cut or split or stranded or notes
        answer = Answer.REFUTED if bad else Answer.UNKNOWN if missing else Answer.PROVED
        return ForAll(answer, cut, split if cut is None else None, stranded, notes, tuple(missing))

    def _split(self, missing: list[Because]) -> SplitCause | None:
        """A placement over several zones; nodes without the topology key may be in any of them (decision 3)."""
        wide = [
            (zones, each)
            for each in (self.found, *(self.smaller or ()))
            for zones in sorted(each.zones, key=lambda zones: (len(zones), sorted(zone or "" for zone in zones)))
            if len(zones) > 1
        ]
        for zones, each in wide:
            if len(zones - {None}) > 1:
                example = each.examples.get(zones)
                names = tuple(sorted(zone or NO_DOMAIN for zone in zones))
                if example is None:
                    return SplitCause({}, names)
                return SplitCause(self.where(example), names, example_assignments(self.problem, example))
        if wide:
            missing.append(Because(ProofGround.NO_LABEL, (self.problem.key,)))
        return None

    def _dead_end(self, good: tuple[str, ...]) -> tuple[StrandedCause | None, tuple[Because, ...]]:
        example = self.found.stranded_example
        if example is not None:
            waiting = tuple(each for each in self.problem.pod_sets if each.name in example.waiting)
            first = waiting[0]
            assignments = example_assignments(self.problem, example)
            return StrandedCause(self.where(example), waiting, first.spec.at or first.at, good, assignments), ()
        return None, (Because(NoteGround.UNLUCKY_ORDER),) if self.found.dead_end else ()

    def _cut(self, group: Group, reach: Reachability, missing: list[Because]) -> CutCause | None:
        denied = {id(flow) for flow, _ in reach.denied}
        roles = {id(pod_set): index for index, pod_set in enumerate(self.problem.pod_sets)}
        pairs: list[CutPair] = []
        shown: Example | None = None
        for flow in group.flows:
            if id(flow) in denied or flow.target is None or reach.always_permitted(flow):
                continue
            source, target = roles.get(id(group.members[flow.source])), roles.get(id(group.members[flow.target]))
            if source is None or target is None:
                continue
            for crossing in reach.crossings(flow):
                ends = ((source, crossing.source.name), (target, crossing.target.name))
                if permission(group, self.problem, crossing) is Permission.ALLOW:
                    continue
                example = self._together(*ends)
                if example is None:
                    continue
                if may_be_denied(group, self.problem, crossing):
                    shown = shown or example
                    pairs.append(
                        CutPair(
                            flow,
                            crossing.source.name,
                            crossing.target.name,
                            shared_node(crossing),
                            denying_verdict(crossing),
                        )
                    )
                else:
                    missing.extend(open_questions(crossing, whole=False))
        if shown is None:
            return None
        return CutCause(tuple(pairs), self.where(shown), example_assignments(self.problem, shown))

    def _together(self, one: tuple[int, str], other: tuple[int, str]) -> Example | None:
        """A placement with a pod of each role in these zones, if there is one."""
        (first, here), (second, there) = sorted((one, other))
        zones = (None if here == NO_DOMAIN else here, None if there == NO_DOMAIN else there)
        for each in (self.found, *(self.smaller or ())):
            for ends in (zones, zones[::-1]) if first == second else (zones,):
                if ends in each.pairs.get((first, second), frozenset()):
                    return each.pair_examples[(first, second), ends]
        return None


def enumerate_placements(
    problem: PlacementProblem, namespaces: Namespaces, storage: Storage | None = None
) -> Enumeration | None:
    """Every placement of the problem; ``None`` where there are too many, or a filter cannot be decided."""
    total = sum(problem.roles[index].count for index in range(problem.own))
    if total > PODS or problem.own != len(problem.roles) or problem.unknown or problem.ties.members:
        return None
    if any(pod.spec.resource_claims for pod in problem.pods):
        return None  # which devices are left on a node is not explored
    roles = [
        Role(problem.pod_sets[index].name, problem.pods[index], problem.roles[index].count)
        for index in range(problem.own)
    ]
    largest = [min(UNLIMITED if node.pool.maximum is None else node.pool.maximum, total + 1) for node in problem.nodes]

    def run(roles: Sequence[Role], sizes: Sequence[int], budget: int) -> Exploration | None:
        cells = [Cell(node, size) for node, size in zip(problem.nodes, sizes, strict=True) if size > 0]
        key = problem.key
        found = explore(roles, cells, namespaces=namespaces, storage=storage, topology_key=key, budget=budget)
        return found if isinstance(found, Exploration) else None

    states = min(STATES, STEPS // (1 + len(problem.nodes)))
    found = run(roles, largest, states)
    if found is None:
        return None
    return Enumeration(problem, found, _smaller(problem, roles, largest, run))


def _smaller(
    problem: PlacementProblem, roles: Sequence[Role], largest: Sequence[int], run: Run
) -> tuple[Exploration, ...] | None:
    """The explorations at all other sizes of the pools. Only what is counted over nodes can depend on them: without it,
    a placement at a smaller size is one at the largest too.
    """
    if not problem.beyond:
        return ()
    ranges = [range(min(node.pool.minimum, most), most + 1) for node, most in zip(problem.nodes, largest, strict=True)]
    if prod(map(len, ranges)) > SIZES:
        return None
    found = [run(roles, sizes, STATES // SIZES) for sizes in product(*ranges) if list(sizes) != list(largest)]
    return None if None in found else tuple(each for each in found if each is not None)
