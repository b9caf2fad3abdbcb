"""All policies of a cluster, and the verdicts that follow from them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from trainlint.effort import spend
from trainlint.finding import Unknown
from trainlint.model.because import Because
from trainlint.model.policy import (
    Action,
    Decision,
    Direction,
    Permission,
    PolicyEntry,
    Rejection,
    Unenforced,
    Verdict,
)
from trainlint.model.workload import PortRange
from trainlint.policy.conflicts import Conflict
from trainlint.policy.doubt import doubt
from trainlint.policy.endpoints import dns_endpoint
from trainlint.policy.foreign_policies import ForeignPolicy
from trainlint.policy.ground import VerdictGround
from trainlint.policy.identity import Endpoint
from trainlint.policy.index import EntryIndex
from trainlint.policy.labels import pod_label_filter
from trainlint.policy.matching import ALL_PORTS, Rules, ready
from trainlint.policy.nodes import by_nodes
from trainlint.policy.resolvers import ClusterDns, on_port
from trainlint.policy.selection import SelectedEntries, conflict_of, select
from trainlint.policy.selector import keys_asked, split_source
from trainlint.policy.verdict import ALLOW, DENY, EITHER, Answers, Matched, decide, intersect

__all__ = ["OWN_POD", "REPLY", "SECONDARY_INTERFACE", "PolicySet", "SelectedEntries"]

OWN_POD = Because(VerdictGround.OWN_POD)
REPLY = Because(VerdictGround.REPLY)
SECONDARY_INTERFACE = Because(VerdictGround.OTHER_INTERFACE)


class PolicySet:
    """The entries in force, what is not in force and why, and the judge of connections.

    ``rejected`` objects have no effect, nor have ``unenforced`` ones; ``foreign`` policies are those of other engines,
    which may be in force beside these: where there are any, nothing is certain.
    """

    def __init__(
        self,
        entries: Iterable[PolicyEntry],
        rules: Rules,
        *,
        rejected: Sequence[Rejection] = (),
        unenforced: Sequence[Unenforced] = (),
        foreign: Sequence[ForeignPolicy] = (),
        dns: ClusterDns | None = None,
    ) -> None:
        self.entries = tuple(entries)
        self.rejected = tuple(rejected)
        self.unenforced = tuple(unenforced)
        self.foreign = tuple(foreign)
        self._rules = rules
        context = rules.context
        self.dns = dns or ClusterDns(dns_endpoint(context.settings, context.namespaces))
        spend(len(self.entries))
        self._index = EntryIndex(ready(entry, order) for order, entry in enumerate(self.entries))
        self._selections: dict[Endpoint, Mapping[Direction, SelectedEntries]] = {}
        self._alike: dict[Hashable, Mapping[Direction, SelectedEntries]] = {}
        self._matched: dict[tuple[Direction, Endpoint, Endpoint], tuple[Matched, ...]] = {}
        self._decisions: dict[tuple[Direction, Endpoint, Endpoint, str, PortRange | None], Decision] = {}

    def verdict(
        self,
        source: Endpoint,
        target: Endpoint,
        protocol: str,
        port: PortRange | int | None,
        *,
        bypass: Because | None = None,
    ) -> Verdict:
        """May ``source`` open a connection to ``target``?

        ``protocol`` is TCP, UDP, SCTP, ICMP or ICMPv6; ``port`` the destination port as the pod listens on it (a
        Service's target port), a range of which every port is needed, or ``None`` for all ports. For ICMP it is the
        message type. ``bypass`` says why policies do not see the connection, where they do not: OWN_POD, REPLY,
        SECONDARY_INTERFACE.
        """
        ports = PortRange(port, port) if isinstance(port, int) else port
        if bypass:
            allowed = (ports or ALL_PORTS,)
            sides = (Decision(each, Permission.ALLOW, allowed=allowed, bypass=bypass) for each in Direction)
            ingress, egress = sides
            return Verdict(Permission.ALLOW, egress, ingress, allowed)
        egress = self.decision(Direction.EGRESS, source, target, protocol, ports)
        ingress = self.decision(Direction.INGRESS, target, source, protocol, ports)
        answers = {egress.answer, ingress.answer}
        if Permission.DENY in answers:
            answer = Permission.DENY
        elif Permission.UNKNOWN in answers:
            answer = Permission.UNKNOWN
        else:
            answer = Permission.ALLOW
        return Verdict(answer, egress, ingress, intersect(egress.allowed, ingress.allowed))

    def decision(
        self, direction: Direction, subject: Endpoint, peer: Endpoint, protocol: str, ports: PortRange | None
    ) -> Decision:
        """What the policies of ``subject`` decide about a connection with ``peer``."""
        protocol = protocol.upper()
        key = (direction, subject, peer, protocol, ports)
        found = self._decisions.get(key)
        if found is None:
            judge = self._at_dns if subject.dns or peer.dns else self._decide
            found = judge(direction, subject, peer, protocol, ports)
            if self._rules.calico is not None:
                found = by_nodes(self, self._rules.calico, found, subject, peer, protocol, ports)
            self._decisions[key] = found
        return found

    def _at_dns(
        self, direction: Direction, subject: Endpoint, peer: Endpoint, protocol: str, ports: PortRange | None
    ) -> Decision:
        """What is decided about the cluster's DNS, whichever pods answer for it."""
        found = []
        for each in self.dns.resolvers(protocol):
            ends = (each.end if subject.dns else subject, each.end if peer.dns else peer)
            decision = self.decision(direction, *ends, protocol, on_port(each, protocol, ports))
            allowed = (ports or ALL_PORTS,) if decision.answer is Permission.ALLOW else decision.allowed
            found.append(replace(decision, allowed=allowed))
        return self.dns.together(found)

    def in_namespace(self, namespace: str) -> Sequence[PolicyEntry]:
        """The entries of the policies in a namespace, in their order; those of cluster-wide ones for ``""``."""
        return self._by_namespace.get(namespace, ())

    @cached_property
    def _by_namespace(self) -> Mapping[str, Sequence[PolicyEntry]]:
        found: dict[str, list[PolicyEntry]] = {}
        for entry in self.entries:
            found.setdefault(entry.namespace, []).append(entry)
        return found

    def with_entries(self, entries: Iterable[PolicyEntry]) -> PolicySet:
        """The same cluster with other entries in force: what would be decided if policies said something else."""
        return PolicySet(entries, self._rules, foreign=self.foreign, dns=self.dns)

    @property
    def rules(self) -> Rules:
        """The rules by which the set judges."""
        return self._rules

    def drops(self, key: str) -> bool:
        """Whether no identity ever carries the label: Cilium's filter drops it. ``key`` is a requirement's."""
        source, name = split_source(key)
        if not self._rules.cilium or source not in ("", "any", "k8s"):
            return False
        return not pod_label_filter(self._rules.options).keeps("k8s", name)

    def selection(self, subject: Endpoint, direction: Direction) -> SelectedEntries:
        """The entries that select an endpoint."""
        found = self._selections.get(subject)
        if found is None:
            like = self._like(subject)
            found = self._alike.get(like)
            if found is None:
                found = self._alike[like] = select(subject, self._index.candidates(subject), self._rules)
            self._selections[subject] = found
        return found[direction]

    def _like(self, subject: Endpoint) -> Hashable:
        """What of an endpoint says which entries select it: equal for all pods that the policies cannot tell apart."""
        labels = subject.subject
        if labels is None:
            return None
        own = frozenset((key, labels[key]) for key in self._subject_keys if key in labels)
        return (own, subject.namespace, subject.unknown_subject, "reserved:host" in labels, subject.has("init"))

    @cached_property
    def _subject_keys(self) -> frozenset[str]:
        """The labels by which entries select pods."""
        return frozenset(key for entry in self.entries for key in keys_asked(entry.subject))

    def conflicts(self, subject: Endpoint) -> Iterator[Conflict]:
        """The entries that surely select an end and cannot be merged: Cilium then computes no policy for it."""
        for direction in Direction:
            selection = self.selection(subject, direction)
            if selection.conflict is not None:
                sure = [each.entry for each, certain in selection.entries if certain]
                found = conflict_of(subject, sure, self._rules)
                if found is not None:
                    yield found

    def _decide(
        self, direction: Direction, subject: Endpoint, peer: Endpoint, protocol: str, ports: PortRange | None
    ) -> Decision:
        if self._rules.options.audit or self._own_node(direction, subject, peer):
            return Decision(direction, Permission.ALLOW, allowed=(ports or ALL_PORTS,))
        selection = self.selection(subject, direction)
        if selection.conflict is not None:
            why = selection.conflict.why
            uncertain = (Because(VerdictGround.NOT_COMPUTED, (why,)),)
            return Decision(direction, Permission.UNKNOWN, conflict=why, uncertain=uncertain)
        spend(6 + len(selection.entries))
        matched = self._match(direction, subject, peer, selection)
        calico = self._rules.calico is not None
        if calico and selection.ends:
            ends = (Matched(each.first, each.certain, None, ended=each.isolating) for each in selection.ends)
            matched = tuple(sorted((*matched, *ends), key=lambda each: each.level))
        decision = decide(
            direction,
            matched,
            protocol,
            ports,
            default=ALLOW if calico else self._default(direction, subject, peer, selection),
            isolating=() if calico else selection.isolating,
            why=lambda entry: doubt(entry, subject, peer),
        )
        there = ("", subject.namespace)
        others = tuple(
            Because(VerdictGround.FOREIGN, (each.origin,)) for each in self.foreign if each.namespace in there
        )
        # Nothing that another engine allows opens what Cilium, where it is known to run, denies.
        final = decision.answer is Permission.DENY and self._rules.cilium and self._rules.context.settings.cni.stated
        if others and subject.subject is not None and not final:
            return replace(decision, answer=Permission.UNKNOWN, allowed=(), uncertain=others)
        return decision

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """What cannot be known because of policies of other engines."""
        return tuple(
            Unknown(str(each.origin), f"what {each.origin} decides: only its own engine can tell", at=each.at)
            for each in self.foreign
        )

    def _own_node(self, direction: Direction, subject: Endpoint, peer: Endpoint) -> bool:
        """The NetworkPolicy API always allows traffic between a pod and its own node; Calico what comes from there."""
        if self._rules.calico is not None:
            return direction is Direction.INGRESS and peer.has("host")
        return not self._rules.cilium and (subject.has("host") or peer.has("host"))

    def _match(
        self, direction: Direction, subject: Endpoint, peer: Endpoint, selection: SelectedEntries
    ) -> tuple[Matched, ...]:
        key = (direction, subject, peer)
        found = self._matched.get(key)
        if found is None:
            matched = []
            for entry, certain in selection.entries:
                match = entry.selects_peer(peer, self._rules, selection.required.get(entry.entry.action))
                if match is not False:
                    spans = entry.spans_for(subject, peer, self._rules)
                    sure = certain and match is True and entry.entry.doubtful is None
                    matched.append(Matched(entry, sure, spans, self._blocked(entry.entry)))
            found = self._matched[key] = tuple(matched)
        return found

    def _blocked(self, entry: PolicyEntry) -> bool:
        """Whether an allow waits for an authentication that never happens (P 1.4, 6.67)."""
        if self._rules.context.bare_engine or entry.action is not Action.ALLOW:
            return False
        waits = entry.authentication == "required" and not self._rules.options.mutual_authentication
        return waits or entry.authentication == "test-always-fail"

    def _default(self, direction: Direction, subject: Endpoint, peer: Endpoint, selection: SelectedEntries) -> Answers:
        """What happens to connections that no entry is about: allowed, unless something isolates (P 0.3)."""
        if selection.isolated is False:
            return ALLOW
        options = self._rules.options
        # 1.20 adds the localhost allow only beside entries (P 10.9).
        applies = bool(selection.entries) or options.version < (1, 20, 0)
        if (
            applies
            and direction is Direction.INGRESS
            and options.allow_localhost
            and peer.has("host")
            and not subject.has("host")
        ):
            return ALLOW
        return DENY if selection.isolated else EITHER
