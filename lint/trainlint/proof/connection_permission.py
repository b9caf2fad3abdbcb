"""Whether all connections that a group needs are permitted, whatever is known about nodes."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.proof.zones import Zone
from trainlint.reachability import Reachability

__all__ = ["connections"]


def connections(reach: Reachability, zones: Sequence[Zone] = ()) -> Answer:
    """Proved where they are permitted in some zone, refuted where one is denied in every; a flow to or from what
    several groups use must be permitted between all places.
    """
    if reach.denied:
        return Answer.REFUTED
    group = reach.group
    lent = [flow for flow in group.flows if not group.dependencies.isdisjoint((flow.source, flow.target))]
    found = {crossing.permission for flow in (lent if zones else group.flows) for crossing in reach.crossings(flow)}
    if zones:
        inside = {zone.flows for zone in zones}
        if Answer.PROVED not in inside:
            return Answer.REFUTED if inside == {Answer.REFUTED} else Answer.UNKNOWN
        return Answer.PROVED if Permission.UNKNOWN not in found else Answer.UNKNOWN
    return Answer.PROVED if found <= {Permission.ALLOW} else Answer.UNKNOWN
