"""Cluster names in pods on the host network (N 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fabric.fault import NetworkFault
from trainlint.finding import Fix, Put
from trainlint.model.workload import FlowKind, Group, PodSet
from trainlint.workload.kinds import shown_kind

__all__ = ["unresolved_names"]

_FIRST: Final = ("initContainers", "containers")
_POLICY: Final = "ClusterFirstWithHostNet"


def unresolved_names(group: Group) -> Iterator[NetworkFault]:
    """The roles on the host network that look names up at their node's resolver."""
    for index, member in enumerate(group.members):
        spec = member.spec
        if not spec.host_network or spec.dns_policy not in {"", "ClusterFirst", "Default"} or _set_by_operator(member):
            continue
        need = next((flow for flow in group.flows if flow.source == index and flow.kind is FlowKind.DNS), None)
        if need is None:
            continue
        written = (
            f"dnsPolicy {spec.dns_policy}" if spec.dns_policy == "Default" else "ClusterFirst, which acts as Default"
        )
        yield NetworkFault(
            member,
            f"the pods of {member.name} are on the host network with {written}: they ask the node's resolver, which "
            f"knows no cluster names, and they need them ({need.why})",
            spec.at or member.template,
            f"set dnsPolicy: {_POLICY}",
            "dns",
            (("needs cluster names", need.at),),
            {"needed": _POLICY},
            fixes=_resolving(member),
        )


def _resolving(member: PodSet) -> tuple[Fix, ...]:
    if member.spec.at is None:
        return ()
    return (
        Fix(f"set dnsPolicy: {_POLICY} on {member.name}", (Put(member.spec.at.child("dnsPolicy"), _POLICY, _FIRST),)),
    )


def _set_by_operator(pod_set: PodSet) -> bool:
    """Whether the operator gives host-network pods ClusterFirstWithHostNet, because no policy is written (W 1.4)."""
    kind = shown_kind(pod_set.owner)
    return kind is not None and kind.sets_dns_policy and not pod_set.spec.dns_policy
