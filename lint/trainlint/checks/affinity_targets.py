"""Required pod affinity whose target does not exist, room and zones aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trainlint.model.known import Undetermined
from trainlint.model.pod import AffinityTerm
from trainlint.model.workload import PodSet
from trainlint.proof.cause import TargetCause
from trainlint.scheduling.inter_pod_affinity import attractors, starts_alone
from trainlint.scheduling.pod import Pod, defaulted
from trainlint.scheduling.requirement import selector_matches
from trainlint.snapshot.build import Snapshot

__all__ = ["missing_targets"]


def missing_targets(snapshot: Snapshot) -> Iterator[TargetCause]:
    """The pod sets that must start near a pod that no workload makes, in namespaces to which nothing else adds pods.

    Silent where the pod matches its own term: the first of all may then start (S 1.6).
    """
    alive = [pod_set for pod_set in snapshot.workloads.pod_sets if pod_set.replicas != 0]
    pods: list[Pod] = []
    for index, pod_set in enumerate(alive):
        if not pod_set.spec.pod_affinity or "affinity" in " ".join(pod_set.spec.undetermined):
            continue
        pods = pods or [defaulted(each.namespace, each.labels, each.spec) for each in alive]
        if starts_alone(pods[index], snapshot.namespaces) is not False:
            continue
        found, unsure = attractors(pods[index], pods, snapshot.namespaces, own=index)
        term = pod_set.spec.pod_affinity[0]
        if not (found or unsure) and not any(
            snapshot.may_hold_more(each) for each in _namespaces(pod_set, term, snapshot)
        ):
            yield _cause(pod_set, term, alive)


def _namespaces(pod_set: PodSet, term: AffinityTerm, snapshot: Snapshot) -> Sequence[str]:
    if term.namespace_selector is not None:
        return ("", *snapshot.namespaces)
    return term.namespaces or (pod_set.namespace,)


def _cause(pod_set: PodSet, term: AffinityTerm, alive: Sequence[PodSet]) -> TargetCause:
    requirements = term.selector.requirements if term.selector is not None else ()
    searched = () if term.namespace_selector is not None else tuple(term.namespaces) or (pod_set.namespace,)
    near = dict.fromkeys(
        (requirement.key, value)
        for requirement in requirements
        for other in alive
        if (other.namespace in searched or not searched) and (value := _text(other.labels, requirement.key)) is not None
    )
    elsewhere = dict.fromkeys(
        other.namespace
        for other in alive
        if requirements and term.selector is not None and selector_matches(term.selector, other.labels) is True
    )
    at = term.at or pod_set.spec.at or pod_set.at
    return TargetCause(pod_set, requirements, tuple(near), at, searched, tuple(elsewhere))


def _text(labels: Mapping[str, object], key: str) -> str | None:
    value = labels.get(key)
    return None if value is None or isinstance(value, Undetermined) else str(value)
