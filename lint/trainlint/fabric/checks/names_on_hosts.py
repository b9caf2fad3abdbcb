"""Cluster names in pods on the host network (N 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fabric.fault import RoleFault
from trainlint.fact import fact
from trainlint.finding import Fix, Put
from trainlint.model.workload import Flow, FlowKind, Group, PodSet
from trainlint.workload.kinds import shown_kind

__all__ = ["CLUSTER_FIRST", "UnresolvedNames", "unresolved_names"]

_FIRST: Final = ("initContainers", "containers")
CLUSTER_FIRST: Final = "ClusterFirstWithHostNet"
"""The DNS policy with which pods on the host network ask the cluster's DNS."""


@fact
class UnresolvedNames(RoleFault):
    """Pods on the host network that ask their node's resolver, and ``need`` names of the cluster."""

    need: Flow


def unresolved_names(group: Group) -> Iterator[UnresolvedNames]:
    """The roles on the host network that look names up at their node's resolver."""
    for index, member in enumerate(group.members):
        spec = member.spec
        if not spec.host_network or spec.dns_policy not in {"", "ClusterFirst", "Default"} or _set_by_operator(member):
            continue
        need = next((flow for flow in group.flows if flow.source == index and flow.kind is FlowKind.DNS), None)
        if need is None:
            continue
        yield UnresolvedNames(member, spec.at or member.template, "dns", need, fixes=_resolving(member))


def _resolving(member: PodSet) -> tuple[Fix, ...]:
    if member.spec.at is None:
        return ()
    edit = Put(member.spec.at.child("dnsPolicy"), CLUSTER_FIRST, _FIRST)
    return (Fix(f"set dnsPolicy: {CLUSTER_FIRST} on {member.name}", (edit,)),)


def _set_by_operator(pod_set: PodSet) -> bool:
    """Whether the operator gives host-network pods ClusterFirstWithHostNet, because no policy is written (W 1.4)."""
    kind = shown_kind(pod_set.owner)
    return kind is not None and kind.sets_dns_policy and not pod_set.spec.dns_policy
