"""Why a zone does not take a group, in words: the reason, the places that decide it, what would end it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.finding import Location
from trainlint.kube.node import HOSTNAME
from trainlint.model.workload import Group
from trainlint.proof.notation import flow_text
from trainlint.proof.zone_reason import (
    AffinityConflict,
    DeniedFlow,
    HostLimit,
    NoDomain,
    NoNode,
    NoOrder,
    NoRoom,
    UndecidedFlow,
    ZoneReason,
)
from trainlint.scheduling.refusal import Refusal
from trainlint.wording.because import texts_of
from trainlint.wording.denials import denied_sentence, places_of
from trainlint.wording.refusals import refusals_text

__all__ = ["keeps_out", "places_of_reason", "reason_text", "refusal_text", "remedy_text"]

_REMEDIES: Final = {
    "TaintToleration": "add the toleration to {}",
    "NodeAffinity": "change what {} requires of nodes",
    "NodeResourcesFit": "lower what {} asks for",
    "NodeUnschedulable": "uncordon the nodes",
}


def reason_text(reason: ZoneReason, group: Group) -> str:
    """The reason as a sentence without its end."""
    match reason.what:
        case NoNode(refusals):
            name = reason.pod_set.name
            return f"no node takes {name}: {refusal_text(reason.what)}" if refusals else f"there is no node for {name}"
        case NoRoom(room, needed, beside):
            rest = " together with the rest" if beside else ""
            left = f": there is room for {room} of {needed}" if room else ""
            return f"the pods of {reason.pod_set.name} do not all fit{rest}{left}"
        case HostLimit(pod_sets, zone, pods, nodes, anti_affinity):
            what = "required anti-affinity" if anti_affinity else "the spread"
            apart = f"{what} over {HOSTNAME} keeps the {pods} pods of {', '.join(pod_sets)} apart"
            return f"{apart}, and {zone} has {nodes} nodes for them"
        case NoDomain(pod_sets, zone, by, exclusive):
            how = "keeps apart" if exclusive else "places"
            return f"no domains in {zone} take the pods of {', '.join(pod_sets)} as {by} {how} them"
        case AffinityConflict(pod_sets, zone):
            return f"pod affinity and anti-affinity do not let {', '.join(pod_sets)} share {zone}"
        case NoOrder(pod_sets, zone):
            bound = f"the spread and affinity constraints of {', '.join(pod_sets)}"
            return f"in no order of placement do {bound} let all pods into {zone}"
        case DeniedFlow(flow, verdict):
            return f"{flow_text(group, flow)} is denied: {denied_sentence(verdict)}"
        case UndecidedFlow(flow, unknown):
            return f"whether {flow_text(group, flow)} is permitted is not known: {'; '.join(texts_of(unknown))}"


def refusal_text(obstacle: NoNode) -> str:
    """Why the nodes that come closest refuse the pods, without saying which pods."""
    return refusals_text(obstacle.refusals) or "there is no node"


def places_of_reason(reason: ZoneReason) -> tuple[tuple[str, Location], ...]:
    """The places beside that of the reason itself, each with its part in it."""
    match reason.what:
        case NoNode(refusals, nodes):
            return (
                tuple(_at_nodes(reason.pod_set.name, refusals))
                if refusals
                else tuple(("the nodes", at) for at in nodes)
            )
        case DeniedFlow(_, verdict):
            return places_of(verdict)
    return ()


def _at_nodes(name: str, refusals: Sequence[Refusal]) -> Iterator[tuple[str, Location]]:
    places: dict[Location, list[Refusal]] = {}
    for each in refusals:
        if each.node_at is not None:
            places.setdefault(each.node_at, []).append(each)
    for at, found in places.items():
        yield f"refuses {name}: {refusals_text(found)}", at


def keeps_out(reason: ZoneReason) -> str:
    """The part of the reason's own place."""
    return f"what keeps {reason.pod_set.name} out"


def remedy_text(reason: ZoneReason, group: Group) -> str:
    """What would end the reason; empty where nothing short does."""
    match reason.what:
        case NoNode(refusals):
            remedies = (_REMEDIES.get(plugin, "") for plugin in dict.fromkeys(each.plugin for each in refusals))
            return ", ".join(each.format(reason.pod_set.name) for each in remedies if each)
        case HostLimit(zone=zone):
            return f"add nodes to {zone}, or prefer the rule instead of requiring it"
        case DeniedFlow(flow):
            return f"admit {flow_text(group, flow)} in the policies named above"
    return ""
