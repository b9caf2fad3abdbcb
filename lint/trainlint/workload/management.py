"""Who beside the scheduler decides about an object's pods: Kueue, and what places pods as one (W 5, 6, 8, 11; S 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from trainlint.finding import Location
from trainlint.kube.meta import Meta, read_labels
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.workload import PodSet, Together
from trainlint.source.document import Field

__all__ = ["KUEUE_GROUP", "KUEUE_REQUIRED", "QUEUE_LABEL", "managed", "shared_unit"]

QUEUE_LABEL: Final = "kueue.x-k8s.io/queue-name"
KUEUE_REQUIRED: Final = "kueue.x-k8s.io/podset-required-topology"
KUEUE_GROUP: Final = "kueue.x-k8s.io/podset-group-name"

_JOB_SET: Final = "alpha.jobset.sigs.k8s.io/exclusive-topology"
_JOB_SET_NODES: Final = "alpha.jobset.sigs.k8s.io/node-selector"
_LEADER_WORKER_SET: Final = "leaderworkerset.sigs.k8s.io/exclusive-topology"
_KAI: Final = "kai.scheduler/topology-required-placement"
_ON_OBJECTS: Final = (_JOB_SET, _LEADER_WORKER_SET, "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology", _KAI)
_ON_TEMPLATES: Final = (*_ON_OBJECTS, KUEUE_REQUIRED, "kueue.x-k8s.io/podset-slice-required-topology")


def managed(pod_sets: Sequence[PodSet], item: Field, meta: Meta) -> tuple[PodSet, ...]:
    """The pod sets of an object with its queue and with what keeps their pods in one domain."""
    return tuple(_managed(pod_set, pod_sets, item, meta) for pod_set in pod_sets)


def _managed(pod_set: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta) -> PodSet:
    queue = meta.labels.get(QUEUE_LABEL, "")
    together = _together(pod_set, siblings, item, meta)
    placed_by = together.by if together else next((key for key in _ON_OBJECTS if key in meta.annotations), "")
    placed_by = placed_by or next((key for key in _ON_TEMPLATES if key in pod_set.annotations), "")
    if not placed_by and item.down("spec", "networkTopology").present:
        placed_by = "spec.networkTopology"
    if not queue and not placed_by:
        return pod_set
    return replace(pod_set, queue=queue, placed_by=placed_by, together=together)


def _together(pod_set: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta) -> Together | None:
    on_object = item.down("metadata", "annotations")
    on_template = pod_set.template.child("metadata", "annotations")
    if meta.kind == "JobSet":
        return _job_set(pod_set, item, meta)
    if meta.kind == "LeaderWorkerSet":
        if key := _known(meta.annotations.get(_LEADER_WORKER_SET)):
            at = on_object[_LEADER_WORKER_SET].at
            return Together(key, "", _LEADER_WORKER_SET, at, exclusive=True, leader_first=True)
        # on a template the controller does not read it: only the leader's own webhook does (W 6)
        if pod_set.role == "leader" and (key := _known(pod_set.annotations.get(_LEADER_WORKER_SET))):
            at = on_template.child(_LEADER_WORKER_SET)
            return Together(key, "leader", _LEADER_WORKER_SET, at, exclusive=True, leader_first=True)
    if key := _known(pod_set.annotations.get(KUEUE_REQUIRED)):
        unit = shared_unit(pod_set, siblings) or pod_set.role
        return Together(key, unit, KUEUE_REQUIRED, on_template.child(KUEUE_REQUIRED))
    if key := _known(meta.annotations.get(_KAI)):
        return Together(key, "", _KAI, on_object[_KAI].at)
    return _volcano(pod_set, item) if meta.api_group == "batch.volcano.sh" else None


def _job_set(pod_set: PodSet, item: Field, meta: Meta) -> Together | None:
    """Each child Job is placed alone, whether the annotation stands on the JobSet, the child Job or the pods (W 5).

    With nodes that are labelled beforehand the annotation has another meaning, which is not read.
    """
    if _JOB_SET_NODES in meta.annotations:
        return None
    entry = item.down(*pod_set.at.path[len(item.path) :])
    places: list[tuple[str | None, Location]] = [
        (read_labels(holder.down("metadata", "annotations")).get(_JOB_SET), holder.at)
        for holder in (item, entry["template"], entry.down("template", "spec", "template"))
    ]
    for value, at in places:
        if key := _known(value):
            where = at.child("metadata", "annotations", _JOB_SET)
            return Together(key, pod_set.role, _JOB_SET, where, per_block=True, exclusive=True, leader_first=True)
    return None


def _volcano(pod_set: PodSet, item: Field) -> Together | None:
    """The network topology of the whole Job, or of the parts of one task (W 8)."""
    whole = item.down("spec", "networkTopology")
    task = item.down(*pod_set.at.path[len(item.path) :])["partitionPolicy"]["networkTopology"]
    for topology, unit in ((whole, ""), (task, pod_set.role)):
        if topology.mapping is not None and read_text(topology["mode"]) in {"", "hard"}:
            by = "spec.networkTopology" if not unit else "partitionPolicy.networkTopology"
            return Together("", unit, by, topology.at, per_block=bool(unit))
    return None


def shared_unit(pod_set: PodSet, siblings: Sequence[PodSet]) -> str:
    """The unit that Kueue's group name makes; it takes exactly two pod sets, one of them of one pod (rules.md)."""
    name = pod_set.annotations.get(KUEUE_GROUP, "")
    partners = [each for each in siblings if name and each.annotations.get(KUEUE_GROUP) == name]
    if len(partners) == 2 and any(each.replicas == 1 for each in partners):
        return f"group {name}"
    return ""


def _known(value: str | None) -> str:
    """The key of a node label; empty for one that is filled in later."""
    return "" if value is None or is_placeholder(value) else value
