"""Kubernetes' own PodGroups, and fields of pods that name them, under a release that has others (S 2.1).

kubernetes/api:scheduling at v0.35.0 (v1alpha1), v0.36.0 (v1alpha2) and kubernetes 1.37 (v1beta1, v1alpha3).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.admission.pod_group_flaws import PodGroupFlaw
from trainlint.admission.problem import Problem
from trainlint.checks.ground import GroupGround
from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.snapshot.build import Snapshot
from trainlint.source.document import Field
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.podgroups import NATIVE

__all__ = ["ReleaseProblem", "release_problems"]

_SERVED: Final = {(1, 34): (), (1, 35): ("v1alpha1",), (1, 36): ("v1alpha2",), (1, 37): ("v1beta1", "v1alpha3")}
"""The versions in which each release serves these kinds, the preferred one first."""
_FIELDS: Final = {"workloadRef": ((1, 35), (1, 35)), "schedulingGroup": ((1, 36), (1, 37))}
"""The first and the last known release with each field of pods."""
_STRICT: Final = Because(GroupGround.STRICT_FIELDS)


@fact
class ReleaseProblem:
    """What a release of Kubernetes refuses of an object."""

    owner: ObjectRef
    problem: Problem
    item: Field
    pod_sets: tuple[PodSet, ...] = ()


def release_problems(snapshot: Snapshot) -> Iterator[ReleaseProblem]:
    """The objects and pods of another release; nothing where none is stated, or it is none of those that are known."""
    settings = snapshot.settings
    release = tuple(int(part) for part in settings.kubernetes.split(".")[:2] if part.isdecimal())
    if not settings.kubernetes_stated or release not in _SERVED:
        return
    versions, name = _SERVED[release], settings.kubernetes
    preferred = f"{NATIVE}/{versions[0]}" if versions else ""
    for each in snapshot.objects:
        native = each.meta.api_group == NATIVE and each.meta.kind in {"PodGroup", "Workload"}
        if native and each.meta.api_version.rpartition("/")[2] not in versions:
            why = Because(PodGroupFlaw.NOT_SERVED, (each.meta.kind, each.meta.api_version, name, preferred))
            yield ReleaseProblem(each.ref, Problem(("apiVersion",), why, "release"), each.field)
    for workload in snapshot.workloads.objects:
        for pods in workload.pod_sets:
            spec = template_of(workload, pods)["spec"]
            for field, (first, last) in _FIELDS.items():
                if spec[field].present and not first <= release <= last:
                    at = spec[field].path[len(workload.field.path) :]
                    values = (field, _releases(first, last), name, _field_of(release))
                    problem = Problem(at, Because(PodGroupFlaw.FIELD_RELEASE, values), field, assumes=(_STRICT,))
                    yield ReleaseProblem(workload.owner, problem, workload.field, (pods,))


def _releases(first: tuple[int, ...], last: tuple[int, ...]) -> str:
    return f"{first[0]}.{first[1]}" if first == last else f"{first[0]}.{first[1]} and later"


def _field_of(release: tuple[int, ...]) -> str:
    return next((field for field, (first, last) in _FIELDS.items() if first <= release <= last), "")
