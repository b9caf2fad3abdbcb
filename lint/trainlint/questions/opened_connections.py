"""Which pods a change lets connect, and on which ports: by the verdicts on every pair that the change may touch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from trainlint.fact import fact
from trainlint.facts.facts import Facts
from trainlint.model.known import Undetermined
from trainlint.model.policy import Direction, Permission, PolicyEntry
from trainlint.model.workload import ObjectRef, PodSet, PortRange
from trainlint.policy import Endpoint
from trainlint.policy.matching import ReadyEntry, ready
from trainlint.questions.probes import end_of, probes

__all__ = ["EVERY_PORT", "PROTOCOLS", "Gain", "gains", "without"]

EVERY_PORT = PortRange(1, 65535)
PROTOCOLS = ("TCP", "UDP", "SCTP")
_OF_NODES = "topology.kubernetes.io/"
Key = tuple[ObjectRef, str]
Ranges = tuple[tuple[str, tuple[PortRange, ...]], ...]


@fact
class Gain:
    """Pods of ``source`` may newly open connections to those of ``target``, on ``ports`` by protocol.

    ``sure`` is false where an unknown label or address decides. ``needed``: both are of one group, or the
    group asks the cluster's DNS. ``single`` says which of the two is one pod, which needs no policy for itself.
    """

    source: str
    target: str
    ports: Ranges
    sure: bool
    needed: bool
    single: tuple[bool, bool]


def gains(before: Facts, after: Facts) -> Iterator[Gain]:
    """Every pair of ends, one of them pods of the repository, that can connect now and could not before."""
    changed = _Changed(before, after)
    if not (changed.entries or changed.moved):
        return
    for source, target in changed.pairs():
        found, sure = _more(before, after, source, target)
        if found:
            needed = any(
                source.key in group and (target.key in group or (target.dns and source.key in asking))
                for group, asking in changed.groups
            )
            yield Gain(source.name, target.name, found, sure, needed, (not source.many, not target.many))


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    """One end in both states; ``key`` names the pod set, ``many`` says that it has pods that are not the same one."""

    name: str
    before: Endpoint
    after: Endpoint
    key: Key | None = None
    many: bool = True
    dns: bool = False


@dataclass(eq=False)
class _Changed:
    """What differs between two states, and the pods that this may let connect.

    ``moved`` are the ends that policies see otherwise than before, ``groups`` the members of each group and those of
    them that ask the cluster's DNS.
    """

    before: Facts
    after: Facts
    entries: list[tuple[Facts, ReadyEntry]] = field(init=False)
    ends: list[_End] = field(init=False)
    moved: list[_End] = field(init=False)
    groups: list[tuple[set[Key], set[Key]]] = field(init=False)

    def __post_init__(self) -> None:
        old, new = self.before.policies.entries, self.after.policies.entries
        kept = set(old) & set(new)
        self.entries = [
            (facts, ready(entry, 0))
            for facts in (self.before, self.after)
            for entry in facts.policies.entries
            if entry not in kept
        ]
        self.ends = list(_ends(self.before, self.after, [each.entry for _, each in self.entries]))
        self.moved = [each for each in self.ends if each.before != each.after]
        self.groups = [
            (
                {_key(each) for each in group.members},
                {_key(group.members[flow.source]) for flow in group.flows if flow.target is None},
            )
            for group in self.after.snapshot.workloads.groups
        ]

    def pairs(self) -> Iterator[tuple[_End, _End]]:
        """Sources and targets on whose connection the change may have a say, each pair once."""
        seen: set[tuple[int, int]] = set()
        for direction in Direction:
            for subject in self.ends:
                for peer in self._peers(direction, subject):
                    source, target = (subject, peer) if direction is Direction.EGRESS else (peer, subject)
                    pair = (id(source), id(target))
                    alone = source is target and not source.many
                    if pair not in seen and not alone and (source.key or target.key):
                        seen.add(pair)
                        yield source, target

    def _peers(self, direction: Direction, subject: _End) -> Iterable[_End]:
        if subject.before != subject.after or self._isolation_differs(direction, subject):
            return self.ends
        about = [
            (facts, entry)
            for facts, entry in self.entries
            if entry.entry.direction is direction and _selects(entry, subject, facts is self.before)
        ]
        if not about:
            return self.moved
        if any(entry.entry.requires is not None for _, entry in about):
            return self.ends
        return [each for each in self.ends if each.before != each.after or self._is_peer(about, each)]

    def _is_peer(self, about: Sequence[tuple[Facts, ReadyEntry]], end: _End) -> bool:
        return any(
            entry.selects_peer(end.before if facts is self.before else end.after, facts.policies.rules) is not False
            for facts, entry in about
        )

    def _isolation_differs(self, direction: Direction, subject: _End) -> bool:
        old = self.before.policies.selection(subject.before, direction)
        new = self.after.policies.selection(subject.after, direction)
        return old.isolated is not new.isolated or (old.conflict is None) is not (new.conflict is None)


def _selects(entry: ReadyEntry, subject: _End, before: bool) -> bool:  # noqa: FBT001 (which of two states)
    end = subject.before if before else subject.after
    if entry.entry.namespace not in ("", end.namespace) or end.subject is None:
        return False
    return entry.subject.matches(end.subject, end.unknown_subject) is not False


def _ends(before: Facts, after: Facts, entries: Sequence[PolicyEntry]) -> Iterator[_End]:
    """Every pod set, what lies outside, the cluster's DNS, and what else policies name: all of them where pods
    change, else only those of the entries that do.
    """
    many = {_key(each): each for each in after.snapshot.workloads.pod_sets}
    known: dict[str, list[Endpoint]] = {}
    dns = after.policies.dns.main
    pods = [each for each in probes(before, after, ()) if each.key is not None]
    moved = any(each.before != each.after for each in pods)
    for probe in probes(before, after, None if moved else entries):
        if probe.key is not None:
            known.setdefault(probe.after.namespace, []).append(probe.after)
            yield _End(probe.after.name, probe.before, probe.after, probe.key, many=_is_many(many[probe.key]))
        elif not _is_known(probe.after, (dns, *known.get(probe.after.namespace, ()))):
            yield _End(probe.after.name, probe.before, probe.after)
    for daemon in after.cluster.daemons:
        yield _End(f"{daemon.namespace}/{daemon.name}", end_of(daemon, before), end_of(daemon, after), _key(daemon))
    yield _End("the cluster's DNS", before.policies.dns.main, dns, dns=True)


def _is_known(named: Endpoint, ends: Iterable[Endpoint]) -> bool:
    """Whether pods that a policy names by labels may be those of some end: what comes from their nodes aside."""
    labels = {key: value for key, value in named.own_labels.items() if not key.startswith(_OF_NODES)}
    return bool(labels) and any(
        end.namespace == named.namespace
        and all(_may_be(end.own_labels.get(key), value) for key, value in labels.items())
        for end in ends
    )


def _may_be(own: object, value: object) -> bool:
    return own == value or isinstance(own, Undetermined)


def _is_many(pods: PodSet) -> bool:
    """Whether the set may have two pods."""
    return (pods.replicas, pods.instances) != (1, 1) or (pods.max_replicas or 1) > 1


def _key(pods: PodSet) -> Key:
    return pods.owner, pods.role


def _more(before: Facts, after: Facts, source: _End, target: _End) -> tuple[Ranges, bool]:
    """The ports that are open now and were not, by protocol, and whether that is certain."""
    found: list[tuple[str, tuple[PortRange, ...]]] = []
    sure = True
    for protocol in PROTOCOLS:
        past = before.policies.verdict(source.before, target.before, protocol, EVERY_PORT)
        now = after.policies.verdict(source.after, target.after, protocol, EVERY_PORT)
        more = tuple(without(now.allowed, past.allowed)) if past.answer is not Permission.UNKNOWN else ()
        if not more and past.answer is Permission.DENY and now.answer is Permission.UNKNOWN:
            more, sure = (EVERY_PORT,), False
        if more:
            found.append((protocol, more))
    return tuple(found), sure


def without(ranges: Iterable[PortRange], taken: Iterable[PortRange]) -> Iterator[PortRange]:
    """The parts of some ranges that lie in none of the others, in order. Neither holds a port twice."""
    outs = sorted((each.first, each.last) for each in taken)
    at = 0
    for first, last in sorted({(each.first, each.last) for each in ranges}):
        while at < len(outs) and outs[at][1] < first:
            at += 1
        start, following = first, at
        while following < len(outs) and outs[following][0] <= last:
            if outs[following][0] > start:
                yield PortRange(start, outs[following][0] - 1)
            start = max(start, outs[following][1] + 1)
            following += 1
        if start <= last:
            yield PortRange(start, last)
