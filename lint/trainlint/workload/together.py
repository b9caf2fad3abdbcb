"""What keeps the pods of a set in one domain: annotations, fields and PodGroups (W 4 to 8, 11; S 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from trainlint.finding import Location
from trainlint.kube.meta import Meta, read_labels
from trainlint.kube.values import is_placeholder, known_text, read_int, read_text
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import PodSet, Together
from trainlint.source.document import Field
from trainlint.workload.jobset import EXCLUSIVE, placed_by_labels
from trainlint.workload.podgroups import PodGroup, topologies
from trainlint.workload.tier import tier_of

__all__ = ["KUEUE_GROUP", "KUEUE_REQUIRED", "KUEUE_SLICE", "shared_unit", "tied"]

KUEUE_REQUIRED: Final = "kueue.x-k8s.io/podset-required-topology"
KUEUE_GROUP: Final = "kueue.x-k8s.io/podset-group-name"
KUEUE_SLICE: Final = "kueue.x-k8s.io/podset-slice-required-topology"

_SLICE_SIZE: Final = "kueue.x-k8s.io/podset-slice-size"
_NO_QUEUE: Final = "whether Kueue admits it: it has no label kueue.x-k8s.io/queue-name"
_LEADER_WORKER_SET: Final = "leaderworkerset.sigs.k8s.io/exclusive-topology"
_SUBGROUP: Final = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"
_KAI: Final = "kai.scheduler/topology-required-placement"
_RAY_MODE: Final = "volcano.sh/network-topology-mode"
_RAY_TIER: Final = "volcano.sh/network-topology-highest-tier-allowed"
_RAY_DOUBT: Final = "whether KubeRay runs with Volcano as its batch scheduler"


def tied(
    pods: PodSet,
    siblings: Sequence[PodSet],
    item: Field,
    meta: Meta,
    groups: Sequence[PodGroup],
    template: Callable[[], Field],
) -> PodSet:
    """The pod set with what keeps its pods, and equal parts of them, in one domain."""
    whole, parts = _of_kind(pods, siblings, item, meta)
    whole = whole or _kueue(pods, siblings, queued="kueue.x-k8s.io/queue-name" in meta.labels)
    parts = parts or _slices(pods, queued="kueue.x-k8s.io/queue-name" in meta.labels)
    if whole is None and (key := _known(meta.annotations.get(_KAI))):
        whole = Together(key, "", _KAI, item.down("metadata", "annotations", _KAI).at)
    for group_whole, group_parts in topologies(groups, pods, template):
        whole, parts = whole or group_whole, parts or group_parts
    if whole is None and parts is None:
        return pods
    return replace(pods, together=pods.together or whole, parts=pods.parts or parts)


def _of_kind(
    pods: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta
) -> tuple[Together | None, Together | None]:
    if meta.kind == "JobSet":
        return _job_set(pods, item, meta), None
    if meta.kind in {"LeaderWorkerSet", "DisaggregatedSet"}:
        return _leader_worker_set(pods, item, meta), _subgroups(pods, siblings, item, meta)
    if meta.api_group == "batch.volcano.sh":
        return _volcano(pods, item)
    if meta.api_group == "ray.io":
        return _ray(item, meta), None
    return None, None


def _job_set(pods: PodSet, item: Field, meta: Meta) -> Together | None:
    """Each child Job is placed alone, whether the annotation stands on the JobSet, the child Job or the pods (W 5).

    With nodes that are labelled beforehand the annotation has another meaning, which is not read.
    """
    entry = item.down(*pods.at.path[len(item.path) :])
    if placed_by_labels(item, entry):
        return None
    places: list[tuple[str | None, Location]] = [
        (read_labels(holder.down("metadata", "annotations")).get(EXCLUSIVE), holder.at)
        for holder in (item, entry["template"], entry.down("template", "spec", "template"))
    ]
    for value, at in places:
        if key := _known(value):
            where = at.child("metadata", "annotations", EXCLUSIVE)
            return Together(key, pods.role, EXCLUSIVE, where, per_block=True, exclusive=True, leader_first=True)
    return None


def _leader_worker_set(pods: PodSet, item: Field, meta: Meta) -> Together | None:
    """The workers are made when the leader has a node. On a template only the leader's webhook reads it (W 6)."""
    if key := _known(meta.annotations.get(_LEADER_WORKER_SET)):
        at = item.down("metadata", "annotations", _LEADER_WORKER_SET).at
        return Together(key, "", _LEADER_WORKER_SET, at, exclusive=True, leader_first=True, leader="leader")
    if pods.role == "leader" and (key := _known(pods.annotations.get(_LEADER_WORKER_SET))):
        at = pods.template.child("metadata", "annotations", _LEADER_WORKER_SET)
        return Together(key, "leader", _LEADER_WORKER_SET, at, exclusive=True, leader_first=True)
    return None


def _subgroups(pods: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta) -> Together | None:
    """Each subgroup keeps a domain for itself; the leader is in the first one, or in none (W 6).

    With a size that is one more than a multiple, the leader is an extra pod of the first subgroup.
    """
    policy = item.down("spec", "leaderWorkerTemplate", "subGroupPolicy")
    key = _known(meta.annotations.get(_SUBGROUP))
    if not key or policy.mapping is None:
        return None
    at = item.down("metadata", "annotations", _SUBGROUP).at
    size = read_int(policy["subGroupSize"])
    alone = read_text(policy["subGroupPolicyType"]) == "LeaderExcluded"
    if pods.role == "leader" and alone:
        return None
    workers = next((each.replicas for each in siblings if each.role == "worker"), pods.replicas)
    extra = isinstance(workers, int) and isinstance(size, int) and size > 0 and workers % size == 0
    first = None if extra or alone or not isinstance(size, int) else size - 1
    if pods.role == "leader":
        size, first = 1, None
    return Together(
        key, "subgroup", _SUBGROUP, at, per_block=True, exclusive=True, leader_first=True, size=size, first=first
    )


def _volcano(pods: PodSet, item: Field) -> tuple[Together | None, Together | None]:
    """The network topology of the whole Job, and of the parts of one task (W 8)."""
    spec = item.down("spec", "jobTemplate", "spec") if item.down("spec", "jobTemplate").present else item["spec"]
    whole = tier_of(spec["networkTopology"], "", "spec.networkTopology")
    if whole is not None and spec["minAvailable"].present:
        whole = replace(whole, sure=read_int(spec["minAvailable"]))
    policy = item.down(*pods.at.path[len(item.path) :])["partitionPolicy"]
    size = read_int(policy["partitionSize"])
    parts = tier_of(policy["networkTopology"], pods.role, "partitionPolicy.networkTopology", size=size)
    return whole, parts


def _ray(item: Field, meta: Meta) -> Together | None:
    """KubeRay copies two labels of the RayCluster or RayJob into the PodGroup that it makes for Volcano (W 7)."""
    labels = item.down("metadata", "labels")
    if _RAY_TIER not in meta.labels or meta.labels.get(_RAY_MODE, "hard") != "hard":
        return None
    tier = known_text(labels[_RAY_TIER])
    return Together("", "", _RAY_TIER, labels[_RAY_TIER].at, tier=tier, doubt=_RAY_DOUBT)


def _kueue(pods: PodSet, siblings: Sequence[PodSet], *, queued: bool) -> Together | None:
    if key := _known(pods.annotations.get(KUEUE_REQUIRED)):
        unit = shared_unit(pods, siblings) or pods.role
        at = pods.template.child("metadata", "annotations", KUEUE_REQUIRED)
        return Together(key, unit, KUEUE_REQUIRED, at, doubt="" if queued else _NO_QUEUE)
    return None


def _slices(pods: PodSet, *, queued: bool) -> Together | None:
    """Each slice of so many pods, in the order of their indices, is in one domain (W 11)."""
    key = _known(pods.annotations.get(KUEUE_SLICE))
    if not key:
        return None
    text = pods.annotations.get(_SLICE_SIZE, "")
    size: Known[int] = int(text) if text.isdecimal() else Undetermined(f"{_SLICE_SIZE} is {text!r}, no number")
    at = pods.template.child("metadata", "annotations", KUEUE_SLICE)
    return Together(key, pods.role, KUEUE_SLICE, at, per_block=True, size=size, doubt="" if queued else _NO_QUEUE)


def shared_unit(pods: PodSet, siblings: Sequence[PodSet]) -> str:
    """The unit that Kueue's group name makes; it takes exactly two pod sets, one of them of one pod (S 2.2, Q 7.4)."""
    name = pods.annotations.get(KUEUE_GROUP, "")
    partners = [each for each in siblings if name and each.annotations.get(KUEUE_GROUP) == name]
    if len(partners) == 2 and any(each.replicas == 1 for each in partners):
        return f"group {name}"
    return ""


def _known(value: str | None) -> str:
    """The key of a node label; empty for one that is filled in later."""
    return "" if value is None or is_placeholder(value) else value
