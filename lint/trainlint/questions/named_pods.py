"""The labels by which people would name some pods: few, lasting, and of no other pods."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import combinations
from typing import Final

from trainlint.facts.facts import Facts
from trainlint.model.owned_labels import is_owned, is_volatile
from trainlint.model.workload import PodSet
from trainlint.policy.identity import CILIUM_PREFIX

__all__ = ["lasting_labels", "naming_labels", "pods_with"]

_OF_WORKLOADS: Final = (
    "training.kubeflow.org/job-name",
    "jobset.sigs.k8s.io/jobset-name",
    "ray.io/cluster",
    "leaderworkerset.sigs.k8s.io/name",
    "volcano.sh/job-name",
    "batch.kubernetes.io/job-name",
)
"""Labels of operators that name the workload, as people use them in selectors."""

_USUAL: Final = ("app", "app.kubernetes.io/name", "app.kubernetes.io/instance", "name", "k8s-app")
_OF_ROLES: Final = (
    "training.kubeflow.org/replica-type",
    "jobset.sigs.k8s.io/replicatedjob-name",
    "ray.io/node-type",
    "ray.io/group",
    "volcano.sh/task-spec",
    "app.kubernetes.io/component",
    "role",
)
_MOST: Final = 3


def lasting_labels(pods: PodSet) -> dict[str, str]:
    """The labels that all pods of a set carry as long as their workload is called so, known ones only."""
    return {
        key: value
        for key, value in pods.labels.items()
        if isinstance(value, str) and value and not is_volatile(key) and not _of_node(key)
    }


def _of_node(key: str) -> bool:
    """Whether the label says where a pod runs or belongs to Cilium, so that it names no workload."""
    return key.startswith(("topology.kubernetes.io/", "kubernetes.io/", "node.kubernetes.io/", CILIUM_PREFIX))


def naming_labels(facts: Facts, pods: Sequence[PodSet], like: Container[str] = ()) -> dict[str, str]:
    """The fewest labels that all these sets carry and no other set of their namespace does; empty where there are none.

    Those with the keys ``like`` come first; those that name a workload before others, these before those of a role.
    """
    shared = _shared(pods)
    usable = [(key, value) for key, value in shared.items() if not facts.policies.drops(f"any:{key}")]
    others = [
        each
        for each in facts.snapshot.workloads.pod_sets
        if each.namespace == pods[0].namespace and all(each is not own for own in pods)
    ]
    ordered = sorted(usable, key=lambda pair: (pair[0] not in like, _rank(pair[0])))
    for size in range(1, _MOST + 1):
        for chosen in combinations(ordered, size):
            if not any(_has(each, chosen) for each in others):
                return dict(chosen)
    return {}


def pods_with(facts: Facts, namespace: str, labels: Iterable[tuple[str, str]]) -> list[PodSet]:
    """The sets of a namespace whose pods may carry all of some labels."""
    wanted = list(labels)
    return [each for each in facts.snapshot.workloads.pod_sets if each.namespace == namespace and _has(each, wanted)]


def _shared(pods: Sequence[PodSet]) -> dict[str, str]:
    first, *others = map(lasting_labels, pods)
    return {key: value for key, value in first.items() if all(each.get(key) == value for each in others)}


def _has(pods: PodSet, labels: Iterable[tuple[str, str]]) -> bool:
    """Whether pods may carry labels: an unknown value may be any."""
    return all(key in pods.labels and (pods.labels[key] == value or not _known(pods, key)) for key, value in labels)


def _known(pods: PodSet, key: str) -> bool:
    return isinstance(pods.labels[key], str)


def _rank(key: str) -> tuple[int, int, str]:
    for number, keys in enumerate((_USUAL, _OF_WORKLOADS)):
        if key in keys:
            return number, keys.index(key), key
    if key in _OF_ROLES:
        return 4, _OF_ROLES.index(key), key
    return (5 if is_owned(key) else 3), 0, key
