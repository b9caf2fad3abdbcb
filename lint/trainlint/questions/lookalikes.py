"""Which labels pods may get: never a controller's, never those of another workload, Service or policy."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from trainlint.facts.facts import Facts
from trainlint.model.known import Known
from trainlint.model.owned_labels import is_owned
from trainlint.model.policy import Action, PolicyEntry, Verdict
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.policy.edits import Edit, LabelEdit, PortEdit, Question
from trainlint.policy.fixes import OpeningEdits, opening_edits
from trainlint.policy.identity import Endpoint
from trainlint.policy.selector import Matcher
from trainlint.questions.end import End
from trainlint.questions.written_policies import is_default_deny
from trainlint.scheduling.requirement import selector_matches

__all__ = ["NAMES", "may_be_labelled", "offered"]

NAMES: Final = frozenset({"app", "app.kubernetes.io/instance", "app.kubernetes.io/name", "k8s-app", "name"})
"""Labels that say which workload pods are: with another value they are another one."""
_COPIED: Final = "topology.kubernetes.io/"
"""Labels that people write where no admission plugin copies them from the node."""
_SELECTING: Final = frozenset({"DaemonSet", "Deployment", "PodDisruptionBudget", "ReplicaSet", "StatefulSet"})
"""Kinds that find their pods by ``spec.selector``."""


def offered(facts: Facts, ends: tuple[End, End], asks: Question) -> Iterator[OpeningEdits]:
    """The smallest changes that open a connection and may be offered: none where an entry denies it, as its author
    meant these pods; no port for a policy that isolates a whole namespace; no label that names another workload.
    """
    verdict = facts.policies.verdict(*asks.placed(frozenset()), asks.protocol, asks.ports)
    if any(entry.action is Action.DENY for side in (verdict.egress, verdict.ingress) for entry in side.deciding):
        return
    for found in opening_edits(facts.policies, asks):
        wide = (isinstance(each, PortEdit) and is_default_deny(facts, each.entry) for each in found.edits)
        if not any(wide) and relabels_well(facts, ends, found.edits, found.verdict):
            yield found


def relabels_well(facts: Facts, ends: tuple[End, End], edits: Collection[Edit], verdict: Verdict) -> bool:
    """Whether labels that edits set on pods make them look like no other pods; ``verdict`` is that after the edits."""
    meant = {entry.origin for side in (verdict.egress, verdict.ingress) for entry in side.deciding}
    for number, end in enumerate(ends):
        changes = {
            each.key: each.value
            for each in edits
            if isinstance(each, LabelEdit) and each.end == number and not each.of_namespace
        }
        if changes and end.pod_set is not None and not end.hypothetical:
            now = end.endpoint(changes, {}, "other")
            if not may_be_labelled(facts, end.pod_set, changes, meant, now):
                return False
    return True


def may_be_labelled(
    facts: Facts,
    pods: PodSet,
    changes: Mapping[str, str | None],
    meant: Collection[ObjectRef] = (),
    now: Endpoint | None = None,
) -> bool:
    """Whether pods may get other labels: none that a controller owns or that names workloads, and none after which a
    Service, a workload or a policy other than those ``meant`` takes them for its own. ``now`` is what policies see.
    """
    for key, value in changes.items():
        if (is_owned(key) and not key.startswith(_COPIED)) or (key in NAMES and pods.labels.get(key) != value):
            return False
    labels: dict[str, Known[str]] = {key: value for key, value in pods.labels.items() if key not in changes}
    labels.update({key: value for key, value in changes.items() if value is not None})
    for selector in _selectors(facts, pods):
        if selector_matches(selector, labels) is not selector_matches(selector, pods.labels):
            return False
    if now is None:
        return True
    before = End(pods.name, facts, pod_set=pods).endpoint({}, {}, "other")
    return not any(_newly(entry, before, now) for entry in facts.policies.entries if entry.origin not in meant)


def _selectors(facts: Facts, pods: PodSet) -> Iterator[LabelSelector]:
    """The selectors by which Services and other workloads find pods in the namespace of a set."""
    for service in facts.snapshot.workloads.services:
        if service.ref.namespace == pods.namespace and service.selector:
            yield LabelSelector(tuple(Requirement(key, "In", (value,)) for key, value in service.selector.items()))
    for item in facts.snapshot.objects:
        if item.meta.kind in _SELECTING and item.ref.namespace == pods.namespace:
            written = item.field.down("spec", "selector", "matchLabels").mapping or {}
            labels = {str(key): value for key, value in written.items() if isinstance(value, str)}
            if labels:
                yield LabelSelector(tuple(Requirement(key, "In", (value,)) for key, value in labels.items()))
    for other in facts.snapshot.workloads.pod_sets:
        if other.owner != pods.owner:
            for term in (*other.spec.pod_affinity, *other.spec.pod_anti_affinity):
                if term.selector is not None and pods.namespace in (term.namespaces or (other.namespace,)):
                    yield term.selector


def _newly(entry: PolicyEntry, before: Endpoint, now: Endpoint) -> bool:
    """Whether an entry selects pods, or names them as a peer, that it did not before."""
    if entry.namespace in ("", now.namespace) and _more(entry.subject, before, now):
        return True
    return any(
        each.prefixes is None and each.kind not in ("Entities", "Nodes", "nodes") and _more(each.selector, before, now)
        for each in entry.peers or ()
    )


def _more(selector: LabelSelector, before: Endpoint, now: Endpoint) -> bool:
    matcher = Matcher.of(selector)
    return matcher.matches(now.labels, now.unknown) is True and matcher.matches(before.labels, before.unknown) is False
