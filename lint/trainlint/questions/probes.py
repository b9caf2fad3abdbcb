"""The ends to ask about when two states are compared: every pod, what lies outside, and what policies name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.fact import fact
from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.known import Undetermined
from trainlint.model.policy import PolicyEntry
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.policy import Endpoint, endpoint, entity
from trainlint.policy.identity import NAMESPACE_LABELS, pod_endpoint
from trainlint.policy.labels import pod_label_filter
from trainlint.policy.options import cilium_options
from trainlint.policy.selector import split_source

__all__ = ["Probe", "end_of", "probes"]

ENTITIES = ("world", "remote-node")
NAMESPACE_KEYS = ("io.kubernetes.pod.namespace", f"{NAMESPACE_LABELS}kubernetes.io/metadata.name")
ANOTHER = "another-namespace-than-those-in-git"
SOMEWHERE = Undetermined(Because(ValueGround.LANDING_ZONE))


@fact
class Probe:
    """A peer to ask about, as it was and as it is; ``at`` is the place of its labels, ``key`` names its workload."""

    before: Endpoint
    after: Endpoint
    at: Location | None = None
    key: tuple[ObjectRef, str] | None = None

    def could_be(self, ends: Iterable[Endpoint]) -> bool:
        """Whether it is known by its labels only, and pods of these ends carry them too."""
        labels = self.after.own_labels
        return (
            self.key is None
            and bool(labels)
            and any(
                end.namespace == self.after.namespace
                and all(end.own_labels.get(key) == value for key, value in labels.items())
                for end in ends
            )
        )


@fact(order=True)
class _Named:
    """Pods as a policy may name them: by namespace or the labels of namespaces, and by labels of their own."""

    namespace: str
    of_namespace: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        where = f"namespace {self.namespace}"
        if self.of_namespace:
            where = f"namespaces with {_shown(self.of_namespace)}"
        elif self.namespace == ANOTHER:
            where = "other namespaces"
        return f"pods of {where}{f' with {_shown(self.labels)}' if self.labels else ''}"


def _shown(labels: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{key}={value}" for key, value in labels)


def end_of(pod_set: PodSet, facts: Facts) -> Endpoint:
    """What policies see of the pods of a set, wherever they land."""
    snapshot = facts.snapshot
    return endpoint(pod_set, snapshot.settings, snapshot.namespaces, zone=SOMEWHERE, region=SOMEWHERE)


def probes(before: Facts, after: Facts, entries: Iterable[PolicyEntry] | None = None) -> Iterator[Probe]:
    """The ends to ask about: every pod, what lies outside the cluster, and what policies (or ``entries``) name."""
    old = {(each.owner, each.role): each for each in before.snapshot.workloads.pod_sets}
    for pod_set in after.snapshot.workloads.pod_sets:
        if pod_set.replicas == 0:
            continue
        key = (pod_set.owner, pod_set.role)
        known = pod_set.namespace in before.snapshot.namespaces
        # Pods that are new are no change of a policy: they are asked about with the labels that they bring.
        past = end_of(old.get(key, pod_set), before if known else after)
        yield Probe(past, end_of(pod_set, after), _labels_at(pod_set, before, after), key)
    for name in ENTITIES:
        yield Probe(entity(name, before.snapshot.settings), entity(name, after.snapshot.settings))
    named = {
        _named(peer.selector, entry)
        for entry in (entries if entries is not None else (*before.policies.entries, *after.policies.entries))
        for peer in entry.peers or ()
        if peer.prefixes is None and peer.kind not in {"Entities", "Nodes", "nodes"}
    }
    for each in sorted({_Named(ANOTHER), *named}):
        past_facts = before if each.namespace in before.snapshot.namespaces else after
        yield Probe(_pod_with(each, past_facts), _pod_with(each, after))


def _labels_at(pod_set: PodSet, before: Facts, after: Facts) -> Location:
    """Where the labels stand by which a pod may newly be let in: its namespace's if these changed, or its own."""
    name = pod_set.namespace
    if before.snapshot.namespaces.get(name) != after.snapshot.namespaces.get(name):
        for item in after.snapshot.objects:
            if item.meta.kind == "Namespace" and item.meta.name == name:
                return item.field.at.child("metadata", "labels")
    return pod_set.template.child("metadata", "labels")


def _named(selector: LabelSelector, entry: PolicyEntry) -> _Named:
    """A pod that just meets a selector: the first of the values that each requirement allows."""
    namespace, of_namespace, labels = entry.namespace or ANOTHER, {}, {}
    for requirement in selector.requirements:
        source, key = split_source(requirement.key)
        if source not in {"any", "k8s"} or requirement.operator != "In" or not requirement.values:
            continue
        if key in NAMESPACE_KEYS:
            namespace = requirement.values[0]
        elif key.startswith(NAMESPACE_LABELS):
            namespace, of_namespace[key.removeprefix(NAMESPACE_LABELS)] = ANOTHER, requirement.values[0]
        elif not key.startswith("io.cilium.k8s."):
            labels[key] = requirement.values[0]
    return _Named(namespace, tuple(sorted(of_namespace.items())), tuple(sorted(labels.items())))


def _pod_with(named: _Named, facts: Facts) -> Endpoint:
    options = cilium_options(facts.snapshot.settings.cni)
    known, said = facts.snapshot.namespaces.get(named.namespace), dict(named.of_namespace)
    exists = named.namespace in facts.snapshot.namespaces
    return pod_endpoint(
        str(named),
        named.namespace,
        dict(named.labels),
        namespace_labels=None if exists and known is None and not said else {**(known or {}), **said},
        service_account="default",
        options=options,
        label_filter=pod_label_filter(options),
    )
