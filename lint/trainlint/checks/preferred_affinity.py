"""Preferences that are all that keeps a group in one domain: they score nodes and forbid none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.known import Answer
from trainlint.model.workload import Group, ObjectRef, PodSet, Workload, Workloads
from trainlint.proof.cause import CutCause, SplitCause
from trainlint.proof.group import GroupProof
from trainlint.scheduling.inter_pod_affinity import term_matches

__all__ = ["KAI_PREFERRED", "KUEUE_PREFERRED", "SoftColocation", "soft_colocations"]

KUEUE_PREFERRED: Final = "kueue.x-k8s.io/podset-preferred-topology"
KAI_PREFERRED: Final = "kai.scheduler/topology-preferred-placement"
VOLCANO: Final = "batch.volcano.sh"


@fact
class SoftColocation:
    """The soft terms of a group, each with its place, the first of them first."""

    group: Group
    terms: tuple[tuple[str, Location], ...]


def soft_colocations(
    proofs: tuple[GroupProof, ...],
    workloads: Workloads,
    key: str,
    zones_of: Callable[[PodSet], tuple[str, ...] | None],
) -> Iterator[SoftColocation]:
    """Groups whose ranks exchange data, that have soft terms on the domain and that nothing hard holds there."""
    objects = {each.owner: each for each in workloads.objects}
    for proof in proofs:
        group = proof.group
        if not group.collective or group.cross_zone_allowed or proof.exists is Answer.REFUTED:
            continue
        own = [each for index, each in enumerate(group.members) if index not in group.dependencies]
        terms = tuple(dict.fromkeys(term for each in own for term in _terms(each, own, objects, key)))
        if terms and _loose(proof, own, key, zones_of):
            yield SoftColocation(group, terms)


def _terms(
    pod_set: PodSet, own: list[PodSet], objects: Mapping[ObjectRef, Workload], key: str
) -> Iterator[tuple[str, Location]]:
    spec = pod_set.spec
    for term in spec.preferred_pod_affinity:
        near = any(
            term_matches(term, pod_set.namespace, {}, other.labels, other.namespace) is not False for other in own
        )
        if term.topology_key == key and term.at is not None and near:
            yield f"preferred pod affinity of {pod_set.name}", term.at
    for preference in spec.preferred_node_affinity:
        if preference.at is not None and any(each.key == key for each in preference.expressions):
            yield f"preferred node affinity of {pod_set.name}", preference.at
    if KUEUE_PREFERRED in pod_set.annotations:
        yield f"annotation {KUEUE_PREFERRED}", pod_set.template.child("metadata", "annotations", KUEUE_PREFERRED)
    item = objects.get(pod_set.owner)
    if item is not None:
        written = item.field.down("metadata", "annotations", KAI_PREFERRED)
        if written.present:
            yield f"annotation {KAI_PREFERRED}", written.at
    if item is not None and item.api_version.startswith(VOLCANO):
        mode = item.field.down("spec", "networkTopology", "mode")
        if mode.scalar == "soft":
            yield "networkTopology mode soft", mode.at


def _loose(
    proof: GroupProof, own: list[PodSet], key: str, zones_of: Callable[[PodSet], tuple[str, ...] | None]
) -> bool:
    """Whether the group may be spread for all that is known: shown by a placement, or no hard term anywhere."""
    if any(isinstance(cause, (CutCause, SplitCause)) for cause in proof.causes):
        return True
    if proof.for_all not in {Answer.UNKNOWN, Answer.CONDITIONAL} or any(_held(each, key) for each in own):
        return False
    zones = [zones_of(each) for each in own]
    return None in zones or len({zone for each in zones for zone in each or ()}) > 1


def _held(pod_set: PodSet, key: str) -> bool:
    spec = pod_set.spec
    required = (each.key for each in spec.node_selector)
    affine = (each.key for term in spec.node_affinity or () for each in term.expressions)
    return (
        pod_set.together is not None
        or key in {*required, *affine}
        or any(term.topology_key == key for term in spec.pod_affinity)
        or bool(spec.node_name)
    )
