"""Exists: for each zone, whether the whole group can be placed in it and its flows are permitted there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from trainlint.effort import spend
from trainlint.fact import fact
from trainlint.kube.node import HOSTNAME
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.model.pool import Pool
from trainlint.model.workload import Group, PodSet
from trainlint.proof.assignments import assignments, where
from trainlint.proof.cause import Assignment, Where
from trainlint.proof.deciding_places import denying_verdict, open_questions
from trainlint.proof.domain_limits import nodes_of
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.ground import ProofGround
from trainlint.proof.node_sharing import permission
from trainlint.proof.notation import flow_text
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.proof.zone_reason import (
    AffinityConflict,
    DeniedFlow,
    HostLimit,
    NoDomain,
    NoNode,
    NoRoom,
    UndecidedFlow,
    ZoneReason,
)
from trainlint.proof.zone_restriction import ZoneRestriction
from trainlint.reachability import Crossing, Place, Reachability
from trainlint.scheduling.packing import Packing
from trainlint.scheduling.placement import Placements
from trainlint.scheduling.refusal import Doubt, Refusal

__all__ = ["Zone", "both", "judge_zones", "no_node", "zones_until_proved"]


ZONE_STEPS = 130
"""Steps that one zone of one group takes, apart from the packings that are tried."""


@fact
class Zone:
    """The answer for one zone; ``structural`` is the answer without the flows that are denied in every zone.

    ``flows`` is the answer as to connections alone, ``own_flows`` that as to those which are not denied in every zone.
    """

    name: str
    answer: Answer
    structural: Answer
    flows: Answer = Answer.PROVED
    own_flows: Answer = Answer.PROVED
    reasons: tuple[ZoneReason, ...] = ()
    witness: Where = field(default_factory=dict)
    assignments: tuple[Assignment, ...] = ()
    missing: tuple[Because, ...] = ()


def judge_zones(
    group: Group, problem: PlacementProblem, feasible: Sequence[Feasibility], reach: Reachability
) -> tuple[Zone, ...]:
    """Every zone, the closest miss first. ``feasible`` are those of the group's own roles."""
    zones = _each(group, problem, feasible, reach)
    return tuple(sorted(zones, key=lambda zone: (zone.answer is not Answer.PROVED, len(zone.reasons), zone.name)))


def zones_until_proved(
    group: Group, problem: PlacementProblem, feasible: Sequence[Feasibility], reach: Reachability
) -> tuple[Zone, ...]:
    """The zones up to the first that does: enough to know whether one does."""
    zones = []
    for zone in _each(group, problem, feasible, reach):
        zones.append(zone)
        if zone.answer is Answer.PROVED:
            break
    return tuple(zones)


def _each(
    group: Group, problem: PlacementProblem, feasible: Sequence[Feasibility], reach: Reachability
) -> Iterator[Zone]:
    denied = {id(flow) for flow, _ in reach.denied}
    inside = ZoneRestriction(problem)
    return (_judge(group, problem, feasible, reach, place, denied, inside) for place in reach.places)


def _judge(
    group: Group,
    problem: PlacementProblem,
    feasible: Sequence[Feasibility],
    reach: Reachability,
    place: Place,
    denied: set[int],
    inside: ZoneRestriction,
) -> Zone:
    spend(ZONE_STEPS)
    reasons = (
        list(_infeasible(problem, feasible, inside.pools(place.name))) if problem.domains else []
    )  # none: a zone is not known
    missing: list[Because] = list(problem.unknown)
    answer = Answer.REFUTED if reasons else Answer.PROVED
    fits: Packing | None = None
    if not reasons:
        placements = inside.to(place.name)
        if problem.unknown or (placements.completed is None and placements.some is None):
            answer = Answer.UNKNOWN
            missing += [] if problem.unknown else [Because(ProofGround.FITS_IN, (place.name,))]
        elif placements.some is not None:
            fits = placements.some.packing
        else:
            answer = Answer.REFUTED
            reasons += _short(problem, placements, place.name)
    within = [
        index
        for index, flow in enumerate(group.flows)
        if flow.source not in group.dependencies and flow.target not in group.dependencies
    ]
    cut = reach.cut_inside(place, within)
    local = [crossing for crossing in cut if id(crossing.flow) not in denied]
    flows = _permitted(permission(group, problem, crossing) for crossing in cut)
    own_flows = _permitted(permission(group, problem, crossing) for crossing in local)
    structural = both(answer, own_flows)
    missing += [each for crossing in local for each in _undecided(group, problem, crossing)]
    return Zone(
        name=place.name,
        answer=both(answer, flows),
        structural=structural,
        flows=flows,
        own_flows=own_flows,
        reasons=(
            *reasons,
            *(
                _cut_reason(group, each, said, _undecided(group, problem, each))
                for each in local
                if (said := permission(group, problem, each)) is not Permission.ALLOW
            ),
        ),
        witness=where(problem, fits) if fits is not None and structural is Answer.PROVED else {},
        assignments=assignments(problem, fits) if fits is not None else (),
        missing=tuple(missing) if structural is Answer.UNKNOWN else (),
    )


def _undecided(group: Group, problem: PlacementProblem, crossing: Crossing) -> tuple[Because, ...]:
    """What must be known to tell whether a crossing is permitted; nothing where that is known."""
    if permission(group, problem, crossing) is not Permission.UNKNOWN:
        return ()
    depends = Because(ProofGround.STAYS_ON_NODE, (flow_text(group, crossing.flow),))
    return open_questions(crossing) or (depends,)


def _permitted(permissions: Iterable[Permission]) -> Answer:
    found = set(permissions)
    if Permission.DENY in found:
        return Answer.REFUTED
    return Answer.UNKNOWN if Permission.UNKNOWN in found else Answer.PROVED


def both(one: Answer, other: Answer) -> Answer:
    """Whether two things hold."""
    return Answer.of_all((one, other))


def _infeasible(
    problem: PlacementProblem, feasible: Sequence[Feasibility], pools: Sequence[int]
) -> Iterator[ZoneReason]:
    """The roles that none of a zone's nodes takes, with the closest miss among them."""
    for each in feasible:
        if any(pool in each.pools or pool in each.doubtful for pool in pools):
            continue
        nearest = min((each.verdicts[pool] for pool in pools if pool in each.verdicts), key=len, default=())
        yield no_node(each.pod_set, nearest, [problem.nodes[pool].pool for pool in pools])


def no_node(pod_set: PodSet, verdict: Iterable[Refusal | Doubt], pools: Iterable[Pool]) -> ZoneReason:
    """That no node of some pools takes a pod of a set: why those refuse it that come closest."""
    refusals = tuple(each for each in verdict if isinstance(each, Refusal))
    at = next((each.at for each in refusals if each.at is not None), pod_set.spec.at or pod_set.at)
    nodes = () if refusals else tuple(pool.at for pool in pools if pool.at)
    return ZoneReason(pod_set, NoNode(refusals, nodes), at)


def _short(problem: PlacementProblem, placements: Placements, zone: str) -> Iterator[ZoneReason]:
    """Why the roles do not fit together although each fits alone."""
    packing = placements.complete(frozenset()) if not placements.bound else None
    if (held := _held_apart(problem, placements, zone)) is not None:
        yield held
        return
    if packing is not None and packing.short is not None:
        pod_set = problem.pod_sets[packing.short]
        room = NoRoom(packing.room, problem.roles[packing.short].count, beside=True)
        yield ZoneReason(pod_set, room, pod_set.at)
        return
    free = placements.unbound().complete(frozenset())
    if free.short is not None and free.answer is Answer.REFUTED:
        pod_set = problem.pod_sets[free.short]
        yield ZoneReason(pod_set, NoRoom(free.room, problem.roles[free.short].count, beside=False), pod_set.at)
        return
    bound = [problem.pod_sets[index] for index in placements.bound if index < problem.own] or [problem.pod_sets[0]]
    names = tuple(dict.fromkeys(pod_set.name for pod_set in bound))
    asked = [each for pod_set in bound for each in (pod_set.together, pod_set.parts) if each is not None]
    if asked and problem.ties.members:
        exclusive = any(each.exclusive for each in asked)
        yield ZoneReason(bound[0], NoDomain(names, zone, asked[0].by, exclusive), asked[0].at)
        return
    at = bound[0].spec.at or bound[0].at
    yield ZoneReason(bound[0], AffinityConflict(names, zone), at)


def _held_apart(problem: PlacementProblem, placements: Placements, zone: str) -> ZoneReason | None:
    """The anti-affinity or spread over hosts without which all pods would fit; ``None`` if it is not that alone."""
    roles = placements.roles
    held = [index for index in range(problem.own) if roles[index].per_node is not None or roles[index].apart]
    free = [replace(role, per_node=None, apart=frozenset(), spread_from=frozenset(), lenient=False) for role in roles]
    if not held or Placements(free, problem.domains, problem.classes, problem.alike).some is None:
        return None
    terms = [
        term for index in held for term in problem.pods[index].spec.pod_anti_affinity if term.topology_key == HOSTNAME
    ]
    spreads = [each for index in held for each in problem.pods[index].spec.spread if each.topology_key == HOSTNAME]
    at = next((each.at for each in (*terms, *(() if terms else spreads)) if each.at is not None), None)
    names = tuple(dict.fromkeys(problem.pod_sets[index].name for index in held))
    pods = sum(roles[index].count for index in held)
    nodes = nodes_of(problem, frozenset[int]().union(*(roles[index].classes for index in held)))
    pod_set = problem.pod_sets[held[0]]
    limit = HostLimit(names, zone, pods, nodes, anti_affinity=bool(terms))
    return ZoneReason(pod_set, limit, at or pod_set.spec.at or pod_set.at)


def _cut_reason(group: Group, crossing: Crossing, permitted: Permission, unknown: Sequence[Because]) -> ZoneReason:
    source = group.members[crossing.flow.source]
    if permitted is Permission.UNKNOWN:
        return ZoneReason(source, UndecidedFlow(crossing.flow, tuple(unknown)), crossing.flow.at)
    return ZoneReason(source, DeniedFlow(crossing.flow, denying_verdict(crossing)), crossing.flow.at)
