"""The entry that was probably meant to admit a connection, and the one thing in it that keeps it from that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from trainlint.effort import spend
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.spelling import misspelt
from trainlint.model.because import Because
from trainlint.model.policy import Action, Direction, Peer, Permission, PolicyEntry, Verdict
from trainlint.model.selector import Requirement
from trainlint.model.workload import Flow, PortRange
from trainlint.policy.explanation import NearMiss, entries_about, explain
from trainlint.policy.identity import NAMESPACE_KEY, Endpoint
from trainlint.policy.matching import ReadyEntry, ready
from trainlint.policy.policyset import PolicySet
from trainlint.policy.selector import split_source
from trainlint.policy.shortfall import (
    EntryPart,
    Shortfall,
    UnmetRequirement,
    closest_peer,
    shortfalls,
    uncovered,
    unmet,
)
from trainlint.reachability import Reachability

__all__ = ["NearEntry", "near_flow", "near_misses", "nearest"]

_SURE, _LIKELY = 0, 1
_OF_NODES = "topology.kubernetes.io/"
"""Labels that pods have from their nodes: no policy means them by a label of the pods."""


@fact
class NearEntry:
    """An entry that admits a connection but for one label, one namespace or its ports.

    ``reason`` is what it asks for and what the end has, ``at`` is that place. ``wanted`` is the requirement of ``peer``
    (or of the subject), and ``meant`` the label that the end has instead, where there is one. ``end`` is the end that
    is missed, ``asked`` the protocol and ports of the connection. ``added``: a kustomization wrote all that is missed
    into the selectors, and not into the labels of the pods.
    """

    entry: PolicyEntry
    part: EntryPart
    reason: Because | UnmetRequirement
    at: Location
    wanted: Requirement | None = None
    meant: tuple[str, str] | None = None
    peer: Peer | None = None
    end: Endpoint | None = None
    asked: tuple[str, PortRange | None] = ("TCP", None)
    added: bool = False


Adds = Callable[[Location | None], bool]
"""Whether a label transformer of a kustomization wrote the label at a place."""


def near_flow(
    policies: PolicySet, reach: Reachability, flow: Flow, verdict: Verdict, adds: Adds = lambda _: False
) -> NearEntry | None:
    """The nearest miss of a flow of a group that is denied wherever its pods land; ``None`` where there is none."""
    return nearest(policies, *reach.ends(flow), verdict, flow.protocol, flow.ports, adds)


def nearest(
    policies: PolicySet,
    source: Endpoint,
    target: Endpoint,
    verdict: Verdict,
    protocol: str,
    ports: PortRange | None,
    adds: Adds = lambda _: False,
) -> NearEntry | None:
    """The nearest miss of a denied connection; ``None`` where an entry denies it or nothing comes close.

    Of two denied directions the first with a near miss counts.
    """
    for decision, subject, peer in ((verdict.egress, source, target), (verdict.ingress, target, source)):
        if decision.answer is Permission.DENY and not decision.deciding:
            found = sorted(
                _near(policies, decision.direction, subject, peer, (protocol, ports), adds), key=lambda pair: pair[0]
            )
            if found:
                return found[0][1]
    return None


def near_misses(
    policies: PolicySet, source: Endpoint, target: Endpoint, verdict: Verdict, protocol: str, ports: PortRange | None
) -> Iterator[NearMiss]:
    """The entry that comes closest for each direction that no policy admits, with all that is missing in it; nothing
    where an entry denies the connection, or where the closest entry names no peer at all.
    """
    for decision, subject, peer in ((verdict.egress, source, target), (verdict.ingress, target, source)):
        if decision.answer is Permission.DENY and not decision.deciding:
            side = explain(policies, decision.direction, subject, peer, protocol, ports)
            telling = (each for each in side.near if not any(short.names_nothing for short in each.shortfalls))
            yield from islice(telling, 1)


def _near(
    policies: PolicySet,
    direction: Direction,
    subject: Endpoint,
    peer: Endpoint,
    asked: tuple[str, PortRange | None],
    adds: Adds,
) -> Iterator[tuple[int, NearEntry]]:
    """Near misses with their rank: a slip in a label before a label of which only the ports say what was meant."""
    for entry in entries_about(policies, subject, direction):
        if entry.action is not Action.ALLOW or not entry.admits:
            continue
        spend(4)
        able = ready(entry, 0)
        found = tuple(shortfalls(able, subject, peer, *asked, policies))
        parts = {each.part for each in found}
        if found and all(_is_added(each, adds) for each in found):
            first = found[0]
            yield _SURE, NearEntry(entry, first.part, first.reason, first.at or entry.at, asked=asked, added=True)
            continue
        if len(parts) != 1 or not all(each.certain for each in found):
            continue
        yield from _ranked(able, found, subject, peer, asked, policies)


def _is_added(short: Shortfall, adds: Adds) -> bool:
    """Whether a pod lacks a label that a kustomization wrote into the selector."""
    return short.certain and isinstance(short.reason, UnmetRequirement) and adds(short.reason.requirement.at)


def _ranked(
    able: ReadyEntry,
    found: tuple[Shortfall, ...],
    subject: Endpoint,
    peer: Endpoint,
    asked: tuple[str, PortRange | None],
    policies: PolicySet,
) -> Iterator[tuple[int, NearEntry]]:
    entry, (first, *more) = able.entry, found
    if first.part is EntryPart.PORTS:
        yield _SURE, NearEntry(entry, first.part, first.reason, first.at or entry.at, asked=asked)
        return
    if more:
        return
    end, selector, missing = subject, entry.subject, None
    if first.part is EntryPart.PEER:
        closest = closest_peer(able, peer, policies)
        if closest is None or closest.peer.prefixes is not None or closest.peer.undecidable:
            return
        if closest.peer.kind in {"Entities", "Nodes", "nodes"}:
            return
        end, selector, missing = peer, closest.peer.selector, closest.peer
    missed = [item for item, _ in unmet(selector, end, policed=first.part is EntryPart.SUBJECT)]
    if len(missed) != 1 or missed[0].operator != "In" or not end.namespace:
        return
    (item,) = missed
    meant, slip = _meant(item, end)
    ports_say = entry.ports is not None and not uncovered(
        able.spans_for(subject, peer, policies.rules), asked[0], asked[1] or PortRange(0, 65535)
    )
    # Where no namespace is written, it is the policy's own; pods are then meant by labels that others have.
    unwritten = split_source(item.key)[1] == NAMESPACE_KEY and _names_more(selector.requirements)
    if not (slip or ports_say or unwritten) or (first.part is EntryPart.SUBJECT and not slip):
        return
    reason = UnmetRequirement(item, end, policies.drops(item.key), meant)
    place = first.at or entry.at
    near = NearEntry(entry, first.part, reason, place, item, meant, peer=missing, end=end, asked=asked)
    yield (_SURE if slip else _LIKELY), near


def _names_more(requirements: tuple[Requirement, ...]) -> bool:
    """Whether labels of the pods themselves are asked for too."""
    keys = (split_source(each.key)[1] for each in requirements)
    return any(not key.startswith(("io.kubernetes.pod.", "io.cilium.k8s.")) for key in keys)


def _meant(item: Requirement, end: Endpoint) -> tuple[tuple[str, str] | None, bool]:
    """The label of an end that a requirement probably means, and whether it is a slip: the value under another key, or
    a value that is spelt nearly so.
    """
    key = split_source(item.key)[1]
    own = {
        name: value
        for name, value in end.own_labels.items()
        if isinstance(value, str) and f"k8s:{name}" in end.labels and not name.startswith(_OF_NODES)
    }
    for name, value in own.items():
        if name != key and value in item.values:
            return (name, value), True
    if key in own:
        return (key, own[key]), any(misspelt(value, own[key]) for value in item.values)
    return None, False
