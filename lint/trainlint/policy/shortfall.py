"""Why an entry is not about a connection: each requirement that an end does not meet, each port that is not listed."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from trainlint.fact import fact, remembered
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.policy import Direction
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.model.workload import PortRange
from trainlint.policy.ground import MissGround
from trainlint.policy.identity import Endpoint
from trainlint.policy.matching import ALL_PORTS, ReadyEntry, ReadyPeer
from trainlint.policy.policyset import PolicySet
from trainlint.policy.port_parts import PortSpan
from trainlint.policy.selector import Matcher, split_source

__all__ = ["EntryPart", "Shortfall", "UnmetRequirement", "closest_peer", "shortfalls", "uncovered", "unmet"]


class EntryPart(StrEnum):
    """The part of an entry that does not fit."""

    SUBJECT = "subject"
    PEER = "peer"
    PORTS = "ports"


@fact
class UnmetRequirement:
    """A requirement on labels, and the end that does not meet it.

    ``dropped``: Cilium leaves the label out of identities. ``meant`` is the label that the end has instead of it, where
    that is known.
    """

    requirement: Requirement
    end: Endpoint
    dropped: bool = False
    meant: tuple[str, str] | None = None


@fact
class Shortfall:
    """One thing that keeps an entry from being about a connection.

    ``reason`` is a requirement that an end does not meet, or another ground; ``certain`` is false where the label or
    address that decides is not known.
    """

    part: EntryPart
    reason: Because | UnmetRequirement
    at: Location | None
    certain: bool = True

    @property
    def names_nothing(self) -> bool:
        """Whether the entry names no peer at all."""
        empty = (MissGround.NEITHER, MissGround.NO_PEERS)
        return isinstance(self.reason, Because) and self.reason.ground in empty


def shortfalls(
    ready: ReadyEntry,
    subject: Endpoint,
    peer: Endpoint,
    protocol: str,
    ports: PortRange | None,
    policies: PolicySet,
) -> Iterator[Shortfall]:
    """Everything that keeps an entry from matching; nothing for one that matches."""
    entry = ready.entry
    for item, certain in unmet(entry.subject, subject, policed=True):
        reason = UnmetRequirement(item, subject, policies.drops(item.key))
        yield Shortfall(EntryPart.SUBJECT, reason, _place(item, entry.subject), certain)
    yield from _peer_shortfalls(ready, subject, peer, policies)
    yield from _port_shortfalls(ready, subject, peer, protocol, ports, policies)


@remembered
def _matcher(item: Requirement) -> Matcher:
    return Matcher.of(LabelSelector((item,)))


def unmet(selector: LabelSelector, end: Endpoint, *, policed: bool = False) -> Iterator[tuple[Requirement, bool]]:
    """The requirements that an end does not meet, each with whether that is certain.

    ``policed``: by the labels by which policies select it to police it, not by those by which others see it.
    """
    labels, unknown = (end.subject or {}, end.unknown_subject) if policed else (end.labels, end.unknown)
    for item in selector.requirements:
        match = _matcher(item).matches(labels, unknown)
        if match is not True:
            yield item, match is False
    if selector.expression is not None:
        match = Matcher((), selector.expression).matches(labels, unknown)
        if match is not True:
            yield Requirement(selector.expression.text, "Selector", (), selector.at), match is False


def _peer_shortfalls(ready: ReadyEntry, subject: Endpoint, peer: Endpoint, policies: PolicySet) -> Iterator[Shortfall]:
    entry = ready.entry
    required = policies.selection(subject, entry.direction).required.get(entry.action)
    match = ready.selects_peer(peer, policies.rules, required)
    if match is True:
        return
    if ready.selects_peer(peer, policies.rules) is True:
        yield Shortfall(EntryPart.PEER, Because(MissGround.REQUIRED_OF_ALL, (peer.name,)), entry.at)
        return
    if entry.peers is None:
        yield Shortfall(EntryPart.PEER, Because(MissGround.NO_PEERS), entry.at)
        return
    if not entry.peers:
        yield Shortfall(EntryPart.PEER, Because(MissGround.NEITHER), entry.at)
        return
    found = closest_peer(ready, peer, policies)
    if found is None:
        return
    at = found.peer.at or entry.at
    written = found.peer.written or found.peer.kind
    if found.peer.undecidable:
        reason = Because(MissGround.UNDECIDABLE, (written, found.peer.undecidable))
        yield Shortfall(EntryPart.PEER, reason, at, certain=match is False)
    elif found.peer.prefixes is not None or _only_by_address(found, peer, policies):
        yield Shortfall(EntryPart.PEER, _address_ground(found, peer, policies), at, certain=match is False)
    elif found.peer.kind == "Entities":
        reason = Because(MissGround.ENTITY, (peer.name, written.partition(": ")[2] or written))
        yield Shortfall(EntryPart.PEER, reason, at)
    elif not peer.namespace and _names_pods(found.peer.selector):
        node = peer.has("host") or peer.has("remote-node")
        ground = MissGround.NODE_BY_LABELS if node else MissGround.NO_POD_BY_LABELS
        yield Shortfall(EntryPart.PEER, Because(ground, (peer.name,)), at, certain=match is False)
    else:
        for item, certain in unmet(found.peer.selector, peer):
            place = _place(item, found.peer.selector) or at
            yield Shortfall(EntryPart.PEER, UnmetRequirement(item, peer, policies.drops(item.key)), place, certain)


def closest_peer(ready: ReadyEntry, peer: Endpoint, policies: PolicySet) -> ReadyPeer | None:
    """The peer of an entry that an end comes closest to: peers by labels first, fewest requirements unmet; ``None``
    where every peer takes it.
    """

    def distance(each: ReadyPeer) -> tuple[bool, int]:
        by_labels = each.peer.prefixes is None and not each.peer.undecidable and each.peer.kind != "Entities"
        return (not by_labels, len(list(unmet(each.peer.selector, peer))))

    possible = [each for each in ready.peers or () if each.matches(peer, policies.rules) is not True]
    return min(possible, key=distance, default=None)


def _only_by_address(found: ReadyPeer, peer: Endpoint, policies: PolicySet) -> bool:
    """Whether Calico's peer fits but for the address."""
    return policies.rules.calico is not None and found.labels.matches(peer.labels, peer.unknown) is True


def _address_ground(found: ReadyPeer, peer: Endpoint, policies: PolicySet) -> Because:
    groups = found.peer.prefixes or found.peer.within
    prefixes = ", ".join(prefix for group in groups for prefix in group)
    if policies.rules.calico is not None and peer.address is None and not peer.has("world"):
        if not prefixes:
            prefixes = f"none of {', '.join(found.peer.excepts)}"
        return Because(MissGround.OUTSIDE, (peer.name, prefixes))
    if not peer.has("world"):
        return Because(MissGround.INSIDE, (prefixes, peer.name))
    if peer.address is None:
        return Because(MissGround.MAY_LIE_IN, (peer.name, prefixes))
    if found.peer.excepts:
        return Because(MissGround.EXCEPT, (peer.address, prefixes, ", ".join(found.peer.excepts)))
    return Because(MissGround.NOT_IN, (peer.address, prefixes))


def _names_pods(selector: LabelSelector) -> bool:
    """Whether it can only be about pods: a label of theirs, of their namespace, or their cluster is asked for."""
    return any(
        item.operator in ("In", "Exists") and split_source(item.key)[0] in ("any", "k8s")
        for item in selector.requirements
    )


def _place(item: Requirement, selector: LabelSelector) -> Location | None:
    return item.at or selector.at


def _port_shortfalls(
    ready: ReadyEntry,
    subject: Endpoint,
    peer: Endpoint,
    protocol: str,
    ports: PortRange | None,
    policies: PolicySet,
) -> Iterator[Shortfall]:
    entry = ready.entry
    spans = ready.spans_for(subject, peer, policies.rules)
    if not uncovered(spans, protocol, ports or ALL_PORTS):
        return
    if not entry.ports:
        yield Shortfall(EntryPart.PORTS, Because(MissGround.NO_PORT), entry.at)
        return
    listed = ", ".join(dict.fromkeys(_span_text(span) for span in spans or ()))
    owner = subject if entry.direction is Direction.INGRESS else peer
    at = next((rule.at for rule in entry.ports if rule.at is not None), entry.at)
    asked = f"{protocol} {ports}" if ports is not None else f"every {protocol} port"
    if listed:
        yield Shortfall(EntryPart.PORTS, Because(MissGround.PORTS, (listed, asked)), at)
    else:
        names = ", ".join(sorted({rule.name for rule in ready.named}))
        yield Shortfall(EntryPart.PORTS, Because(MissGround.NAMED_PORT, (names, owner.name)), at)


def _span_text(span: PortSpan) -> str:
    protocol, first, last, _ = span
    if (first, last) == (ALL_PORTS.first, ALL_PORTS.last):
        return f"every {protocol} port"
    return f"{protocol} {PortRange(first, last)}"


def uncovered(spans: tuple[PortSpan, ...] | None, protocol: str, ports: PortRange) -> bool:
    """Whether some port of the protocol lies in no span (``None``: every port is listed)."""
    if spans is None:
        return False
    needed = ports.first
    for first, last in sorted((first, last) for name, first, last, _ in spans if name == protocol.upper()):
        if first <= needed <= last:
            needed = last + 1
    return needed <= ports.last
