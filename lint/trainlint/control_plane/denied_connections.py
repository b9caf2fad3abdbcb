"""Needed connections of the control plane that policies deny wherever the pods land."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.control_plane.agents import agent_needs
from trainlint.control_plane.need import Names, Need
from trainlint.control_plane.outside import outside_needs
from trainlint.control_plane.ray import ray_needs
from trainlint.control_plane.webhooks import webhook_needs
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.policy import Decision, Permission, Verdict
from trainlint.model.workload import PortRange
from trainlint.policy import PolicySet
from trainlint.proof.deciding_places import list_of
from trainlint.proof.near_miss import NearEntry, nearest

__all__ = ["Denial", "denials", "needs_of"]


ANY_PORT: Final = (*(PortRange(each, each) for each in (443, 6443, 8443, 16443)), PortRange(1, 65535))
"""Where API servers listen mostly, each for itself, as an entry may leave the answer open for one, and all ports."""


@fact
class Denial:
    """A denied connection: the decision of the end that denies it, the entry that nearly admits it, and the place."""

    need: Need
    decision: Decision
    near: NearEntry | None
    at: Location


def needs_of(names: Names) -> tuple[Need, ...]:
    """What stands around the workloads of a snapshot."""
    return (*webhook_needs(names), *ray_needs(names), *agent_needs(names), *outside_needs(names))


def denials(names: Names, policies: PolicySet, needs: Iterable[Need]) -> Iterator[Denial]:
    """The needs that are denied for every identity that the caller may have."""
    for need in needs:
        targets = need.ends if need.target is None else (names.end(need.target),)
        tried = (PortRange(need.port, need.port),) if need.port else ANY_PORT
        verdicts = [
            policies.verdict(source, each, "TCP", ports)
            for source in need.sources
            for each in targets
            for ports in tried
        ]
        if not verdicts or any(each.answer is not Permission.DENY or each.partly for each in verdicts):
            continue
        near = None
        if need.target is not None:
            near = nearest(policies, need.sources[0], targets[0], verdicts[0], "TCP", tried[0])
        decision = _denying(verdicts[0])
        entry = next(iter((*decision.deciding, *decision.isolating)), None)
        if near is not None:
            yield Denial(need, decision, near, near.at)
        elif entry is not None:
            yield Denial(need, decision, None, entry.at if decision.deciding else list_of(entry))


def _denying(verdict: Verdict) -> Decision:
    return verdict.egress if verdict.egress.answer is Permission.DENY else verdict.ingress
