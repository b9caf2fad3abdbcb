"""Placements in which a needed connection is denied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from trainlint.model.because import Because
from trainlint.model.policy import Permission
from trainlint.model.workload import Group
from trainlint.proof.assignments import assignments, where
from trainlint.proof.cause import CutCause, CutPair
from trainlint.proof.deciding_places import denying_verdict, open_questions, shared_node
from trainlint.proof.multi_zone import TOO_MANY, TooManyError, with_pins, zone_name
from trainlint.proof.node_sharing import may_be_denied, permission
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.reachability import Crossing, Reachability
from trainlint.scheduling.packing import Packing
from trainlint.scheduling.placement import Placements

__all__ = ["cut_placement"]


def cut_placement(
    group: Group,
    problem: PlacementProblem,
    reach: Reachability,
    placements: Placements,
    dependency_zones: Mapping[int, frozenset[str]],
    missing: list[Because],
) -> CutCause | None:
    """A placement, with all pairs of zones between which something is denied; ``None`` where there is none. What is
    unknown is added to ``missing``.
    """
    pairs: list[CutPair] = []
    shown: Packing | None = None
    try:
        for crossing in _doubtful_crossings(group, problem, reach):
            packing = _meets(group, problem, placements, crossing, dependency_zones)
            if packing is None:
                continue
            if may_be_denied(group, problem, crossing):
                verdict, node = denying_verdict(crossing), shared_node(crossing)
                pairs.append(CutPair(crossing.flow, crossing.source.name, crossing.target.name, node, verdict))
                shown = shown or packing
            else:
                missing.extend(open_questions(crossing, whole=False))
    except TooManyError:
        missing.append(TOO_MANY)
    return CutCause(tuple(pairs), where(problem, shown), assignments(problem, shown)) if shown is not None else None


def _doubtful_crossings(group: Group, problem: PlacementProblem, reach: Reachability) -> Iterator[Crossing]:
    """The flows between places that may not be permitted there, though they are not denied everywhere."""
    denied = {id(flow) for flow, _ in reach.denied}
    for flow in group.flows:
        if id(flow) not in denied and not reach.always_permitted(flow):
            for crossing in reach.crossings(flow):
                if permission(group, problem, crossing) is not Permission.ALLOW:
                    yield crossing


def _meets(
    group: Group,
    problem: PlacementProblem,
    placements: Placements,
    crossing: Crossing,
    dependency_zones: Mapping[int, frozenset[str]],
) -> Packing | None:
    """A complete placement with both ends of a crossing in their places, if one can be reached."""
    ends = [(crossing.flow.source, crossing.source.name)]
    if crossing.flow.target is not None:
        ends.append((crossing.flow.target, crossing.target.name))
    choices: list[list[tuple[int, int]]] = []
    for member, zone in ends:
        if member in group.dependencies:
            if zone not in dependency_zones.get(member, frozenset()):
                return None
            continue
        roles = [index for index in range(problem.own) if problem.pod_sets[index] is group.members[member]]
        if not roles:
            return None
        choices.append(
            [
                (role, domain)
                for role in roles
                for domain in placements.possible(role)
                if zone_name(problem, domain) == zone
            ]
        )
    for placement in placements.completed or ():
        for pins in product(*choices):
            packing = with_pins(placements, placement, pins)
            if packing is not None:
                return packing
    return None
