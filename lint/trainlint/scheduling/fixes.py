"""Proposals about where pods may go, not tried yet: tolerations, zones, neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trainlint.finding import Append, Edit, Fix, Put
from trainlint.model.pool import Taint
from trainlint.model.workload import PodSet
from trainlint.scheduling.taint_toleration import describe

__all__ = ["FIRST", "follow", "pin", "tolerate"]

FIRST = ("initContainers", "containers")
"""Before these a new field of a pod spec is written, where people look for it."""


def tolerate(pod_sets: Iterable[PodSet], taints: Iterable[Taint]) -> Fix | None:
    """Tolerations for taints, on every pod set; ``None`` where there is no text to write them into."""
    sets, wanted = list(pod_sets), list(dict.fromkeys(taints))
    edits = [
        Append(each.spec.at.child("tolerations"), _toleration(taint), FIRST)
        for each in sets
        if each.spec.at is not None
        for taint in wanted
    ]
    if not edits or len(edits) < len(sets) * len(wanted):
        return None
    names, what = ", ".join(each.name for each in sets), ", ".join(map(describe, wanted))
    return Fix(f"let {names} tolerate {what}", _distinct(edits))


def _distinct(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Each edit once: roles may share one template."""
    return tuple(each for number, each in enumerate(edits) if each not in edits[:number])


def _toleration(taint: Taint) -> dict[str, str]:
    value = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
    return {"key": taint.key, **value, "effect": taint.effect}


def pin(pod_sets: Iterable[PodSet], key: str, zone: str) -> Fix | None:
    """A node selector for one zone, on every pod set; ``None`` where one of them has no place for it."""
    sets = list(pod_sets)
    edits = [Put(each.spec.at.child("nodeSelector", key), zone, FIRST) for each in sets if each.spec.at is not None]
    if not edits or len(edits) < len(sets):
        return None
    return Fix(f"keep {', '.join(each.name for each in sets)} in {zone}", _distinct(edits))


def follow(pod_set: PodSet, leader: PodSet, labels: Mapping[str, str], key: str) -> Fix | None:
    """Required pod affinity of one pod set towards another, known by some labels of its template; ``None`` where there
    is no place for it, or no labels.
    """
    if pod_set.spec.at is None or not labels:
        return None
    at = pod_set.spec.at.child("affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    term = {"labelSelector": {"matchLabels": dict(labels)}, "topologyKey": key}
    title = f"let {pod_set.name} follow {leader.name} into its zone"
    if pod_set is leader:
        title = f"keep the pods of {leader.name} in the zone of the first of them"
    return Fix(title, (Append(at, term, FIRST),))
