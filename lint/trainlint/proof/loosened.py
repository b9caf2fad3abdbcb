"""What a change newly lets reach the pods of training groups: by comparing what is permitted, not by comparing text."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.known import Undetermined
from trainlint.model.policy import Action, Decision, Direction, Permission, PolicyEntry
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import Group, ObjectRef, PodSet, PortRange
from trainlint.policy import Endpoint, endpoint, entity
from trainlint.policy.identity import pod_endpoint
from trainlint.policy.labels import pod_label_filter
from trainlint.policy.options import cilium_options
from trainlint.policy.selector import split_source
from trainlint.proof.change import Change
from trainlint.proof.facts import Facts

__all__ = ["Loosened", "loosened"]

EVERY_PORT = PortRange(1, 65535)
PROTOCOLS = ("TCP", "UDP")
ENTITIES = ("world", "remote-node")
NAMESPACE_KEYS = ("io.kubernetes.pod.namespace", "io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name")
SOMEWHERE = Undetermined("the zone that the pod lands in")


@fact
class Loosened:
    """Peers that newly reach a group's pods, on which ports, and the place of the change that lets them."""

    group: Group
    pod_set: PodSet
    peers: tuple[str, ...]
    ports: str
    origin: ObjectRef | None
    at: Location


@fact
class _Probe:
    """A peer to ask about, as it was and as it is; ``labels`` are those that it is known by, ``at`` their place.

    ``key`` names the workload that it is, if it is one.
    """

    before: Endpoint
    after: Endpoint
    at: Location | None = None
    key: tuple[ObjectRef, str] | None = None


def loosened(change: Change) -> Iterator[Loosened]:
    """Each place of the change that lets more in, with whom it lets in and where."""
    for before, after in change.pairs():
        found: dict[tuple[str, Location], Loosened] = {}
        probes = list(_probes(before, after)) if after.snapshot.workloads.groups else []
        for group in after.snapshot.workloads.groups:
            for each in _of_group(group, probes, before, after, change):
                known = found.get((group.name, each.at))
                peers = tuple(dict.fromkeys((*(known.peers if known else ()), *each.peers)))
                found[group.name, each.at] = replace(known or each, peers=peers)
        yield from found.values()


def _of_group(
    group: Group, probes: Sequence[_Probe], before: Facts, after: Facts, change: Change
) -> Iterator[Loosened]:
    members = {(member.owner, member.role) for member in group.members}
    ends = [_endpoint(member, after) for member in group.members]
    others = [each for each in probes if each.key not in members and not _like_a_member(each, ends)]
    old = {(each.owner, each.role): each for each in before.snapshot.workloads.pod_sets}
    for index, member in enumerate(group.members):
        was = old.get((member.owner, member.role))
        if index in group.dependencies or was is None:
            continue
        one, two = _endpoint(was, before), ends[index]
        seen: set[Hashable] = set()
        for probe in others:
            for protocol in PROTOCOLS:
                past = before.policies.decision(Direction.INGRESS, one, probe.before, protocol, EVERY_PORT)
                now = after.policies.decision(Direction.INGRESS, two, probe.after, protocol, EVERY_PORT)
                more = [] if past.answer is Permission.UNKNOWN else list(_without(now.allowed, past.allowed))
                if not more:
                    continue
                relabelled = probe.at if one == two and probe.before != probe.after else None
                origin, at = _place(
                    past,
                    (before, after),
                    (two, probe.after, protocol, more[0]),
                    relabelled or member.template.child("metadata", "labels"),
                    change,
                )
                ports = f"{protocol} {', '.join(str(each) for each in more)}"
                if (probe.after.name, at) not in seen:
                    seen.add((probe.after.name, at))
                    yield Loosened(group, member, (probe.after.name,), ports, origin, at)


def _endpoint(pod_set: PodSet, facts: Facts) -> Endpoint:
    snapshot = facts.snapshot
    return endpoint(pod_set, snapshot.settings, snapshot.namespaces, zone=SOMEWHERE, region=SOMEWHERE)


def _like_a_member(probe: _Probe, ends: Iterable[Endpoint]) -> bool:
    """Whether a peer that is known by its labels only could be a pod of the group."""
    labels = probe.after.own_labels
    return (
        probe.key is None
        and bool(labels)
        and any(
            end.namespace == probe.after.namespace
            and all(end.own_labels.get(key) == value for key, value in labels.items())
            for end in ends
        )
    )


def _probes(before: Facts, after: Facts) -> Iterator[_Probe]:
    """Whom to ask about: every pod, what lies outside the cluster, and whom the policies name."""
    old = {(each.owner, each.role): each for each in before.snapshot.workloads.pod_sets}
    for pod_set in after.snapshot.workloads.pod_sets:
        if pod_set.replicas == 0:
            continue
        key = (pod_set.owner, pod_set.role)
        known = pod_set.namespace in before.snapshot.namespaces
        # Pods that are new are no change of a policy: they are asked about with the labels that they bring.
        past = _endpoint(old.get(key, pod_set), before if known else after)
        yield _Probe(past, _endpoint(pod_set, after), _labels_at(pod_set, before, after), key)
    for name in ENTITIES:
        yield _Probe(entity(name, before.snapshot.settings), entity(name, after.snapshot.settings))
    named = {
        (namespace, labels)
        for facts in (before, after)
        for entry in facts.policies.entries
        for peer in entry.peers or ()
        if peer.prefixes is None and peer.kind not in {"Entities", "Nodes", "nodes"}
        for namespace, labels in [_named(peer.selector, entry)]
    }
    for namespace, labels in sorted(named):
        past_facts = before if namespace in before.snapshot.namespaces else after
        yield _Probe(_pod_with(namespace, labels, past_facts), _pod_with(namespace, labels, after))


def _labels_at(pod_set: PodSet, before: Facts, after: Facts) -> Location:
    """Where the labels stand by which a pod may newly be let in: its namespace's if these changed, or its own."""
    name = pod_set.namespace
    if before.snapshot.namespaces.get(name) != after.snapshot.namespaces.get(name):
        for item in after.snapshot.objects:
            if item.meta.kind == "Namespace" and item.meta.name == name:
                return item.field.at.child("metadata", "labels")
    return pod_set.template.child("metadata", "labels")


def _named(selector: LabelSelector, entry: PolicyEntry) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Namespace and labels of a pod that just meets a selector: the first of the values that it allows."""
    labels: dict[str, str] = {}
    namespace = entry.namespace or "default"
    for requirement in selector.requirements:
        source, key = split_source(requirement.key)
        if requirement.operator == "In" and requirement.values and source in {"any", "k8s"}:
            if key in NAMESPACE_KEYS:
                namespace = requirement.values[0]
            elif not key.startswith("io.cilium.k8s."):
                labels[key] = requirement.values[0]
    return namespace, tuple(sorted(labels.items()))


def _pod_with(namespace: str, labels: tuple[tuple[str, str], ...], facts: Facts) -> Endpoint:
    options = cilium_options(facts.snapshot.settings.cni)
    shown = ", ".join(f"{key}={value}" for key, value in labels)
    return pod_endpoint(
        f"pods of namespace {namespace}{f' with {shown}' if shown else ''}",
        namespace,
        dict(labels),
        namespace_labels=facts.snapshot.namespaces.get(namespace, {}),
        service_account="default",
        options=options,
        label_filter=pod_label_filter(options),
    )


def _without(ranges: Iterable[PortRange], taken: Iterable[PortRange]) -> Iterator[PortRange]:
    """The parts of some ranges that lie in none of the others."""
    left = [(each.first, each.last) for each in ranges]
    for out in taken:
        left = [
            part
            for first, last in left
            for part in ((first, min(last, out.first - 1)), (max(first, out.last + 1), last))
            if part[0] <= part[1]
        ]
    return (PortRange(first, last) for first, last in dict.fromkeys(left))


def _place(
    past: Decision,
    states: tuple[Facts, Facts],
    asked: tuple[Endpoint, Endpoint, str, PortRange],
    labels: Location,
    change: Change,
) -> tuple[ObjectRef | None, Location]:
    """Where the change lets them in: a changed or added entry, what is left of a removed one, or ``labels``."""
    before, after = states
    subject, probe, protocol, ports = asked
    admitting = after.policies.decision(Direction.INGRESS, subject, probe, protocol, ports).deciding
    old = set(before.policies.entries)
    for entry in admitting:
        if entry.action is Action.ALLOW and entry not in old:
            return entry.origin, entry.at
    kept = set(after.policies.entries)
    for entry in (*past.deciding, *past.isolating):
        if (entry not in kept and entry.action is not Action.ALLOW) or (entry.isolates and entry not in kept):
            return entry.origin, _left_of(entry, after.policies.entries, after, change)
    return None, labels


def _left_of(entry: PolicyEntry, entries: Sequence[PolicyEntry], after: Facts, change: Change) -> Location:
    """The parent of an element that is gone, in the object as it is now; its old place if the object is gone."""
    item = after.snapshot.by_ref.get(entry.origin)
    if item is None or not any(each.origin == entry.origin for each in entries):
        return change.removed(entry.at)
    field = item.field
    return Location(field.document.file, field.document.index, (*field.path, "spec"))
