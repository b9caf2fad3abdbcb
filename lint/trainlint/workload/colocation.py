"""What keeps the pods of a set in one domain: annotations, fields and PodGroups (W 4 to 8, 11; S 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from trainlint.kube.meta import Meta
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import Colocation, PodSet
from trainlint.source.document import Field
from trainlint.workload.domain_annotations import DomainTies, known_key
from trainlint.workload.ground import PodGround, TieGround
from trainlint.workload.kinds import workload_kind
from trainlint.workload.podgroups import PodGroup, topologies

__all__ = ["KUEUE_GROUP", "KUEUE_REQUIRED", "KUEUE_SLICE", "shared_unit", "tied"]

KUEUE_REQUIRED: Final = "kueue.x-k8s.io/podset-required-topology"
KUEUE_GROUP: Final = "kueue.x-k8s.io/podset-group-name"
KUEUE_SLICE: Final = "kueue.x-k8s.io/podset-slice-required-topology"

_SLICE_SIZE: Final = "kueue.x-k8s.io/podset-slice-size"
_NO_QUEUE: Final = Because(TieGround.KUEUE_ADMITS)
_KAI: Final = "kai.scheduler/topology-required-placement"


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
    if whole is None and (key := known_key(meta.annotations.get(_KAI))):
        whole = Colocation(key, "", _KAI, item.down("metadata", "annotations", _KAI).at)
    for group_whole, group_parts in topologies(groups, pods, template):
        whole, parts = whole or group_whole, parts or group_parts
    if whole is None and parts is None:
        return pods
    return replace(pods, together=pods.together or whole, parts=pods.parts or parts)


def _of_kind(pods: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta) -> DomainTies:
    """What the kind of the object has of its own for it."""
    kind = workload_kind(meta.api_version, meta.kind)
    return (None, None) if kind is None or kind.ties is None else kind.ties(pods, siblings, item, meta)


def _kueue(pods: PodSet, siblings: Sequence[PodSet], *, queued: bool) -> Colocation | None:
    if key := known_key(pods.annotations.get(KUEUE_REQUIRED)):
        unit = shared_unit(pods, siblings) or pods.role
        at = pods.template.child("metadata", "annotations", KUEUE_REQUIRED)
        return Colocation(key, unit, KUEUE_REQUIRED, at, doubt=None if queued else _NO_QUEUE)
    return None


def _slices(pods: PodSet, *, queued: bool) -> Colocation | None:
    """Each slice of so many pods, in the order of their indices, is in one domain (W 11)."""
    key = known_key(pods.annotations.get(KUEUE_SLICE))
    if not key:
        return None
    text = pods.annotations.get(_SLICE_SIZE, "")
    size: Known[int] = (
        int(text) if text.isdecimal() else Undetermined(Because(PodGround.NO_NUMBER, (_SLICE_SIZE, repr(text))))
    )
    at = pods.template.child("metadata", "annotations", KUEUE_SLICE)
    return Colocation(key, pods.role, KUEUE_SLICE, at, per_block=True, size=size, doubt=None if queued else _NO_QUEUE)


def shared_unit(pods: PodSet, siblings: Sequence[PodSet]) -> str:
    """The unit that Kueue's group name makes; it takes exactly two pod sets, one of them of one pod (S 2.2, Q 7.4)."""
    name = pods.annotations.get(KUEUE_GROUP, "")
    partners = [each for each in siblings if name and each.annotations.get(KUEUE_GROUP) == name]
    if len(partners) == 2 and any(each.replicas == 1 for each in partners):
        return f"group {name}"
    return ""
