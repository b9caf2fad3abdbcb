"""Needed flows that are denied wherever pods land, grouped by the root cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.model.policy import Decision, Permission, PolicyEntry, Verdict
from trainlint.model.root import Root
from trainlint.model.workload import Flow, FlowKind, PortRange
from trainlint.proof.cause import FlowCause
from trainlint.reachability import Reachability

__all__ = ["decisions", "flow_causes"]


OPEN: Final = 64
"""Ranges of ports that are open on a flow of which the rest is denied, up to which it is asked who opens them."""


def flow_causes(reach: Reachability) -> Iterator[FlowCause]:
    """The flows that are denied everywhere, by what is at the root of it."""
    found: dict[Root, list[tuple[Flow, Verdict]]] = {}
    for flow, verdict in reach.denied:
        found.setdefault(_root_of(flow, reach), []).append((flow, verdict))
    if Root.CONNECTION in found:
        found[Root.CONNECTION] += found.pop(Root.PORTS, [])
    for root, flows in found.items():
        admitting = {id(entry): (entry, opened) for entry, opened in _admitting(root, flows, reach)}
        yield FlowCause(root, tuple(flows), dict(admitting.values()))


def _admitting(
    root: Root, flows: Sequence[tuple[Flow, Verdict]], reach: Reachability
) -> Iterator[tuple[PolicyEntry, tuple[Flow, tuple[PortRange, ...]]]]:
    """For flows that are open on a few ports: the entries that open these, in the directions that are not all open."""
    if root is not Root.PORTS:
        return
    for flow, denied in flows:
        for open_ports in reach.on_ports(flow).allowed[:OPEN]:
            opened = decisions(reach.on_ports(flow, open_ports))
            for decision, asked, every in zip(opened, decisions(denied), decisions(reach.on_ports(flow)), strict=True):
                if asked.answer is Permission.DENY:
                    for entry in decision.deciding:
                        yield entry, (flow, every.allowed)


def _root_of(flow: Flow, reach: Reachability) -> Root:
    if flow.kind is FlowKind.DNS:
        return Root.DNS
    if flow.kind is FlowKind.COLLECTIVE and _some_port_open(flow, reach):
        return Root.PORTS
    return Root.CONNECTION


def decisions(verdict: Verdict) -> tuple[Decision, Decision]:
    """Both directions of a verdict."""
    return verdict.egress, verdict.ingress


def _some_port_open(flow: Flow, reach: Reachability) -> bool:
    """Whether the two ends may talk, only not on all ports of the flow."""
    return bool(reach.on_ports(flow).allowed)
