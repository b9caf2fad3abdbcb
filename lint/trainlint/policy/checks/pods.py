"""Which pods a policy is about, as its author sees them: by the labels of their templates."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.known import Known, Undetermined
from trainlint.model.namespace import Namespaces
from trainlint.model.policy import Direction, Peer, PolicyEntry, PortRule
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef, PodSet, Service
from trainlint.policy.checks.end_index import EndIndex
from trainlint.policy.conflicts import Conflict
from trainlint.policy.endpoints import endpoint
from trainlint.policy.identity import NAMESPACE_KEY
from trainlint.policy.policyset import PolicySet
from trainlint.policy.selector import Matcher, keys_asked, split_source

__all__ = ["Audience", "HostNetworkSelector", "ServicePortMiss", "Unselected"]

SYSTEM_NAMESPACES = frozenset({"kube-system", "kube-public", "kube-node-lease"})
"""Namespaces whose pods come with the cluster."""
SOMEWHERE = Undetermined(Because(ValueGround.LANDING_ZONE))


@fact
class HostNetworkSelector:
    """A selector that is aimed at pods on the host network: they are nodes, and their labels do not count (P 4).

    ``only`` says that it is aimed at no others.
    """

    entry: PolicyEntry
    pod_set: PodSet
    subject: bool
    at: Location
    only: bool


@fact
class Unselected:
    """A policy whose subject selects no pod, with the labels that come closest.

    ``by_labels``: its selector is written as labels, not as a text.
    """

    origin: ObjectRef
    requirements: tuple[Requirement, ...]
    near: tuple[tuple[str, str], ...]
    at: Location
    by_labels: bool = True


@fact
class ServicePortMiss:
    """A port rule that lists the port of a Service although its pods listen on another one (P 1.4)."""

    entry: PolicyEntry
    service: Service
    port: int
    target: int
    at: Location


class Audience:
    """The pods of a snapshot as policies select them, and as they would if none were on the host network."""

    def __init__(self, pod_sets: Sequence[PodSet], settings: Settings, namespaces: Namespaces) -> None:
        self._sets = [each for each in pod_sets if each.replicas != 0]
        self._real = [endpoint(each, settings, namespaces, zone=SOMEWHERE, region=SOMEWHERE) for each in self._sets]
        where = [each.namespace for each in self._sets]
        self._by_label = EndIndex(self._real, where)
        plain = [
            endpoint(_on_pod_network(each), settings, namespaces, zone=SOMEWHERE, region=SOMEWHERE)
            if each.spec.host_network
            else real
            for each, real in zip(self._sets, self._real, strict=True)
        ]
        self._plain = self._by_label if plain == self._real else EndIndex(plain, where)

    def surely(self, entry: PolicyEntry) -> list[PodSet]:
        """The pods that an entry selects for certain."""
        return [each for each, match in self._selected(entry.subject, self._by_label, entry.namespace) if match]

    def perhaps(self, entry: PolicyEntry) -> list[PodSet]:
        """The pods that an entry selects, or may select."""
        return [each for each, _ in self._selected(entry.subject, self._by_label, entry.namespace)]

    def unmergeable(self, policies: PolicySet) -> Iterator[tuple[PodSet, Conflict]]:
        """Entries that select the same pods and cannot be merged, each pair once."""
        seen: set[tuple[Location, Location]] = set()
        for pod_set, end in zip(self._sets, self._real, strict=True):
            for conflict in policies.conflicts(end):
                key = (conflict.entry.at, conflict.other.at)
                if key not in seen:
                    seen.add(key)
                    yield pod_set, conflict

    def _selected(
        self, selector: LabelSelector, ends: EndIndex, namespace: str = ""
    ) -> Iterator[tuple[PodSet, bool | None]]:
        """The pods that a selector may select, each with whether it does; ``None`` where that is unknown."""
        for index, match in ends.selected(Matcher.of(selector), namespace):
            yield self._sets[index], match

    def aimed_at_hosts(
        self, entries: Iterable[PolicyEntry], grouped: Container[int] = ()
    ) -> Iterator[HostNetworkSelector]:
        """Selectors by pod labels that pods on the host network would satisfy, each place once.

        Where pods on the pod network satisfy them too, only those pods count whose ``id`` is among ``grouped``: the
        members of training groups.
        """
        if not any(each.spec.host_network for each in self._sets):
            return
        seen: set[Location | None] = set()
        for entry in entries:
            parts = [] if entry.node else [(entry.subject, entry.namespace, True, entry.subject.at)]
            parts += [(peer.selector, "", False, peer.at) for peer in entry.peers or () if _by_labels(peer)]
            for selector, namespace, subject, at in parts:
                if at is None or at in seen or not _names_pods(selector):
                    continue
                found = [pod_set for pod_set, match in self._selected(selector, self._plain, namespace) if match]
                on_host = [each for each in found if each.spec.host_network]
                if len(on_host) < len(found):
                    on_host = [each for each in on_host if id(each) in grouped]
                if on_host:
                    seen.add(at)
                    yield HostNetworkSelector(entry, on_host[0], subject, at, only=len(on_host) == len(found))

    def selects_no_pod(self, entry: PolicyEntry) -> Unselected | None:
        """The entry's subject where no pod can be in it, not even one on the host network; ``None`` where one may."""
        inside = (self._sets[index] for index in self._by_label.inside(entry.namespace))
        placed = tuple(inside) if entry.namespace else self._sets
        if entry.node or not _names_pods(entry.subject) or not placed or self._may_be_system(entry):
            return None
        if any(self._selected(entry.subject, self._plain, entry.namespace)):
            return None
        wanted, near = [], []
        for requirement in entry.subject.requirements:
            source, key = split_source(requirement.key)
            if source == "reserved" or key.startswith("io."):
                continue
            wanted.append(requirement)
            near += [(key, value) for each in placed if isinstance(value := each.labels.get(key), str)]
        if entry.subject.expression is not None:
            wanted = [Requirement(entry.subject.expression.text, "Selector")]
        at = entry.subject.at or entry.at
        return Unselected(entry.origin, tuple(wanted), tuple(dict.fromkeys(near)), at, _by_matching(entry.subject))

    def _may_be_system(self, entry: PolicyEntry) -> bool:
        """Whether it is about pods that every cluster has and that are not in Git: those of kube-system, its DNS."""
        namespaces = {entry.namespace} if entry.namespace else set[str]()
        for each in entry.subject.requirements:
            key = split_source(each.key)[1]
            if key == "k8s-app" and not entry.namespace:
                return True
            if key == NAMESPACE_KEY and each.operator == "In":
                namespaces.update(each.values)
        return not SYSTEM_NAMESPACES.isdisjoint(namespaces)

    def selects(self, entry: PolicyEntry) -> bool:
        """Whether some of the pods are in the entry's subject, or may be."""
        return not entry.node and any(True for _ in self._selected(entry.subject, self._plain, entry.namespace))

    def service_ports(self, entries: Iterable[PolicyEntry], services: Iterable[Service]) -> Iterator[ServicePortMiss]:
        """Port rules that list a Service's port where the pods behind it listen on another one only."""
        known: dict[str, list[tuple[Service, list[PodSet]]]] = {}
        for service in services:
            behind = self._behind(service)
            if behind:
                known.setdefault(service.ref.namespace, []).append((service, behind))
        for entry in entries:
            rules = [each for each in entry.ports or () if each.ports and each.ports.first == each.ports.last]
            if not rules:
                continue
            chosen = self._targets(entry)
            near = dict.fromkeys(each.namespace for each in chosen)
            led = [pair for namespace in near for pair in known.get(namespace, ())]
            for rule in rules:
                yield from _port_misses(entry, rule, led, {id(each) for each in chosen})

    def _behind(self, service: Service) -> list[PodSet]:
        """The pods that a Service selects; a label that differs from pod to pod is equal to none."""
        namespace, selector = service.ref.namespace, service.selector or {}
        having = [self._labelled.get((namespace, *each), ()) for each in selector.items()]
        fewest = (self._sets[index] for index in min(having, key=len, default=()))
        return [each for each in fewest if selector.items() <= each.labels.items()]

    @cached_property
    def _labelled(self) -> dict[tuple[str, str, Known[str]], list[int]]:
        """The pods of a namespace with a label."""
        found: dict[tuple[str, str, Known[str]], list[int]] = {}
        for index, each in enumerate(self._sets):
            for label in each.labels.items():
                found.setdefault((each.namespace, *label), []).append(index)
        return found

    def _targets(self, entry: PolicyEntry) -> list[PodSet]:
        """The pods whose ports an entry lists: its subjects for ingress, its peers for egress."""
        if entry.direction is Direction.INGRESS:
            return self.surely(entry)
        return [
            each
            for peer in entry.peers or ()
            if _by_labels(peer) and _names_pods(peer.selector)
            for each, match in self._selected(peer.selector, self._by_label)
            if match
        ]


def _port_misses(
    entry: PolicyEntry, rule: PortRule, services: Iterable[tuple[Service, list[PodSet]]], chosen: set[int]
) -> Iterator[ServicePortMiss]:
    """The Services whose port a rule lists, unless one of them leads to what the rule or its entry admits."""
    found = []
    for service, pods in services:
        ports = [each for each in service.ports if rule.ports is not None and each.number == rule.ports.first]
        behind = [each for each in pods if id(each) in chosen] if ports else []
        for port in ports:
            if rule.protocol not in {"", port.protocol}:
                continue
            target = _target(port.target, port.number, behind)
            if target is not None and not any(_listens(each, port.number) for each in behind):
                found.append(ServicePortMiss(entry, service, port.number, target, rule.at or entry.at))
    if not any(_admits(entry, miss.target, rule.protocol) for miss in found):
        yield from found


def _admits(entry: PolicyEntry, number: int, protocol: str) -> bool:
    """Whether some port rule of an entry lists a port, or may: what a name stands for is left open."""
    return any(
        bool(each.name) or each.ports is None or each.ports.first <= number <= each.ports.last
        for each in entry.ports or ()
        if "" in {each.protocol, protocol} or each.protocol == protocol
    )


def _on_pod_network(pod_set: PodSet) -> PodSet:
    return replace(pod_set, spec=replace(pod_set.spec, host_network=False))


def _by_labels(peer: Peer) -> bool:
    return peer.prefixes is None and not peer.undecidable and peer.kind not in {"Entities", "Nodes", "nodes"}


def _names_pods(selector: LabelSelector) -> bool:
    """Whether it asks for a label of the pod itself, not only for a namespace or cluster."""
    for asked in keys_asked(selector):
        source, key = split_source(asked)
        if source in {"any", "k8s"} and not key.startswith(("io.kubernetes.pod.", "io.cilium.k8s.")):
            return True
    return False


def _by_matching(selector: LabelSelector) -> bool:
    """Whether its requirements have places of their own: those of Calico stand in one text."""
    return any(each.at is not None for each in selector.requirements)


def _target(target: int | str | None, number: int, pods: Sequence[PodSet]) -> int | None:
    """The port on which the pods behind a Service listen; ``None`` if no pod is behind it, or they differ."""
    if not pods:
        return None
    if not isinstance(target, str):
        return number if target is None else target
    found = {
        port.number
        for pod_set in pods
        for container in pod_set.spec.containers
        for port in container.ports
        if port.name == target
    }
    return found.pop() if len(found) == 1 else None


def _listens(pod_set: PodSet, number: int) -> bool:
    return any(port.number == number for container in pod_set.spec.containers for port in container.ports)
