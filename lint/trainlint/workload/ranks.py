"""Which pod sets run ranks of a collective job, as far as the manifest proves it."""

from __future__ import annotations

from trainlint.launch.markers import Marker, Scope, markers, spans_nodes
from trainlint.launch.silent_commands import talks
from trainlint.model.workload import PodSet
from trainlint.workload.accelerators import accelerators_of

__all__ = ["computes", "indexed_ranks", "proved_ranks"]


def proved_ranks(pod_set: PodSet) -> Marker | None:
    """What proves that the pods are ranks of one job over several pods; ``None`` where nothing does, as for replicas of
    a server (W 10).
    """
    for container in pod_set.spec.containers:
        if marker := spans_nodes(container):
            return marker
    return None


def indexed_ranks(pod_set: PodSet) -> bool:
    """Whether numbered pods that all run at once are ranks: they compute on accelerators, or run what ranks run (W 9).

    Pods that each start a job of one node (``torchrun --standalone``) are not.
    """
    if proved_ranks(pod_set):
        return True
    found = [marker for container in pod_set.spec.containers for marker in markers(container)]
    if any(marker.scope is Scope.NODE for marker in found):
        return False
    return bool(found) or computes(pod_set)


def computes(pod_set: PodSet) -> bool:
    """Whether the pods ask for accelerators and do more than hold them: a pod that only waits is no rank."""
    return bool(accelerators_of(pod_set.spec)) and any(map(talks, pod_set.spec.containers))
