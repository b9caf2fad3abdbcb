"""What keeps pods in one domain by annotations and fields of a kind of its own (W 5 to 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from trainlint.finding import Location
from trainlint.kube.meta import Meta, read_labels
from trainlint.kube.values import is_placeholder, known_text, read_int, read_text
from trainlint.model.because import Because
from trainlint.model.workload import Colocation, PodSet
from trainlint.source.document import Field
from trainlint.workload.exclusive_jobs import EXCLUSIVE, placed_by_labels
from trainlint.workload.ground import TieGround
from trainlint.workload.tier import tier_of

__all__ = ["DomainTies", "job_set_ties", "known_key", "leader_worker_set_ties", "ray_ties", "volcano_ties"]

DomainTies: TypeAlias = tuple[Colocation | None, Colocation | None]
"""What keeps all pods of a set in one domain, and what keeps equal parts of it."""

_LEADER_WORKER_SET: Final = "leaderworkerset.sigs.k8s.io/exclusive-topology"

_SUBGROUP: Final = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"

_RAY_MODE: Final = "volcano.sh/network-topology-mode"

_RAY_TIER: Final = "volcano.sh/network-topology-highest-tier-allowed"

_RAY_DOUBT: Final = Because(TieGround.KUBERAY_VOLCANO)


def job_set_ties(pods: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta) -> DomainTies:
    """Each child Job is placed alone, whether the annotation stands on the JobSet, the child Job or the pods (W 5).

    With nodes that are labelled beforehand the annotation has another meaning, which is not read.
    """
    del siblings, meta
    entry = item.down(*pods.at.path[len(item.path) :])
    if placed_by_labels(item, entry):
        return None, None
    places: list[tuple[str | None, Location]] = [
        (read_labels(holder.down("metadata", "annotations")).get(EXCLUSIVE), holder.at)
        for holder in (item, entry["template"], entry.down("template", "spec", "template"))
    ]
    for value, at in places:
        if key := known_key(value):
            where = at.child("metadata", "annotations", EXCLUSIVE)
            whole = Colocation(key, pods.role, EXCLUSIVE, where, per_block=True, exclusive=True, leader_first=True)
            return whole, None
    return None, None


def leader_worker_set_ties(pods: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta) -> DomainTies:
    """The exclusive topology of each group of pods, and of its subgroups (W 6)."""
    return _whole_group(pods, item, meta), _subgroups(pods, siblings, item, meta)


def _whole_group(pods: PodSet, item: Field, meta: Meta) -> Colocation | None:
    """The workers are made when the leader has a node. On a template only the leader's webhook reads it (W 6)."""
    if key := known_key(meta.annotations.get(_LEADER_WORKER_SET)):
        at = item.down("metadata", "annotations", _LEADER_WORKER_SET).at
        return Colocation(key, "", _LEADER_WORKER_SET, at, exclusive=True, leader_first=True, leader="leader")
    if pods.role == "leader" and (key := known_key(pods.annotations.get(_LEADER_WORKER_SET))):
        at = pods.template.child("metadata", "annotations", _LEADER_WORKER_SET)
        return Colocation(key, "leader", _LEADER_WORKER_SET, at, exclusive=True, leader_first=True)
    return None


def _subgroups(pods: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta) -> Colocation | None:
    """Each subgroup keeps a domain for itself; the leader is in the first one, or in none (W 6).

    With a size that is one more than a multiple, the leader is an extra pod of the first subgroup.
    """
    policy = item.down("spec", "leaderWorkerTemplate", "subGroupPolicy")
    key = known_key(meta.annotations.get(_SUBGROUP))
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
    return Colocation(
        key, "subgroup", _SUBGROUP, at, per_block=True, exclusive=True, leader_first=True, size=size, first=first
    )


def volcano_ties(pods: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta) -> DomainTies:
    """The network topology of the whole Job, and of the parts of one task (W 8)."""
    del siblings, meta
    spec = item.down("spec", "jobTemplate", "spec") if item.down("spec", "jobTemplate").present else item["spec"]
    whole = tier_of(spec["networkTopology"], "", "spec.networkTopology")
    if whole is not None and spec["minAvailable"].present:
        whole = replace(whole, sure=read_int(spec["minAvailable"]))
    policy = item.down(*pods.at.path[len(item.path) :])["partitionPolicy"]
    size = read_int(policy["partitionSize"])
    parts = tier_of(policy["networkTopology"], pods.role, "partitionPolicy.networkTopology", size=size)
    return whole, parts


def ray_ties(pods: PodSet, siblings: Sequence[PodSet], item: Field, meta: Meta) -> DomainTies:
    """KubeRay copies two labels of the RayCluster or RayJob into the PodGroup that it makes for Volcano (W 7)."""
    del pods, siblings
    labels = item.down("metadata", "labels")
    if _RAY_TIER not in meta.labels or meta.labels.get(_RAY_MODE, "hard") != "hard":
        return None, None
    tier = known_text(labels[_RAY_TIER])
    return Colocation("", "", _RAY_TIER, labels[_RAY_TIER].at, tier=tier, doubt=_RAY_DOUBT), None


def known_key(value: str | None) -> str:
    """The key of a node label; empty for one that is filled in later."""
    return "" if value is None or is_placeholder(value) else value
