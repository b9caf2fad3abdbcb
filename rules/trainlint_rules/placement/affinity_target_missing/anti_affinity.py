"""Required anti-affinity that keeps no pod apart: its selector comes from another object (S 1.6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.namespace import Namespaces
from trainlint.model.pod import AffinityTerm
from trainlint.model.selector import Requirement
from trainlint.model.workload import PodSet
from trainlint.scheduling.inter_pod_affinity import term_matches
from trainlint.scheduling.node_affinity import describe
from trainlint.snapshot.build import Snapshot
from trainlint.workload.flows import maybe_many

__all__ = ["UnmatchedTerm", "terms_without_pods"]


@fact
class UnmatchedTerm:
    """A term that selects no pod; ``own`` are the requirements that the pods fail, with the labels that they have."""

    pod_set: PodSet
    wanted: str
    own: tuple[tuple[Requirement, str], ...]
    topology_key: str
    at: Location


def terms_without_pods(snapshot: Snapshot) -> Iterator[UnmatchedTerm]:
    """The terms of pod sets of several pods that select no pod of the snapshot, and the own ones all but for a value.

    Silent where a term is meant for others: it names namespaces, asks for a label that the pods do not have at all, or
    stands beside one that keeps the own pods apart; and where something else may add pods to the namespace.
    """
    alive = [pod_set for pod_set in snapshot.workloads.pod_sets if pod_set.replicas != 0]
    for pod_set in alive:
        terms = pod_set.spec.pod_anti_affinity
        if not terms or not maybe_many(pod_set) or "affinity" in " ".join(pod_set.spec.undetermined):
            continue
        if snapshot.may_hold_more(pod_set.namespace) or any(
            _selects_some(term, pod_set, [pod_set], snapshot.namespaces) for term in terms
        ):
            continue
        for term in terms:
            if term.namespaces or term.namespace_selector is not None:
                continue
            own = tuple(_failed(term, pod_set))
            if own and not _selects_some(term, pod_set, alive, snapshot.namespaces):
                requirements = term.selector.requirements if term.selector is not None else ()
                wanted = ", ".join(describe(each) for each in requirements)
                yield UnmatchedTerm(pod_set, wanted, own, term.topology_key, term.at or pod_set.spec.at or pod_set.at)


def _failed(term: AffinityTerm, pod_set: PodSet) -> Iterator[tuple[Requirement, str]]:
    """The requirements that the pods fail by another value of the same label; nothing if a label is not there."""
    requirements = term.selector.requirements if term.selector is not None else ()
    if not all(each.operator == "In" and isinstance(pod_set.labels.get(each.key), str) for each in requirements):
        return
    for each in requirements:
        value = pod_set.labels[each.key]
        if isinstance(value, str) and value not in each.values:
            yield each, value


def _selects_some(term: AffinityTerm, pod_set: PodSet, alive: Sequence[PodSet], namespaces: Namespaces) -> bool:
    return any(
        term_matches(term, pod_set.namespace, namespaces, other.labels, other.namespace) is not False for other in alive
    )
