"""Exists and for all, for a group whose pods can all be scheduled somewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.workload import Group
from trainlint.proof.cause import Cause, SpreadCause, Where, ZoneCause
from trainlint.proof.cluster_model import ClusterModel, lent_zones, own_members, problem_of
from trainlint.proof.enumeration import Enumeration, enumerate_placements
from trainlint.proof.for_all import ForAll, judge_every_placement
from trainlint.proof.ground import NoteGround, ProofGround
from trainlint.proof.group import GroupProof
from trainlint.proof.multi_zone import permitted_across
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.proof.zone_reason import ZoneReason
from trainlint.proof.zone_restriction import ZoneRestriction, classes_in
from trainlint.proof.zones import Zone, judge_zones, zones_until_proved
from trainlint.reachability import Reachability
from trainlint.scheduling.packing import UNLIMITED

__all__ = ["Judge", "other_nodes"]


@fact(eq=False)
class Judge:
    """Exists and for all, for a group whose pods can all be scheduled somewhere."""

    group: Group
    reach: Reachability
    model: ClusterModel
    problem: PlacementProblem
    causes: tuple[Cause, ...]
    found: Enumeration | None

    def proof(self, doubts: Sequence[Because], *, halfway: bool) -> GroupProof:
        """The proof; ``doubts`` keep anything from being proved."""
        zones = self._zones(halfway=halfway)
        exists = _any([zone.answer for zone in zones])
        if (doubts and exists is Answer.PROVED) or (not self.model.complete and exists is Answer.REFUTED):
            exists = Answer.UNKNOWN
        if exists is Answer.REFUTED and self.problem.targetless and self._fits_beside_others():
            exists = Answer.UNKNOWN
        viable = tuple(sorted(zone.name for zone in zones if zone.answer is Answer.PROVED))
        if halfway:
            return self._made(exists, Answer.UNKNOWN, viable, zones=zones)
        causes = (*self.causes, *self._no_zone(zones))
        if exists is not Answer.PROVED:
            unknown = [each for zone in zones for each in zone.missing]
            if not self.model.complete:
                unknown.append(other_nodes(self.model.partial))
            missing = [*doubts, *unknown] if exists is Answer.UNKNOWN else doubts
            unproved = tuple(dict.fromkeys(missing))
            return self._made(exists, exists, viable, causes=causes, missing=unproved, zones=zones)
        every = _unless_tied(self.problem, self._everywhere(viable))
        if not self.model.complete and every.answer is Answer.PROVED:
            every = ForAll(Answer.UNKNOWN, missing=(other_nodes(self.model.partial),))
        best = next(zone for zone in zones if zone.answer is Answer.PROVED)
        return self._made(
            exists,
            every.answer,
            viable,
            witness=best.witness,
            counterexample=_counterexample(every),
            zones=zones,
            assignments=best.assignments,
            bad_assignments=next(
                (each.assignments for each in (every.stranded, every.cut, every.split) if each is not None), ()
            ),
            causes=(*causes, *self._roots(every)),
            notes=(*every.notes, *self._today(viable)),
            missing=tuple(dict.fromkeys(every.missing)),
        )

    def _roots(self, every: ForAll) -> Iterator[Cause]:
        """What breaks for all; a spread constraint that drives the pods apart is itself the root (decision 1)."""
        spread = any(isinstance(each, SpreadCause) and each.limits for each in self.causes)
        for each in (every.stranded, every.cut, None if spread else every.split):
            if each is not None:
                yield each

    def _made(self, exists: Answer, for_all: Answer, viable: tuple[str, ...], **rest: Any) -> GroupProof:
        key = self.model.settings.topology_key
        return GroupProof(self.group, exists, for_all, viable, topology_key=key, reach=self.reach, **rest)

    def _zones(self, *, halfway: bool) -> tuple[Zone, ...]:
        own = [self.model.feasible[index] for index in own_members(self.group)]
        judge = zones_until_proved if halfway and self.found is None else judge_zones
        zones = judge(self.group, self.problem, own, self.reach)
        return self.found.zones(zones) if self.found is not None else zones

    def _fits_beside_others(self) -> bool:
        """Whether some zone would do if the pods were there that the group must be near and that Git does not hold."""
        waiting = {id(pod_set) for pod_set in self.problem.targetless}
        roles = tuple(
            replace(role, attractions=()) if id(pod_set) in waiting else role
            for pod_set, role in zip(self.problem.pod_sets, self.problem.roles, strict=True)
        )
        own = [self.model.feasible[index] for index in own_members(self.group)]
        zones = judge_zones(self.group, replace(self.problem, roles=roles), own, self.reach)
        return _any([zone.answer for zone in zones]) is not Answer.REFUTED

    def _no_zone(self, zones: Sequence[Zone]) -> Iterator[ZoneCause]:
        """The cause where no zone would do even if every flow that is denied everywhere were permitted."""
        if _any([zone.structural for zone in zones]) is not Answer.REFUTED or not self.model.complete:
            return
        if self.problem.targetless:
            return
        across = permitted_across(self.group, self.problem, self.reach)
        undecided = None if across else self._undecided_across()
        yield ZoneCause(_reasons(zones), across, undecided=undecided)

    def _undecided_across(self) -> Because | None:
        """What must be known to tell whether the group runs across zones; ``None`` where it surely does not."""
        hopeful = {index: each.hopeful() for index, each in self.model.feasible.items()}
        problem = problem_of(self.group, replace(self.model, feasible=hopeful))
        if not permitted_across(self.group, problem, self.reach, hopeful=True):
            return None
        unsure = (doubt for each in self.model.feasible.values() for doubt in each.doubts())
        return next(unsure, Because(ProofGround.ACROSS_ZONES))

    def _today(self, viable: Sequence[str]) -> Iterator[Because]:
        """Whether pools must grow before the group fits: at their minimum size no zone takes it."""
        pools = [node.pool for node in self.model.nodes]
        today = replace(
            self.problem,
            classes=tuple(
                replace(each, count=sum(pools[index].minimum for index in each.pools)) for each in self.problem.classes
            ),
        )
        if today.classes == self.problem.classes:
            return
        inside = ZoneRestriction(today)
        if all(inside.to(zone).completed == () for zone in viable):
            grow = dict.fromkeys(
                pools[index].name
                for each in self.problem.classes
                for index in each.pools
                if (pools[index].maximum or UNLIMITED) > pools[index].minimum
            )
            yield Because(NoteGround.MUST_GROW, (tuple(grow),))

    def _everywhere(self, viable: tuple[str, ...]) -> ForAll:
        if self.found is not None:
            return self.found.everywhere(self.group, self.reach, viable)
        lent = lent_zones(self.group, self.model)
        every = judge_every_placement(self.group, self.problem, self.reach, viable, lent)
        if every.answer is not Answer.UNKNOWN or self.problem.ties.members or self.problem.ties.ahead:
            return every
        found = enumerate_placements(self.problem, self.model.namespaces, self.model.storage)
        return every if found is None else found.everywhere(self.group, self.reach, viable)


def _unless_tied(problem: PlacementProblem, every: ForAll) -> ForAll:
    """Where pods share a volume that is made for the first of them, its place may bind all others, or not."""
    used = frozenset[int]().union(*(role.classes for role in problem.roles[: problem.own]))
    if not problem.tied or sum(not used.isdisjoint(inside) for inside in classes_in(problem).values()) < 2:
        return every
    return ForAll(Answer.UNKNOWN, missing=(Because(ProofGround.TIED_VOLUME, (problem.tied[0],)),))


def other_nodes(partial: str) -> Because:
    """What is not known of an inventory that is not complete, for the reason ``partial``."""
    return Because(ProofGround.OTHER_NODES, (partial,))


def _any(answers: Sequence[Answer]) -> Answer:
    if Answer.PROVED in answers:
        return Answer.PROVED
    return Answer.UNKNOWN if Answer.UNKNOWN in answers or not answers else Answer.REFUTED


def _reasons(zones: Sequence[Zone]) -> dict[str, tuple[ZoneReason, ...]]:
    return {zone.name: zone.reasons for zone in zones}


def _counterexample(every: ForAll) -> Where:
    if every.stranded is not None:
        return every.stranded.placed
    if every.cut is not None:
        return every.cut.where
    return every.split.where if every.split is not None else {}
