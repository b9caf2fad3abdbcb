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


def loosened(change: Change) -> Iterator[Loosened]:
    """Each place of the change that lets more in, with whom it lets in and where."""
    for before, after in change.pairs():
        found: dict[tuple[str, Location], Loosened] = {}
        for group in after.snapshot.workloads.groups:
            for each in _of_group(group, before, after, change):
                known = found.get((group.name, each.at))
                peers = tuple(dict.fromkeys((*(known.peers if known else ()), *each.peers)))
                found[group.name, each.at] = replace(known or each, peers=peers)
        yield from found.values()


def _of_group(group: Group, before: Facts, after: Facts, change: Change) -> Iterator[Loosened]:
    members = {(member.owner, member.role) for member in group.members}
    old = {(each.owner, each.role): each for each in before.snapshot.workloads.pod_sets}
    probes = _probes(before, after, members)
    for index, member in enumerate(group.members):
        was = old.get((member.owner, member.role))
        if index in group.dependencies or was is None:
            continue
        one, two = _endpoint(was, before), _endpoint(member, after)
        seen: set[Hashable] = set()
        for probe in probes:
            for protocol in PROTOCOLS:
                past = before.policies.decision(Direction.INGRESS, one, probe, protocol, EVERY_PORT)
                now = after.policies.decision(Direction.INGRESS, two, probe, protocol, EVERY_PORT)
                more = [] if past.answer is Permission.UNKNOWN else list(_without(now.allowed, past.allowed))
                if not more:
                    continue
                origin, at = _place(past, (before, after), (two, probe, protocol, more[0]), member, change)
                ports = f"{protocol} {', '.join(str(each) for each in more)}"
                if (probe.name, at) not in seen:
                    seen.add((probe.name, at))
                    yield Loosened(group, member, (probe.name,), ports, origin, at)


def _endpoint(pod_set: PodSet, facts: Facts) -> Endpoint:
    snapshot = facts.snapshot
    return endpoint(pod_set, snapshot.settings, snapshot.namespaces, zone=SOMEWHERE, region=SOMEWHERE)


def _probes(before: Facts, after: Facts, members: set[tuple[ObjectRef, str]]) -> list[Endpoint]:
    """Whom to ask about: every pod outside the group, what lies outside the cluster, and whom the policies name."""
    found = [
        _endpoint(each, after)
        for each in after.snapshot.workloads.pod_sets
        if (each.owner, each.role) not in members and each.replicas != 0
    ]
    found += [entity(name, after.snapshot.settings) for name in ENTITIES]
    for facts in (before, after):
        for entry in facts.policies.entries:
            for peer in entry.peers or ():
                if peer.prefixes is None and peer.kind not in {"Entities", "Nodes", "nodes"}:
                    found += _named(peer.selector, entry, after)
    return list(dict.fromkeys(found))


def _named(selector: LabelSelector, entry: PolicyEntry, facts: Facts) -> Iterator[Endpoint]:
    """A pod that just meets a selector: the first of the values that each requirement allows."""
    labels: dict[str, str] = {}
    namespace = entry.namespace or "default"
    for requirement in selector.requirements:
        source, key = split_source(requirement.key)
        if requirement.operator == "In" and requirement.values and source in {"any", "k8s"}:
            if key in NAMESPACE_KEYS:
                namespace = requirement.values[0]
            else:
                labels[key] = requirement.values[0]
    options = cilium_options(facts.snapshot.settings.cni)
    shown = ", ".join(f"{key}={value}" for key, value in sorted(labels.items()) if not key.startswith("io."))
    yield pod_endpoint(
        f"pods of namespace {namespace}{f' with {shown}' if shown else ''}",
        namespace,
        labels,
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
    member: PodSet,
    change: Change,
) -> tuple[ObjectRef | None, Location]:
    """Where the change lets them in: a changed or added entry, what is left of a removed one, or a label."""
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
    return None, member.template.child("metadata", "labels")


def _left_of(entry: PolicyEntry, entries: Sequence[PolicyEntry], after: Facts, change: Change) -> Location:
    """The parent of an element that is gone, in the object as it is now; its old place if the object is gone."""
    item = after.snapshot.by_ref.get(entry.origin)
    if item is None or not any(each.origin == entry.origin for each in entries):
        return change.removed(entry.at)
    field = item.field
    return Location(field.document.file, field.document.index, (*field.path, "spec"))
