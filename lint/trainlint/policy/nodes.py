"""What Calico's HostEndpoints add to decisions about nodes, and about the pods whose traffic nodes forward (P 11.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from trainlint.model.because import Because
from trainlint.model.policy import Decision, Direction, Permission
from trainlint.model.workload import PortRange
from trainlint.policy.calico_cluster import CalicoCluster, HostEndpoint
from trainlint.policy.ground import VerdictGround
from trainlint.policy.identity import Endpoint

if TYPE_CHECKING:
    from trainlint.policy.policyset import PolicySet

__all__ = ["by_nodes"]

_CONTROL: Final = tuple(("TCP", port) for port in (179, 2379, 2380, 5473, 6443, 6666, 6667))
_FAILSAFE: Final = {
    Direction.INGRESS: {
        ("TCP", 22),
        ("UDP", 68),
        *(("TCP", port) for port in (179, 2379, 2380, 5473, 6443, 6666, 6667)),
    },
    Direction.EGRESS: {
        ("UDP", 53),
        ("UDP", 67),
        *(("TCP", port) for port in (179, 2379, 2380, 5473, 6443, 6666, 6667)),
    },
}
"""Ports of nodes that no policy closes unless Felix is told otherwise (felix/config/config_params.go)."""


def by_nodes(
    policies: PolicySet,
    cluster: CalicoCluster,
    decision: Decision,
    subject: Endpoint,
    peer: Endpoint,
    protocol: str,
    ports: PortRange | None,
) -> Decision:
    """A decision with what policies of nodes may add: which HostEndpoint a node has is not known, so that one which
    does not allow a connection leaves it unknown.
    """
    if decision.answer is not Permission.ALLOW:
        return decision
    doubts: list[Because] = []
    if subject.has("host") or subject.has("remote-node"):
        if not _failsafe(decision.direction, protocol, ports):
            doubts += _denying(policies, cluster, decision.direction, peer, protocol, ports)
    elif subject.subject is not None and not peer.has("host"):
        doubts += (Because(VerdictGround.FORWARDED, (each,)) for each in cluster.forwarding)
    return replace(decision, answer=Permission.UNKNOWN, allowed=(), uncertain=tuple(doubts)) if doubts else decision


def _denying(
    policies: PolicySet,
    cluster: CalicoCluster,
    direction: Direction,
    peer: Endpoint,
    protocol: str,
    ports: PortRange | None,
) -> Iterator[Because]:
    for each in cluster.hosts:
        if not _allows(policies, each, direction, peer, protocol, ports):
            yield Because(VerdictGround.HOST_ENDPOINT, (each.origin,))


def _allows(
    policies: PolicySet,
    host: HostEndpoint,
    direction: Direction,
    peer: Endpoint,
    protocol: str,
    ports: PortRange | None,
) -> bool:
    found = policies.decision(direction, host.end, peer, protocol, ports)
    return found.answer is Permission.ALLOW and (bool(found.deciding) or host.allows is True)


def _failsafe(direction: Direction, protocol: str, ports: PortRange | None) -> bool:
    if ports is None or ports.first != ports.last:
        return False
    return (protocol, ports.first) in _FAILSAFE[direction]
