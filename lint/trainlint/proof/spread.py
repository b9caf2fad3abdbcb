"""Hard spread constraints over the topology key on the pods of a group."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.model.pod import SpreadConstraint
from trainlint.model.pool import Pool
from trainlint.proof.cause import SpreadCause
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.scheduling.pod_topology_spread import eligible_domains, eligible_nodes
from trainlint.scheduling.requirement import selector_matches

__all__ = ["spread_causes"]


def spread_causes(problem: PlacementProblem) -> Iterator[SpreadCause]:
    """What each constraint does: with one eligible domain, or room for all in one, nothing.

    While another eligible domain is empty, a pod may join at most ``maxSkew - 1`` that count in one (S 1.7). That only
    limits the pods that carry the constraint: others may still follow, so the group is forced apart for certain only
    where the carriers themselves are too many for one domain, and nothing that narrows their domains is unknown.
    """
    pools = [node.pool for node in problem.nodes if node.pool.maximum != 0]
    for index in range(problem.own):
        for constraint in _constraints(problem, index):
            eligible = tuple(eligible_domains(constraint, problem.pods[index], pools))
            if not eligible or constraint.at is None:
                continue
            counted = sum(
                problem.roles[other].count for other in range(problem.own) if _counts(problem, constraint, index, other)
            )
            limits = len(eligible) > 1 and counted > constraint.max_skew
            yield SpreadCause(
                problem.pod_sets[index],
                forces_split=limits and not problem.unknown and _too_many(problem, constraint, index, pools),
                eligible=eligible,
                at=constraint.at,
                max_skew=constraint.max_skew,
                limits=limits,
            )


def _constraints(problem: PlacementProblem, index: int) -> Iterator[SpreadConstraint]:
    for constraint in problem.pods[index].spec.spread:
        if constraint.hard and constraint.topology_key == problem.key:
            yield constraint


def _counts(problem: PlacementProblem, constraint: SpreadConstraint, index: int, other: int) -> bool:
    """Whether the pods of another role surely count for a constraint: selected, and only on nodes that take part.

    An empty selector counts no pods (S 1.7).
    """
    selected = (
        problem.pods[other].namespace == problem.pods[index].namespace
        and constraint.selector is not None
        and bool(constraint.selector.requirements)
        and selector_matches(constraint.selector, problem.pods[other].labels) is True
    )
    if not selected:
        return False
    part = eligible_nodes(constraint, problem.pods[index], problem.nodes)
    return all(part[pool] for number in problem.roles[other].classes for pool in problem.classes[number].pools)


def _too_many(problem: PlacementProblem, constraint: SpreadConstraint, index: int, pools: list[Pool]) -> bool:
    """Whether the roles that carry the constraint cannot all be in one domain, in whatever order they are placed.

    A pod whose constraint has skew s must be among the first s that count there.
    """
    counted = [other for other in range(problem.own) if _counts(problem, constraint, index, other)]
    deadlines = []
    for other in counted:
        skews = [
            each.max_skew
            for each in _constraints(problem, other)
            if all(_counts(problem, each, other, third) for third in counted)
            and len(eligible_domains(each, problem.pods[other], pools)) > 1
        ]
        if skews:
            deadlines.append((min(skews), problem.roles[other].count))
    return any(sum(count for skew, count in deadlines if skew <= limit) > limit for limit, _ in deadlines)
