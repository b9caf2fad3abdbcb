"""Complete placements with given pods in given places, and placements over several zones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations, islice, product

from trainlint.kube.node import HOSTNAME
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.model.workload import Flow, Group
from trainlint.proof.assignments import where
from trainlint.proof.cause import Where
from trainlint.proof.ground import ProofGround
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.reachability import NO_DOMAIN, Place, Reachability
from trainlint.scheduling.inter_pod_affinity import term_matches
from trainlint.scheduling.packing import Packing
from trainlint.scheduling.placement import Placements
from trainlint.scheduling.role import Placement

__all__ = ["SPLITS", "TOO_MANY", "TooManyError", "permitted_across", "wide_packings", "with_pins", "zone_name"]

TRIES = 2_000
"""Pairs of places that are tried at most, each with a packing of all pods."""
FEWEST, STEPS = 20, 1_000_000
"""Those that are tried always, and the steps of all packings together."""
TOO_MANY = Because(ProofGround.MEETINGS)
SPLITS = 500
"""Placements over several zones that are looked at; the first few show what there is to see."""


class TooManyError(Exception):
    """There are too many placements to try: the answer stays unknown."""


def tries(placements: Placements) -> int:
    """How many pairs are tried: the fewer, the more roles and kinds of nodes there are."""
    roles = len(placements.roles)
    return min(TRIES, max(FEWEST, STEPS // (1 + roles * (roles + len(placements.classes)))))


def with_pins(placements: Placements, placement: Placement, pins: tuple[tuple[int, int], ...]) -> Packing | None:
    """The placement with these pods in it; ``None`` where it does not allow them.

    Raises:
        TooManyError: the search has tried as many placements as it may.
    """
    for role, domain in pins:
        if role in placements.bound and (role, domain) not in placement.state:
            return None
    for pin in set(pins):
        if pins.count(pin) > placements.roles[pin[0]].count:
            return None
        if pins.count(pin) > 1 and pin[0] in placements.bound and not placements.admits(placement.state, *pin):
            return None
    if len({pin[0] for pin in pins}) == 1 and len(pins) > placements.roles[pins[0][0]].count:
        return None
    packing = placements.pinned(placement.state, list(pins))
    if placements.tried > tries(placements):
        raise TooManyError
    return packing if packing.answer is Answer.PROVED else None


def wide_packings(problem: PlacementProblem, placements: Placements) -> Iterator[tuple[Packing, bool]]:
    """Complete placements of the group's own roles over several domains, each with whether two of them are zones.

    Pods that must share a node share its zone too (S 5.2): placements that part them are left out.
    """
    mates = _node_mates(problem)
    for packing, certain in _over_domains(problem, placements):
        if not mates or _keeps(problem, packing, mates):
            yield packing, certain


def _over_domains(problem: PlacementProblem, placements: Placements) -> Iterator[tuple[Packing, bool]]:
    free = [
        (role, domain)
        for role in range(problem.own)
        if role not in placements.bound
        for domain in placements.possible(role)
    ]
    for placement in placements.completed or ():
        held = [pair for pair in sorted(placement.state) if pair[0] < problem.own]
        zones = {zone_name(problem, domain) for _, domain in held}
        if len(zones) > 1:
            yield placement.packing, len(zones - {NO_DOMAIN}) > 1
            continue
        for pair in combinations([*held, *free], 2):
            ends = {zone_name(problem, domain) for _, domain in pair}
            if len(ends) > 1:
                packing = with_pins(placements, placement, pair)
                if packing is not None:
                    yield packing, NO_DOMAIN not in ends


def _node_mates(problem: PlacementProblem) -> dict[int, frozenset[int]]:
    """The roles that required affinity over host names puts on a node with a pod of others, or of themselves."""
    own = range(problem.own)
    found: dict[int, frozenset[int]] = {}
    for role in own:
        pod = problem.pods[role]
        for term in pod.spec.pod_affinity if problem.roles[role].count > 1 or problem.own > 1 else ():
            if term.topology_key == HOSTNAME:
                found[role] = frozenset(
                    other
                    for other in own
                    if term_matches(term, pod.namespace, {}, problem.pods[other].labels, problem.pods[other].namespace)
                    is not False
                )
    return found


def _keeps(problem: PlacementProblem, packing: Packing, mates: Mapping[int, frozenset[int]]) -> bool:
    """Whether each pod is in a zone of its mates, and those that are all mates of each other are in one.

    A pod that is its own mate and has others may come before them and wait for none: nothing is asked of it.
    """
    domain_of = {pool: index for index, domain in enumerate(problem.domains) for pool in domain.pools}
    zones: dict[int, set[int]] = defaultdict(set)
    for slot in packing.slots:
        for role in slot.pods:
            zones[role].add(domain_of[slot.pool])
    for role, others in mates.items():
        there = set[int]().union(*(zones[other] for other in others))
        if role not in others and others and not zones[role] <= there:
            return False
        if role in others and all(mates.get(other) == others for other in others) and len(there) > 1:
            return False
    return True


def zone_name(problem: PlacementProblem, domain: int) -> str:
    """The zone of a domain as people call it."""
    return problem.zone(domain) or NO_DOMAIN


def permitted_across(group: Group, problem: PlacementProblem, reach: Reachability, *, hopeful: bool = False) -> Where:
    """A complete placement over several zones in which every flow of the group is permitted; empty if none is found.

    ``hopeful``: a flow of which it is not known is permitted.
    """
    allowed = {Permission.ALLOW, *((Permission.UNKNOWN,) if hopeful else ())}
    placements = Placements(problem.roles, problem.domains, problem.classes, problem.alike)
    by_name = {place.name: place for place in reach.places}
    try:
        for packing, _ in islice(wide_packings(problem, placements), SPLITS):
            placed = where(problem, packing)
            if all(_permitted(group, reach, flow, placed, by_name, allowed) for flow in group.flows):
                return placed
    except TooManyError:
        return {}
    return {}


def _permitted(
    group: Group,
    reach: Reachability,
    flow: Flow,
    placed: Where,
    by_name: Mapping[str, Place],
    allowed: Collection[Permission],
) -> bool:
    sources = placed.get(group.members[flow.source].name, {})
    targets = placed.get(group.members[flow.target].name, {}) if flow.target is not None else sources
    for source, target in product(sources, targets):
        crossing = reach.crossing(flow, by_name[source], by_name[target])
        if crossing.permission not in allowed:
            return False
    return True
