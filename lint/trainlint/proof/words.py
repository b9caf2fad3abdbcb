"""Facts of the proof as short sentences and as placements that people can read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from trainlint.finding import Location
from trainlint.model.policy import Decision, Permission, PolicyEntry, Verdict
from trainlint.model.pool import Pool
from trainlint.model.workload import DNS_PEER, Flow, Group, PodSet
from trainlint.proof.cause import Where
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.proof.restricted import zones_of
from trainlint.reachability import NO_DOMAIN, Crossing
from trainlint.scheduling.filter import Doubt, Refusal
from trainlint.scheduling.packing import Packing
from trainlint.scheduling.role import State

__all__ = [
    "denied_sentence",
    "denying_verdict",
    "directions",
    "flow_text",
    "list_of",
    "places_of",
    "refusal_sentence",
    "short_policy",
    "state_where",
    "where",
    "which_node",
]

_MADE_OF = "networkPolicy"
"""The field of a Ray cluster of which its policies are made."""

PLACES = 50
"""Places of a denial that are shown: of more policies, the first stand for all."""

Places = tuple[tuple[str, Location], ...]


def where(problem: PlacementProblem, packing: Packing) -> Where:
    """A packing as pod set, zone and number of pods."""
    zones = zones_of(problem)
    found: dict[str, dict[str, int]] = {}
    for slot in packing.slots:
        for role, count in sorted(slot.pods.items()):
            if role < problem.own:
                by_zone = found.setdefault(problem.pod_sets[role].name, {})
                by_zone[zones[slot.pool]] = by_zone.get(zones[slot.pool], 0) + count * slot.nodes
    return found


def state_where(problem: PlacementProblem, state: State) -> Where:
    """A state, one pod for each of its pairs."""
    found: dict[str, dict[str, int]] = {}
    for role, domain in sorted(state):
        by_zone, zone = found.setdefault(problem.pod_sets[role].name, {}), problem.zone(domain) or NO_DOMAIN
        by_zone[zone] = by_zone.get(zone, 0) + 1
    return found


def refusal_sentence(
    feasible: Feasibility, verdict: Iterable[Refusal | Doubt], pools: Sequence[Pool]
) -> tuple[str, Location, Places]:
    """Why the nodes of a zone refuse a pod set: the closest miss in words, its place in the pod, those in nodes."""
    refusals = [each for each in verdict if isinstance(each, Refusal)]
    pod_set = feasible.pod_set
    if not refusals:
        at = pod_set.spec.at or pod_set.at
        return f"there is no node for {pod_set.name}", at, tuple(("the nodes", pool.at) for pool in pools if pool.at)
    text = "; ".join(each.reason for each in refusals)
    at = next((each.at for each in refusals if each.at is not None), pod_set.spec.at or pod_set.at)
    places: dict[Location, list[str]] = {}
    for each in refusals:
        if each.node_at is not None:
            places.setdefault(each.node_at, []).append(each.reason)
    related = tuple((f"refuses {pod_set.name}: {'; '.join(reasons)}", place) for place, reasons in places.items())
    return f"no node takes {pod_set.name}: {text}", at, related


def remedy_for(pod_set: PodSet, verdict: Iterable[Refusal | Doubt]) -> str:
    """What would let the pods onto the nodes that refuse them least."""
    name = pod_set.name
    remedies = {
        "TaintToleration": f"add the toleration to {name}",
        "NodeAffinity": f"change what {name} requires of nodes",
        "NodeResourcesFit": f"lower what {name} asks for",
        "NodeUnschedulable": "uncordon the nodes",
    }
    plugins = dict.fromkeys(each.plugin for each in verdict if isinstance(each, Refusal))
    return ", ".join(remedies[plugin] for plugin in plugins if plugin in remedies)


def flow_text(group: Group, flow: Flow) -> str:
    """A flow as "source -> target, TCP port"."""
    target = DNS_PEER if flow.target is None else group.members[flow.target].name
    ports = "port" if flow.ports.first == flow.ports.last else "ports"
    return f"{group.members[flow.source].name} -> {target}, {flow.protocol} {ports} {flow.ports}"


def which_node(crossing: Crossing) -> str:
    """For which choice of nodes the crossing is denied; empty where it does not matter."""
    if crossing.same_node.answer is crossing.other_node.answer:
        return ""
    return "on one node" if crossing.same_node.answer is Permission.DENY else "on two nodes"


def denying_verdict(crossing: Crossing) -> Verdict:
    """The verdict that denies."""
    return crossing.other_node if crossing.other_node.answer is Permission.DENY else crossing.same_node


def denied_sentence(verdict: Verdict) -> str:
    """Which directions are denied, and by which policies."""
    return "; ".join(each.reason for each in denying(verdict))


def directions(verdict: Verdict) -> tuple[str, ...]:
    """The names of the directions that deny."""
    return tuple(each.direction.value for each in denying(verdict))


def denying(verdict: Verdict) -> tuple[Decision, ...]:
    """The directions that deny."""
    return tuple(each for each in (verdict.egress, verdict.ingress) if each.answer is Permission.DENY)


def places_of(verdict: Verdict) -> Places:
    """Where a denial is decided: the entries that deny, else per isolating policy the list that does not admit it. The
    first of them, where there are many.
    """
    found: dict[Location, str] = {}
    for decision in denying(verdict):
        side = decision.direction.value
        for entry in decision.deciding:
            found.setdefault(entry.at, f"denies it ({side}, {short_policy(entry)})")
        if not decision.deciding:
            for entry in decision.isolating:
                path = entry.at.path
                whole = Location(
                    entry.at.file, entry.at.document, path[:-1] if path and isinstance(path[-1], int) else path
                )
                found.setdefault(whole, f"does not admit it ({side}, {short_policy(entry)})")
    return tuple((role, at) for at, role in islice(found.items(), PLACES))


def short_policy(entry: PolicyEntry) -> str:
    """The policy without its namespace, or as what an operator makes of another object."""
    return entry.made_by or f"{entry.origin.kind} {entry.origin.name}"


def list_of(entry: PolicyEntry) -> Location:
    """The list in which an entry of its policy and direction that admits a peer stands, or would stand."""
    at, side = entry.at, entry.direction.value
    if entry.made_by:  # the rules that users write are parts of one field, and so is what the operator adds
        return Location(
            at.file, at.document, at.path[: at.path.index(_MADE_OF) + 1] if _MADE_OF in at.path else at.path
        )
    path = at.path[:-1] if at.path and isinstance(at.path[-1], int) else at.path
    if path and path[-1] in (side, f"{side}Deny"):
        path = path[:-1]
    return Location(at.file, at.document, (*path, side), at.base)
