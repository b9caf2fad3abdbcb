"""The proof of one group, put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from trainlint.fact import fact
from trainlint.model.known import Answer, Undetermined
from trainlint.model.policy import Permission
from trainlint.model.settings import ZONE, Settings
from trainlint.model.storage import Storage
from trainlint.model.workload import Group
from trainlint.proof.capacity import capacity_cause
from trainlint.proof.cause import (
    CapacityCause,
    Cause,
    DeadlockCause,
    Seat,
    SpreadCause,
    Where,
    ZoneCause,
    ZoneReason,
)
from trainlint.proof.deadlock import deadlock
from trainlint.proof.denials import flow_causes
from trainlint.proof.everywhere import Everywhere, judge_everywhere, permitted_across
from trainlint.proof.explored import Explored, explored
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.roles import Cast, cast
from trainlint.proof.spread import spread_causes
from trainlint.proof.zones import Zone, judge_zones, restricted
from trainlint.reachability import NO_DOMAIN, Reachability, unknown_of
from trainlint.scheduling.node import Node
from trainlint.scheduling.packing import UNLIMITED

__all__ = ["GroupProof", "Stage", "never_placed", "prove"]

Namespaces = Mapping[str, Mapping[str, str]]


@fact(eq=False)
class GroupProof:
    """The answers for one group. ``causes`` are those that rules about groups render; placement rules see pod sets.

    ``zones`` are the zones one by one, ``seats`` and ``bad_seats`` the witness and the counterexample down to pools.
    """

    group: Group
    exists: Answer
    for_all: Answer
    viable_zones: tuple[str, ...] = ()
    witness: Where = field(default_factory=dict)
    counterexample: Where = field(default_factory=dict)
    causes: tuple[Cause, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    topology_key: str = ZONE
    zones: tuple[Zone, ...] = ()
    seats: tuple[Seat, ...] = ()
    bad_seats: tuple[Seat, ...] = ()
    reach: Reachability | None = None


@fact
class Stage:
    """What a group is judged on: one inventory's nodes, every workload's feasibility on them, the cluster.

    ``complete`` is false where there are other nodes that nobody wrote down, ``partial`` says why; ``hopeless`` is
    true where some pod set can never be scheduled for a reason that has nothing to do with nodes. ``gathered``: before
    any pod is scheduled somebody picks one domain of the topology key that takes all of them (Kueue with a required
    topology).
    """

    nodes: Sequence[Node]
    feasible: Mapping[int, Feasibility]
    others: Sequence[Feasibility]
    settings: Settings
    namespaces: Namespaces
    complete: bool = True
    partial: str = ""
    hopeless: bool = False
    gathered: bool = False
    storage: Storage | None = None


def prove(group: Group, reach: Reachability, stage: Stage | None, missing: Sequence[str]) -> GroupProof:
    """The three answers. Without a stage (no inventory that counts) only what holds wherever pods land is answered.

    ``missing`` is what was not known before the question was asked; while there is any, nothing is proved.
    """
    flows = tuple(flow_causes(reach))
    doubts = [*missing, *_undecided(group, reach)]
    if stage is None:
        answer = Answer.REFUTED if flows else Answer.UNKNOWN
        return GroupProof(group, answer, answer, causes=flows, missing=tuple(doubts), reach=reach)
    players = _cast(group, stage)

    def refuted(*causes: Cause) -> GroupProof:
        key = stage.settings.topology_key
        zones = judge_zones(group, players, [stage.feasible[index] for index in _own(group)], reach)
        answer, unsure = Answer.REFUTED, tuple(doubts)
        return GroupProof(
            group, answer, answer, causes=causes, missing=unsure, topology_key=key, zones=zones, reach=reach
        )

    if stage.hopeless or any(each.cause is not None for each in stage.feasible.values()):
        return refuted(*flows)
    if stage.complete and (short := capacity_cause(players) or _short_at_best(group, stage)) is not None:
        return refuted(*flows, short)
    spread = tuple(spread_causes(players))
    causes: tuple[Cause, ...] = (*flows, *spread)
    doubts += [f"which pods {pod_set.name} is required to be near: none is in Git" for pod_set in players.targetless]
    if stage.complete:
        if (locked := deadlock(players)) is not None:
            return refuted(*causes, locked)
        if any(each.forces_split for each in spread):
            return refuted(*causes)
    found = explored(players, stage.namespaces, stage.storage) if players.beyond else None
    if players.beyond and found is None:
        doubts += [f"what {constraint} allows: too many placements to try" for constraint in players.beyond]
    return _Judge(group, reach, stage, players, causes, found).proof(doubts)


@fact(eq=False)
class _Judge:
    """Exists and for all, for a group whose pods can all be scheduled somewhere."""

    group: Group
    reach: Reachability
    stage: Stage
    players: Cast
    causes: tuple[Cause, ...]
    found: Explored | None

    def proof(self, doubts: Sequence[str]) -> GroupProof:
        """The proof; ``doubts`` keep anything from being proved."""
        zones = self._zones()
        exists = _any([zone.answer for zone in zones])
        if (doubts and exists is Answer.PROVED) or (not self.stage.complete and exists is Answer.REFUTED):
            exists = Answer.UNKNOWN
        viable = tuple(sorted(zone.name for zone in zones if zone.answer is Answer.PROVED))
        causes = (*self.causes, *self._no_zone(zones))
        if exists is not Answer.PROVED:
            unknown = [text for zone in zones for text in zone.missing]
            if not self.stage.complete:
                unknown.append(_other_nodes(self.stage))
            missing = [*doubts, *unknown] if exists is Answer.UNKNOWN else doubts
            unproved = tuple(dict.fromkeys(missing))
            return self._made(exists, exists, viable, causes=causes, missing=unproved, zones=zones)
        every = _unless_tied(self.players, self._unless_placed_as_one(self._everywhere(viable), zones))
        if not self.stage.complete and every.answer is Answer.PROVED:
            every = Everywhere(Answer.UNKNOWN, missing=(_other_nodes(self.stage),))
        best = next(zone for zone in zones if zone.answer is Answer.PROVED)
        return self._made(
            exists,
            every.answer,
            viable,
            witness=best.witness,
            counterexample=_counterexample(every),
            zones=zones,
            seats=best.seats,
            bad_seats=next((each.seats for each in (every.stranded, every.cut, every.split) if each is not None), ()),
            causes=(*causes, *self._roots(every)),
            notes=(*every.notes, *self._today(viable)),
            missing=tuple(dict.fromkeys(every.missing)),
        )

    def _unless_placed_as_one(self, every: Everywhere, zones: Sequence[Zone]) -> Everywhere:
        """Where something beside the pod spec places the pods, what the scheduler alone might choose is no proof.

        What picks one domain that takes all of them may pick any in which they fit.
        """
        by = next((member for member in self.group.members if member.placed_by), None)
        if by is None or every.answer is not Answer.REFUTED:
            return every
        if self.stage.gathered and all(zone.answer is Answer.PROVED or _too_small(zone) for zone in zones):
            return Everywhere(Answer.PROVED)
        return Everywhere(Answer.UNKNOWN, missing=(f"where {by.placed_by} lets the pods of {by.name} go",))

    def _roots(self, every: Everywhere) -> Iterator[Cause]:
        """What breaks for all; a spread constraint that drives the pods apart is itself the root (decision 1)."""
        spread = any(isinstance(each, SpreadCause) and each.limits for each in self.causes)
        for each in (every.stranded, every.cut, None if spread else every.split):
            if each is not None:
                yield each

    def _made(self, exists: Answer, for_all: Answer, viable: tuple[str, ...], **rest: Any) -> GroupProof:
        key = self.stage.settings.topology_key
        return GroupProof(self.group, exists, for_all, viable, topology_key=key, reach=self.reach, **rest)

    def _zones(self) -> tuple[Zone, ...]:
        own = [self.stage.feasible[index] for index in _own(self.group)]
        zones = judge_zones(self.group, self.players, own, self.reach)
        return self.found.zones(zones) if self.found is not None else zones

    def _no_zone(self, zones: Sequence[Zone]) -> Iterator[ZoneCause]:
        """The cause where no zone would do even if every flow that is denied everywhere were permitted."""
        if _any([zone.structural for zone in zones]) is not Answer.REFUTED or not self.stage.complete:
            return
        if self.players.targetless:
            return
        across = permitted_across(self.group, self.players, self.reach)
        if not across or self.group.collective:
            yield ZoneCause(_reasons(zones), across)

    def _today(self, viable: Sequence[str]) -> Iterator[str]:
        """Whether pools must grow before the group fits: at their minimum size no zone takes it."""
        pools = [node.pool for node in self.stage.nodes]
        today = replace(
            self.players,
            classes=tuple(
                replace(each, count=sum(pools[index].minimum for index in each.pools)) for each in self.players.classes
            ),
        )
        if today.classes == self.players.classes:
            return
        if all(restricted(today, zone).completed == () for zone in viable):
            grow = dict.fromkeys(
                pools[index].name
                for each in self.players.classes
                for index in each.pools
                if (pools[index].maximum or UNLIMITED) > pools[index].minimum
            )
            yield f"it does not fit at today's size of the pools: {', '.join(grow)} must grow first"

    def _everywhere(self, viable: tuple[str, ...]) -> Everywhere:
        if self.found is not None:
            return self.found.everywhere(self.group, self.reach, viable)
        lent = _dependency_zones(self.group, self.stage)
        every = judge_everywhere(self.group, self.players, self.reach, viable, lent)
        if every.answer is not Answer.UNKNOWN:
            return every
        found = explored(self.players, self.stage.namespaces, self.stage.storage)
        return every if found is None else found.everywhere(self.group, self.reach, viable)


def _unless_tied(players: Cast, every: Everywhere) -> Everywhere:
    """Where pods share a volume that is made for the first of them, its place may bind all others, or not."""
    zones = {players.zone(domain) for domain in range(len(players.domains)) if _used(players, domain)}
    if not players.tied or len(zones) < 2:
        return every
    return Everywhere(
        Answer.UNKNOWN, missing=(f"where the volume of claim {players.tied[0]}, which pods share, is made",)
    )


def _used(players: Cast, domain: int) -> bool:
    pools = players.domains[domain].pools
    return any(
        players.classes[number].pool in pools for role in players.roles[: players.own] for number in role.classes
    )


def _too_small(zone: Zone) -> bool:
    """Whether the pods do not fit into the zone, whatever the policies say."""
    return zone.answer is Answer.REFUTED and bool(zone.reasons) and all(each.flow is None for each in zone.reasons)


def _other_nodes(stage: Stage) -> str:
    return f"which other nodes there are: {stage.partial or 'the inventory says that it is not complete'}"


def _short_at_best(group: Group, stage: Stage) -> CapacityCause | None:
    """What no answer to the open questions could mend: too few hosts, domains, or places under a spread."""
    if not any(each.doubtful for each in stage.feasible.values()):
        return None
    hopeful = replace(stage, feasible={index: each.hopeful() for index, each in stage.feasible.items()})
    return capacity_cause(_cast(group, hopeful), rooms=False)


def _own(group: Group) -> Iterator[int]:
    return (
        index for index, member in enumerate(group.members) if index not in group.dependencies and member.replicas != 0
    )


def _any(answers: Sequence[Answer]) -> Answer:
    if Answer.PROVED in answers:
        return Answer.PROVED
    return Answer.UNKNOWN if Answer.UNKNOWN in answers or not answers else Answer.REFUTED


def _reasons(zones: Sequence[Zone]) -> dict[str, tuple[ZoneReason, ...]]:
    return {zone.name: zone.reasons for zone in zones}


def _counterexample(every: Everywhere) -> Where:
    if every.stranded is not None:
        return every.stranded.placed
    if every.cut is not None:
        return every.cut.where
    return every.split.where if every.split is not None else {}


def _dependency_zones(group: Group, stage: Stage) -> dict[int, frozenset[str]]:
    found = {}
    for index in group.dependencies:
        pools = stage.feasible[index].pools if index in stage.feasible else frozenset[int]()
        values = (stage.nodes[pool].label(stage.settings.topology_key) for pool in pools)
        found[index] = frozenset(value if isinstance(value, str) else NO_DOMAIN for value in values)
    return found


def _undecided(group: Group, reach: Reachability) -> Iterator[str]:
    for flow in group.flows if len(reach.places) == 1 else ():
        for crossing in reach.crossings(flow):
            if crossing.permission is Permission.UNKNOWN:
                yield from unknown_of(crossing.other_node)
    for member in group.members:
        if isinstance(member.replicas, Undetermined):
            yield f"how many pods {member.name} has: {member.replicas.why}"


def _cast(group: Group, stage: Stage) -> Cast:
    key = stage.settings.topology_key
    return cast(group, stage.feasible, stage.others, stage.nodes, stage.namespaces, key, stage.storage)


def never_placed(group: Group, stage: Stage) -> CapacityCause | DeadlockCause | None:
    """Why the pods of the group's sets can never all be scheduled, for pod sets that communicate with nobody."""
    players = _cast(group, stage)
    return capacity_cause(players) or _short_at_best(group, stage) or deadlock(players)
