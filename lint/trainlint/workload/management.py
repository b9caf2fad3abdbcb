"""Who beside the scheduler decides about an object's pods: Kueue, and what places pods as one (W 5, 6, 8, 11; S 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from trainlint.kube.meta import Meta
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.podgroups import PodGroups
from trainlint.workload.together import tied
from trainlint.workload.written import template_of

__all__ = ["QUEUE_LABEL", "managed"]

QUEUE_LABEL: Final = "kueue.x-k8s.io/queue-name"

_ON_OBJECTS: Final = (
    "alpha.jobset.sigs.k8s.io/exclusive-topology",
    "leaderworkerset.sigs.k8s.io/exclusive-topology",
    "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology",
    "kai.scheduler/topology-required-placement",
)
_ON_TEMPLATES: Final = (
    "kai.scheduler/topology-required-placement",
    "kueue.x-k8s.io/podset-required-topology",
    "kueue.x-k8s.io/podset-slice-required-topology",
    "kueue.x-k8s.io/podset-slice-required-topology-constraints",
)


def managed(pod_sets: Sequence[PodSet], item: Field, meta: Meta, groups: PodGroups) -> tuple[PodSet, ...]:
    """The pod sets of an object with its queue and with what keeps their pods in one domain."""
    return tuple(_managed(pod_set, pod_sets, item, meta, groups) for pod_set in pod_sets)


def _managed(pod_set: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta, groups: PodGroups) -> PodSet:
    queue = meta.labels.get(QUEUE_LABEL, "")
    workload = Workload(pod_set.owner, meta.api_version, tuple(siblings), item)
    found = tied(pod_set, siblings, item, meta, groups, lambda: template_of(workload, pod_set))
    together = found.together or found.parts
    placed_by = together.by if together else next((key for key in _ON_OBJECTS if key in meta.annotations), "")
    placed_by = placed_by or next((key for key in _ON_TEMPLATES if key in pod_set.annotations), "")
    return replace(found, queue=queue, placed_by=placed_by) if queue or placed_by else found
