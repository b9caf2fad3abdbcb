"""How flows and policies are written in one line, as kubectl and hubble write them."""

from __future__ import annotations

from trainlint.model.policy import PolicyEntry
from trainlint.model.workload import DNS_PEER, Flow, Group

__all__ = ["flow_text", "short_policy"]


def flow_text(group: Group, flow: Flow) -> str:
    """A flow as "source -> target, TCP port"."""
    target = DNS_PEER if flow.target is None else group.members[flow.target].name
    ports = "port" if flow.ports.first == flow.ports.last else "ports"
    return f"{group.members[flow.source].name} -> {target}, {flow.protocol} {ports} {flow.ports}"


def short_policy(entry: PolicyEntry) -> str:
    """The policy without its namespace, or as what an operator makes of another object."""
    return entry.made_by or f"{entry.origin.kind} {entry.origin.name}"
