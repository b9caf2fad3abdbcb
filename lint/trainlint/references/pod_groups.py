"""References of pods to the PodGroup, or the Workload, that their scheduler waits for (S 2.1, 2.3)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field
from trainlint.workload.operator_gangs import KAI
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.podgroups import COSCHEDULING, DEFAULT_SCHEDULERS, NATIVE, VOLCANO, named_group
from trainlint.workload.tier import VOLCANO_SCHEDULERS

__all__ = ["GroupReference", "MissingPart", "group_references", "missing_parts"]

_OTHERS: Final = VOLCANO_SCHEDULERS | {KAI}
"""Schedulers that do not read the PodGroups of kube-scheduler and its plugins."""


@fact
class GroupReference:
    """The object to which pods of ``pod_set`` refer, and where."""

    target: ObjectRef
    at: Location
    pod_set: PodSet


@fact
class MissingPart:
    """A pod group that pods name and that their Workload does not have; ``near`` has a similar name."""

    workload: ObjectRef
    part: str
    near: str
    at: Location
    pod_set: PodSet


def group_references(snapshot: Snapshot) -> Iterator[GroupReference]:
    """What the pods of every set refer to, where Git holds such objects in their namespace, or is said to hold all.

    coscheduling and Volcano start no pod whose PodGroup is not there, and kube-scheduler does not try one
    (kubernetes-sigs/scheduler-plugins:pkg/coscheduling/core/core.go, kubernetes:gangscheduling.go). Only what is
    written in Git counts: operators name the groups that they make by themselves.
    """
    homes = {
        (each.meta.api_group, each.meta.kind, each.ref.namespace)
        for each in snapshot.objects
        if each.meta.kind in {"PodGroup", "Workload"}
    }
    if not homes and snapshot.settings.closed.isdisjoint({"PodGroup", "Workload"}):
        return
    for pods, template in _templates(snapshot):
        for group, kind, written in _named(pods, template):
            known = (group, kind, pods.namespace) in homes or kind in snapshot.settings.closed
            if known and written.present and written.scalar:
                yield GroupReference(ObjectRef(kind, pods.namespace, written.scalar), written.at, pods)


def _named(pods: PodSet, template: Field) -> Iterator[tuple[str, str, Field]]:
    """API group and kind of what the pods wait for under their scheduler, and where it is named."""
    scheduler = pods.spec.scheduler_name
    if scheduler in VOLCANO_SCHEDULERS:
        yield VOLCANO, "PodGroup", named_group(VOLCANO, template)
    if scheduler in _OTHERS:
        return
    yield NATIVE, "PodGroup", named_group(NATIVE, template)
    yield NATIVE, "Workload", template.down("spec", "workloadRef", "name")
    if scheduler not in DEFAULT_SCHEDULERS:
        yield COSCHEDULING, "PodGroup", named_group(COSCHEDULING, template)


def _templates(snapshot: Snapshot) -> Iterator[tuple[PodSet, Field]]:
    for workload in snapshot.workloads.objects:
        for pods in workload.pod_sets:
            if pods.replicas != 0:
                yield pods, template_of(workload, pods)


def missing_parts(snapshot: Snapshot) -> Iterator[MissingPart]:
    """Pods whose ``workloadRef`` (Kubernetes 1.35) names a pod group that the Workload does not have."""
    workloads = {
        (each.ref.namespace, each.meta.name): each
        for each in snapshot.objects
        if each.meta.kind == "Workload" and each.meta.api_group == NATIVE
    }
    for pods, template in _templates(snapshot) if workloads else ():
        reference = template.down("spec", "workloadRef")
        found, part = workloads.get((pods.namespace, read_text(reference["name"]))), read_text(reference["podGroup"])
        if found is None or not part or is_placeholder(part) or not found.field.down("spec", "podGroups").present:
            continue
        names = _parts(found)
        if part not in names and not any(map(is_placeholder, names)):
            near = difflib.get_close_matches(part, names, n=1)
            yield MissingPart(found.ref, part, near[0] if near else "", reference["podGroup"].at, pods)


def _parts(workload: ApiObject) -> list[str]:
    return [read_text(each["name"]) for each in workload.field.down("spec", "podGroups").elements()]
