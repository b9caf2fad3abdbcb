"""Who beside the scheduler decides about an object's pods: Kueue, and what places pods as one (W 5, 6, 8, 11; S 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from trainlint.kube.meta import Meta, read_meta
from trainlint.model.settings import KueueManager
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.colocation import tied
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.podgroups import PodGroup

__all__ = ["QUEUE_LABEL", "managed", "manages", "queue_label", "queued_kind"]

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


def managed(
    pod_sets: Sequence[PodSet], item: Field, meta: Meta, groups: Sequence[PodGroup], manager: KueueManager | None = None
) -> tuple[PodSet, ...]:
    """The pod sets of an object with its queue (if ``manager`` lets Kueue see it) and with what keeps their pods in one
    domain.
    """
    label = queue_label(item).scalar if manages(manager, *queued_kind(item)) else None
    queue = label or ""
    return tuple(_managed(pod_set, pod_sets, item, meta, groups, queue) for pod_set in pod_sets)


def queue_label(item: Field) -> Field:
    """Where an object names its queue of Kueue; a CronJob does so for the Jobs that it makes, in their template."""
    at = ("spec", "jobTemplate") if _makes_jobs(item) else ()
    return item.down(*at, "metadata", "labels", QUEUE_LABEL)


def queued_kind(item: Field) -> tuple[str, str]:
    """API version and kind of what Kueue admits of an object: itself, or the Jobs that a CronJob makes."""
    meta = read_meta(item)
    return meta.api_version, meta.kind.removeprefix("Cron") if _makes_jobs(item) else meta.kind


def _makes_jobs(item: Field) -> bool:
    return read_meta(item).api_group == "batch" and item.down("spec", "jobTemplate", "spec").present


def manages(manager: KueueManager | None, api_version: str, kind: str) -> bool:
    """Whether Kueue manages objects of a kind; all of them where its configuration is unknown."""
    if manager is None:
        return True
    group, _, version = api_version.rpartition("/")
    plain = kind.lower() if group in ("", "apps") else f"{group}/{kind.lower()}"
    return plain in manager.frameworks or f"{kind}.{version}.{group}" in manager.external


def _managed(
    pod_set: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta, groups: Sequence[PodGroup], queue: str
) -> PodSet:
    workload = Workload(pod_set.owner, meta.api_version, tuple(siblings), item)
    found = tied(pod_set, siblings, item, meta, groups, lambda: template_of(workload, pod_set))
    together = found.together or found.parts
    placed_by = together.by if together else next((key for key in _ON_OBJECTS if key in meta.annotations), "")
    placed_by = placed_by or next((key for key in _ON_TEMPLATES if key in pod_set.annotations), "")
    return replace(found, queue=queue, placed_by=placed_by) if queue or placed_by else found
