"""Hard spread constraints over the topology key on the pods of a group: they spread, they never keep together."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.model.pod import SpreadConstraint
from trainlint.model.pool import Pool
from trainlint.proof.cause import SpreadCause
from trainlint.proof.roles import Cast
from trainlint.scheduling.pod_topology_spread import eligible_domains, eligible_nodes
from trainlint.scheduling.requirement import selector_matches

__all__ = ["spread_causes"]


def spread_causes(players: Cast) -> Iterator[SpreadCause]:
    """What each constraint does: with one eligible domain, or room for all in one, nothing.

    While another eligible domain is empty, a pod may join at most ``maxSkew - 1`` that count in one (S 1.7). That only
    limits the pods that carry the constraint: others may still follow, so the group is forced apart for certain only
    where the carriers themselves are too many for one domain, and nothing that narrows their domains is unknown.
    """
    pools = [node.pool for node in players.nodes if node.pool.maximum != 0]
    for index in range(players.own):
        for constraint in _constraints(players, index):
            eligible = tuple(eligible_domains(constraint, players.pods[index], pools))
            if not eligible or constraint.at is None:
                continue
            counted = sum(
                players.roles[other].count for other in range(players.own) if _counts(players, constraint, index, other)
            )
            limits = len(eligible) > 1 and counted > constraint.max_skew
            yield SpreadCause(
                players.pod_sets[index],
                forces_split=limits and not players.unknown and _too_many(players, constraint, index, pools),
                eligible=eligible,
                at=constraint.at,
                max_skew=constraint.max_skew,
                limits=limits,
            )


def _constraints(players: Cast, index: int) -> Iterator[SpreadConstraint]:
    for constraint in players.pods[index].spec.spread:
        if constraint.hard and constraint.topology_key == players.key:
            yield constraint


def _counts(players: Cast, constraint: SpreadConstraint, index: int, other: int) -> bool:
    """Whether the pods of another role surely count for a constraint: selected, and only on nodes that take part.

    An empty selector counts nobody (S 1.7).
    """
    selected = (
        players.pods[other].namespace == players.pods[index].namespace
        and constraint.selector is not None
        and bool(constraint.selector.requirements)
        and selector_matches(constraint.selector, players.pods[other].labels) is True
    )
    if not selected:
        return False
    part = eligible_nodes(constraint, players.pods[index], players.nodes)
    return all(part[pool] for number in players.roles[other].classes for pool in players.classes[number].pools)


def _too_many(players: Cast, constraint: SpreadConstraint, index: int, pools: list[Pool]) -> bool:
    """Whether the roles that carry the constraint cannot all be in one domain, in whatever order they are placed.

    A pod whose constraint has skew s must be among the first s that count there.
    """
    counted = [other for other in range(players.own) if _counts(players, constraint, index, other)]
    deadlines = []
    for other in counted:
        skews = [
            each.max_skew
            for each in _constraints(players, other)
            if all(_counts(players, each, other, third) for third in counted)
            and len(eligible_domains(each, players.pods[other], pools)) > 1
        ]
        if skews:
            deadlines.append((min(skews), players.roles[other].count))
    return any(sum(count for skew, count in deadlines if skew <= limit) > limit for limit, _ in deadlines)
