"""References of pods to objects that admission or a controller requires and that are not there (decision 5)."""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.operators.shipped_runtimes import shipped_runtime
from trainlint.references.pod_groups import group_references, missing_parts
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.objects import ApiObject
from trainlint.workload.claims import made_template

__all__ = ["BUILT_IN", "ReferenceCause", "dangling_references", "references_of", "referred_by"]

BUILT_IN: Final = frozenset(
    {
        ("PriorityClass", "system-cluster-critical"),
        ("PriorityClass", "system-node-critical"),
        ("ServiceAccount", "default"),
    }
)
"""What every cluster has, or every namespace."""
TRAINER: Final = "trainer.kubeflow.org"


@fact
class ReferenceCause:
    """An object that ``owner`` refers to and that is not among those of its kind; ``near`` has a similar name.

    ``pod_sets`` are those whose pods are never made; ``also`` are other places of the object with the same name.
    ``certain``: the configuration says that Git holds every object of the kind. ``renamed`` is the place of the name of
    the nearest object, if a kustomization made that of the name that is referred to. ``part`` is what the object is
    there without, if it is there.
    """

    owner: ObjectRef
    target: ObjectRef
    at: Location
    near: str
    pod_sets: tuple[PodSet, ...] = ()
    also: tuple[Location, ...] = ()
    certain: bool = False
    renamed: Location | None = None
    part: str = ""


def dangling_references(snapshot: Snapshot) -> Iterator[ReferenceCause]:
    """One for each object and target. Only kinds of which the snapshot holds some, and to which nothing adds more, or
    which the configuration says are all in Git. The claim template that the controller of a ComputeDomain makes is
    there; other templates need not be in Git because of it, but for a name that is nearly its own.

    Objects that state no namespace are in one by assumption only: of them those of one directory are known to be
    together.
    """
    present: dict[tuple[str, str], set[str]] = {}
    of_domains: dict[tuple[str, str], set[str]] = {}
    homes: dict[tuple[str, str], set[str]] = {}
    beside: set[tuple[str, str, str]] = set()
    references = list(_references(snapshot))
    kinds = {target.kind for _, target, _, _ in references}
    for each in snapshot.objects:
        if each.meta.kind in kinds:
            namespace = each.ref.namespace
            present.setdefault((each.meta.kind, namespace), set()).add(each.meta.name)
            homes.setdefault((each.meta.kind, each.meta.name), set()).add(namespace)
            beside.add((each.meta.kind, namespace, posixpath.dirname(each.file)))
        elif (made := made_template(each.field)) and "ResourceClaimTemplate" in kinds:
            of_domains.setdefault(("ResourceClaimTemplate", each.ref.namespace), set()).add(made)
            homes.setdefault(("ResourceClaimTemplate", made), set()).add(each.ref.namespace)
            beside.add(("ResourceClaimTemplate", each.ref.namespace, posixpath.dirname(each.file)))
    found: dict[tuple[ObjectRef, ObjectRef], ReferenceCause] = {}
    for owner, target, at, pod_set in references:
        key = (target.kind, target.namespace)
        names = present.get(key, set()) | of_domains.get(key, set())
        some = key in present or difflib.get_close_matches(target.name, sorted(names), n=1)
        closed = some and not _may_hold_more(snapshot, target) and at.file not in snapshot.unrendered
        stated = target.kind in snapshot.settings.closed and at.file not in snapshot.unrendered
        if target.namespace and _unstated(snapshot, owner):
            stated = False
            closed = closed and (target.kind, target.namespace, posixpath.dirname(at.file)) in beside
        if not (closed or stated) or target.name in names or is_placeholder(target.name):
            continue
        if _may_be_there(target.namespace, homes.get((target.kind, target.name), ())):
            continue
        sets = (pod_set,) if pod_set is not None else ()
        before = found.get((owner, target))
        if before is None:
            renamed = _renamed(snapshot, target)
            near = [renamed.meta.name] if renamed else difflib.get_close_matches(target.name, sorted(names), n=1)
            name_at = renamed.field.down("metadata", "name").at if renamed else None
            first = near[0] if near else ""
            found[owner, target] = ReferenceCause(owner, target, at, first, sets, certain=stated, renamed=name_at)
        else:
            also = before.also if at in (before.at, *before.also) else (*before.also, at)
            found[owner, target] = replace(before, pod_sets=(*before.pod_sets, *sets), also=also)
    yield from found.values()
    for part in missing_parts(snapshot):
        sets = (part.pod_set,)
        yield ReferenceCause(part.pod_set.owner, part.workload, part.at, part.near, sets, part=part.part)


def _may_be_there(namespace: str, homes: Collection[str]) -> bool:
    """Whether one of the namespaces that hold the object may be this one: a placeholder stands for either."""
    return bool(homes) and (is_placeholder(namespace) or any(map(is_placeholder, homes)))


def _renamed(snapshot: Snapshot, target: ObjectRef) -> ApiObject | None:
    """The rendered object whose name is that of the target with a prefix or a suffix, if there is one only."""
    found = [
        each
        for each in snapshot.objects
        if each.meta.kind == target.kind
        and each.ref.namespace == target.namespace
        and each.field.document.origin is not None
        and each.meta.name != target.name
        and (each.meta.name.endswith(target.name) or each.meta.name.startswith(target.name))
    ]
    return found[0] if len(found) == 1 else None


def _unstated(snapshot: Snapshot, owner: ObjectRef) -> bool:
    found = snapshot.by_ref.get(owner)
    return found is not None and not found.meta.namespace


def _may_hold_more(snapshot: Snapshot, target: ObjectRef) -> bool:
    """What brings in objects of a namespace may bring in some of the cluster too."""
    return bool(snapshot.may_hold_more(target.namespace) if target.namespace else snapshot.opened)


def references_of(pod_set: PodSet) -> Iterator[ObjectRef]:
    """The objects without which the pods of a set cannot be made, or are others."""
    for target, _ in referred_by(pod_set, pod_set.spec.at or pod_set.at):
        if target.name and target.kind != "ServiceAccount":
            yield target
    if pod_set.queue:
        yield ObjectRef("LocalQueue", pod_set.namespace, pod_set.queue)


Reference = tuple[ObjectRef, ObjectRef, Location, PodSet | None]


def _references(snapshot: Snapshot) -> Iterator[Reference]:
    for pod_set in snapshot.workloads.pod_sets:
        if pod_set.replicas != 0 and pod_set.spec.at is not None:
            for target, at in referred_by(pod_set, pod_set.spec.at):
                if target.name and (target.kind, target.name) not in BUILT_IN:
                    yield pod_set.owner, target, at, pod_set
    for group in group_references(snapshot):
        yield group.pod_set.owner, group.target, group.at, group.pod_set
    for each in snapshot.objects:
        if each.meta.kind == "TrainJob" and each.meta.api_group == TRAINER:
            yield from _of_train_job(each)


def referred_by(pod_set: PodSet, spec: Location) -> Iterator[tuple[ObjectRef, Location]]:
    """The objects that the pod spec at a place refers to, each with its own place; a name may be empty."""
    pods, namespace = pod_set.spec, pod_set.namespace
    yield ObjectRef("PriorityClass", "", pods.priority_class), spec.child("priorityClassName")
    yield ObjectRef("RuntimeClass", "", pods.runtime_class), spec.child("runtimeClassName")
    if not pods.account_made:
        yield ObjectRef("ServiceAccount", namespace, pods.service_account), spec.child("serviceAccountName")
    for volume in pods.volumes:
        if volume.kind == "persistentVolumeClaim" and volume.at is not None:
            place = volume.at.child("persistentVolumeClaim", "claimName")
            yield ObjectRef("PersistentVolumeClaim", namespace, volume.claim), place
    for claim in pods.resource_claims:
        if claim.at is not None:
            template = ObjectRef("ResourceClaimTemplate", namespace, claim.template)
            yield template, claim.at.child("resourceClaimTemplateName")
            yield ObjectRef("ResourceClaim", namespace, claim.claim), claim.at.child("resourceClaimName")


def _of_train_job(job: ApiObject) -> Iterator[Reference]:
    """A runtime is looked up in the job's own namespace, or in the cluster (W 4)."""
    reference = job.field.down("spec", "runtimeRef")
    kind, name = read_text(reference["kind"]) or "ClusterTrainingRuntime", read_text(reference["name"])
    if not name or reference["apiGroup"].scalar not in (None, TRAINER):
        return
    if kind == "ClusterTrainingRuntime" and shipped_runtime(name) is None:
        yield job.ref, ObjectRef(kind, "", name), reference["name"].at, None
    elif kind == "TrainingRuntime":
        yield job.ref, ObjectRef(kind, job.ref.namespace, name), reference["name"].at, None
