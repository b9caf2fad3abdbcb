"""Hard spread constraints over the topology key on the pods of a group: they spread, they never keep together."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.proof.cause import SpreadCause
from trainlint.proof.roles import Cast
from trainlint.scheduling.pod_topology_spread import eligible_domains
from trainlint.scheduling.requirement import selector_matches

__all__ = ["spread_causes"]


def spread_causes(players: Cast) -> Iterator[SpreadCause]:
    """What each constraint does: with one eligible domain, or room for all in one, nothing; else it forces a split.

    In one domain there can be ``maxSkew`` pods as long as another eligible one is empty (S 1.7).
    """
    pools = [node.pool for node in players.nodes]
    for index in range(players.own):
        pod, pod_set = players.pods[index], players.pod_sets[index]
        for constraint in pod.spec.spread:
            if not constraint.hard or constraint.topology_key != players.key or constraint.at is None:
                continue
            eligible = tuple(eligible_domains(constraint, pod, pools))
            counted = sum(
                players.roles[other].count
                for other in range(players.own)
                if players.pods[other].namespace == pod.namespace
                and constraint.selector is not None
                and constraint.selector.requirements
                and selector_matches(constraint.selector, players.pods[other].labels) is True
            )
            if not eligible:
                continue
            yield SpreadCause(
                pod_set,
                forces_split=len(eligible) > 1 and counted > constraint.max_skew,
                eligible=eligible,
                at=constraint.at,
                max_skew=constraint.max_skew,
            )
