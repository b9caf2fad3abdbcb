"""Entries made ready for matching: peers against endpoints, port rules against numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from trainlint.fact import fact, remembered
from trainlint.model.policy import Direction, Peer, PolicyEntry, PortRule
from trainlint.model.workload import PortRange
from trainlint.policy.addresses import AddressMatcher, Network, contains
from trainlint.policy.calico_cluster import CalicoCluster
from trainlint.policy.context import PolicyContext
from trainlint.policy.identity import Endpoint
from trainlint.policy.options import CiliumOptions
from trainlint.policy.port_parts import Parts, PortSpan, parts_of, without_ports
from trainlint.policy.ports import resolve
from trainlint.policy.selector import Matcher

__all__ = ["ALL_PORTS", "ReadyEntry", "ReadyPeer", "Rules", "ready"]

ALL_PORTS = PortRange(0, 65535)


@fact
class Rules:
    """The rules of the game: Cilium's, Calico's, or plain Kubernetes' where another plugin enforces NetworkPolicy."""

    context: PolicyContext
    options: CiliumOptions
    cilium: bool
    calico: CalicoCluster | None = None

    @property
    def excluding_peers_open(self) -> bool:
        """Whether a peer that only excludes may match the pods that it excludes (P 10.1, cilium#46949)."""
        affected = self.cilium and self.options.version >= (1, 20, 0) and not self.options.local_cluster
        return affected and not self.context.bare_engine


@fact(eq=False)
class ReadyPeer:
    """A peer with its matcher."""

    peer: Peer
    labels: Matcher
    addresses: AddressMatcher | None
    excepts: tuple[Network, ...] = ()
    within: tuple[tuple[Network, ...], ...] = ()

    def matches(self, endpoint: Endpoint, rules: Rules) -> bool | None:
        """Whether the endpoint is this peer; ``None`` if that is not known."""
        if rules.calico is not None:
            return self._matches_in_calico(endpoint, rules.calico)
        if self.peer.undecidable:
            # Names and groups stand for addresses outside the cluster, a Service may stand for pods too.
            possible = endpoint.has("world") or self.peer.kind == "Services"
            return None if possible and not rules.context.bare_engine else False
        if self.addresses is not None:
            if not rules.cilium and not endpoint.has("world"):
                return None  # The API leaves it to the plugin whether an ipBlock is about pods and nodes.
            return self.addresses.matches(endpoint, rules.options, bare=rules.context.bare_engine)
        found = self.labels.matches(endpoint.labels, endpoint.unknown)
        if found is False and endpoint.namespace and rules.excluding_peers_open and self.labels.only_excludes:
            return None
        return found and self._outside(endpoint) if self.excepts else found

    def _matches_in_calico(self, endpoint: Endpoint, cluster: CalicoCluster) -> bool | None:
        """Labels and addresses must fit, whatever the end is: Calico makes sets of addresses of both (P 11.4)."""
        if self.peer.undecidable:
            return None
        found = self.labels.matches(endpoint.labels, endpoint.unknown)
        node = endpoint.has("host") or endpoint.has("remote-node")
        if found is False and node and self.peer.prefixes is None:
            seen = (each.end for each in cluster.hosts if each.seen)
            found = None if any(self.labels.matches(each.labels, each.unknown) is not False for each in seen) else False
        if found is False:
            return False
        groups = self.addresses.within if self.addresses is not None else self.within
        inside = [contains(group, endpoint.address, wildcard=True) for group in groups]
        excepts = self.addresses.excepts if self.addresses is not None else self.excepts
        outside = contains(excepts, endpoint.address, wildcard=True)
        if False in inside or outside is True:
            return False
        return None if None in inside or outside is None else found

    def _outside(self, endpoint: Endpoint) -> bool | None:
        """Whether the address, if it has one, is not among the exceptions."""
        if endpoint.address is None:
            return None if endpoint.has("world") else True
        return not contains(self.excepts, endpoint.address, wildcard=True)


@fact(eq=False, slots=False)
class ReadyEntry:
    """An entry with its matchers; ``order`` is its place among all entries."""

    entry: PolicyEntry
    order: int
    subject: Matcher
    peers: tuple[ReadyPeer, ...] | None
    spans: tuple[PortSpan, ...] | None
    named: tuple[PortRule, ...]

    @cached_property
    def parts(self) -> Parts:
        """The parts into which its spans cut the ports."""
        return parts_of(self.spans or ())

    @property
    def level(self) -> tuple[int, float, int]:
        """The key by which entries are sorted: tier, then priority; the rest only makes the order stable."""
        return (self.entry.tier, self.entry.priority, self.order)

    def selects_peer(self, endpoint: Endpoint, rules: Rules, required: Matcher | None = None) -> bool | None:
        """Whether an endpoint passes the layer-3 half of an entry (P 0.3); ``None`` where that is not known.
        ``required`` is asked of endpoint peers besides (Cilium 1.18).
        """
        if self.peers is None:
            return False
        if not self.peers:
            return self.spans is not None
        unsure = False
        for peer in self.peers:
            found = peer.matches(endpoint, rules)
            if found is not False and required is not None and peer.peer.kind == "Endpoints":
                met = required.matches(endpoint.labels, endpoint.unknown)
                found = False if met is False else found and met
            if found:
                return True
            unsure = unsure or found is None
        return None if unsure else False

    def spans_for(self, subject: Endpoint, peer: Endpoint, rules: Rules) -> tuple[PortSpan, ...] | None:
        """The layer-4 half: spans of ports, names resolved; ``None`` for every port of every protocol."""
        if self.spans is None or not (self.named or self.entry.not_ports):
            return self.spans
        ingress = self.entry.direction is Direction.INGRESS
        names = subject.names if ingress else _egress_names(peer, rules)
        ranges = ingress or rules.options.version < (1, 20, 0)
        found = [rule for each in self.named if (rule := resolve(each, names, ranges=ranges))]
        spans = (*self.spans, *(_span(rule) for rule in found))
        if not self.entry.not_ports:
            return spans
        left_out = [rule for each in self.entry.not_ports if (rule := resolve(each, names, ranges=ranges))]
        return without_ports(spans, tuple(_span(rule) for rule in left_out))


def _egress_names(peer: Endpoint, rules: Rules) -> Mapping[tuple[str, str], int]:
    """Each destination's own names from 1.20; before, one table of all pods, where ambiguous names are no names."""
    table = rules.context.port_names
    if not rules.cilium or rules.options.version >= (1, 20, 0) or table is None:
        return peer.names
    return {name: next(iter(numbers)) for name, numbers in table.items() if len(numbers) == 1}


def _span(rule: PortRule) -> PortSpan:
    ports = rule.ports or ALL_PORTS
    return (rule.protocol, ports.first, ports.last, rule)


def _ready_peer(peer: Peer) -> ReadyPeer:
    addresses = AddressMatcher.of(peer)
    if peer.prefixes is None:
        within = AddressMatcher.of(replace(peer, prefixes=peer.within)).within if peer.within else ()
        return ReadyPeer(peer, Matcher.of(peer.selector), None, addresses.excepts, within)
    return ReadyPeer(peer, Matcher.of(peer.selector), addresses)


def ready(entry: PolicyEntry, order: int) -> ReadyEntry:
    """Compile an entry; what is made of the same one is made once."""
    made = _compiled(entry)
    return made if made.order == order else replace(made, order=order)


@remembered
def _compiled(entry: PolicyEntry) -> ReadyEntry:
    peers = entry.peers
    return ReadyEntry(
        entry=entry,
        order=0,
        subject=Matcher.of(entry.subject),
        peers=None if peers is None else tuple(map(_ready_peer, peers)),
        spans=None if entry.ports is None else tuple(_span(rule) for rule in entry.ports if not rule.name),
        named=tuple(rule for rule in entry.ports or () if rule.name),
    )
