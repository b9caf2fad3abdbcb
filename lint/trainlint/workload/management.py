"""Who beside the scheduler decides about an object's pods: Kueue, and operators that place pods as one (W 11, S 2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from trainlint.kube.meta import Meta
from trainlint.model.workload import PodSet
from trainlint.source.document import Field

__all__ = ["QUEUE_LABEL", "managed"]

QUEUE_LABEL: Final = "kueue.x-k8s.io/queue-name"

_ON_OBJECTS: Final = (
    "alpha.jobset.sigs.k8s.io/exclusive-topology",
    "leaderworkerset.sigs.k8s.io/exclusive-topology",
    "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology",
    "kai.scheduler/topology-required-placement",
)
_ON_TEMPLATES: Final = (
    *_ON_OBJECTS,
    "kueue.x-k8s.io/podset-required-topology",
    "kueue.x-k8s.io/podset-slice-required-topology",
)


def managed(pod_set: PodSet, item: Field, meta: Meta) -> PodSet:
    """The pod set with the queue and the placement annotations of its object."""
    queue = meta.labels.get(QUEUE_LABEL, "")
    placed_by = next((key for key in _ON_OBJECTS if key in meta.annotations), "")
    placed_by = placed_by or next((key for key in _ON_TEMPLATES if key in pod_set.annotations), "")
    if not placed_by and item.down("spec", "networkTopology").present:
        placed_by = "spec.networkTopology"
    return replace(pod_set, queue=queue, placed_by=placed_by) if queue or placed_by else pod_set
