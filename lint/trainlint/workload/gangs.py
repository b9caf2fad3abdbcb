"""Which pods start all or nothing, and how many of them somebody demands (S 2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from trainlint.finding import Location
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.values import read_int, read_text
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import Gang, PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.written import template_of

__all__ = ["GANG_KINDS", "gangs", "oversized"]

GANG_KINDS: Final = frozenset({"PodGroup", "Workload"})
"""Kinds of objects that make a gang of other objects' pods."""

_LABELS: Final = {"scheduling.x-k8s.io": "scheduling.x-k8s.io/pod-group"}
_ANNOTATIONS: Final = {
    "scheduling.volcano.sh": "scheduling.k8s.io/group-name",
    "scheduling.run.ai": "pod-group-name",
}
_KOORDINATOR: Final = "gang.scheduling.koordinator.sh/"
_KUEUE: Final = "kueue.x-k8s.io/pod-group-"


def gangs(workloads: Sequence[Workload], objects: Sequence[Field]) -> Iterator[Gang]:
    """Every gang: those that an object forms of its own pods, those of PodGroups, and those of annotated pods.

    A PodGroup without any pod in the snapshot is left out: its pods come from elsewhere.
    """
    for workload in workloads:
        yield from _own(workload)
    for item in objects:
        meta = read_meta(item)
        if meta.kind == "PodGroup":
            yield from _pod_group(item, meta, workloads)
        elif meta.kind == "Workload" and meta.api_group == "scheduling.k8s.io":
            yield from _workload(item, meta, workloads)
    yield from _annotated(workloads)


def oversized(found: Iterable[Gang], opened: Callable[[str], str]) -> Iterator[tuple[Gang, int]]:
    """The gangs that demand more pods than will ever exist, with how many will.

    ``opened`` says what may add objects, and so members, to a namespace (decision 5).
    """
    for gang in found:
        count = 0
        for pods in gang.pod_sets:
            each = pods.replicas if pods.max_replicas is None else max(pods.max_replicas, _least(pods.replicas))
            if isinstance(each, Undetermined) or isinstance(pods.instances, Undetermined):
                break
            count += each * pods.instances
        else:
            if isinstance(gang.minimum, int) and gang.minimum > count and (gang.closed or not opened(gang.namespace)):
                yield gang, count


def _least(count: Known[int]) -> int:
    return count if isinstance(count, int) else 0


def _own(workload: Workload) -> Iterator[Gang]:
    spec, pods = workload.field["spec"], workload.pod_sets
    if workload.owner.kind == "Job.batch.volcano.sh":
        if spec["minAvailable"].present:
            yield _closed("minAvailable of the Job", spec["minAvailable"], pods)
        for task in spec["tasks"].elements():
            members = tuple(each for each in pods if each.at == task.at)
            if task["minAvailable"].present and members:
                yield _closed(f"minAvailable of the task {members[0].role}", task["minAvailable"], members)
    elif workload.api_version.startswith("kubeflow.org/"):
        minimum = spec.down("runPolicy", "schedulingPolicy", "minAvailable")
        if minimum.present:
            yield _closed("minAvailable of the schedulingPolicy", minimum, pods)


def _closed(what: str, minimum: Field, pods: tuple[PodSet, ...]) -> Gang:
    return Gang(what, read_int(minimum), pods, pods[0].namespace, at=minimum.at, closed=True)


def _pod_group(group: Field, meta: Meta, workloads: Sequence[Workload]) -> Iterator[Gang]:
    """The PodGroups of scheduler-plugins, Volcano, KAI and Kubernetes itself."""
    minimum = group.down("spec", "minMember")
    if meta.api_group == "scheduling.k8s.io":
        minimum = group.down("spec", "schedulingPolicy", "gang", "minCount")
    if not minimum.present:
        return
    found = []
    for workload, pods in _everything(workloads):
        if pods.namespace != (meta.namespace or "default"):
            continue
        if meta.api_group in _LABELS:
            name: Known[str] | None = pods.labels.get(_LABELS[meta.api_group])
        elif meta.api_group in _ANNOTATIONS:
            name = pods.annotations.get(_ANNOTATIONS[meta.api_group])
        else:
            name = read_text(template_of(workload, pods).down("spec", "schedulingGroup", "podGroupName"))
        if name == meta.name:
            found.append(pods)
    if found:
        what = f"{minimum.path[-1]} of the PodGroup {meta.name}"
        yield Gang(what, read_int(minimum), tuple(found), found[0].namespace, at=minimum.at)


def _workload(item: Field, meta: Meta, workloads: Sequence[Workload]) -> Iterator[Gang]:
    """Kubernetes 1.35's Workload, to which pods refer by ``workloadRef``."""
    for group in item.down("spec", "podGroups").elements():
        minimum, name = group.down("policy", "gang", "minCount"), read_text(group["name"])
        found = []
        for workload, pods in _everything(workloads):
            reference = template_of(workload, pods).down("spec", "workloadRef")
            wanted = (read_text(reference["name"]), read_text(reference["podGroup"]))
            if wanted == (meta.name, name) and pods.namespace == (meta.namespace or "default"):
                found.append(pods)
        if minimum.present and found:
            what = f"minCount of the pod group {name} of the Workload {meta.name}"
            yield Gang(what, read_int(minimum), tuple(found), found[0].namespace, at=minimum.at)


def _annotated(workloads: Sequence[Workload]) -> Iterator[Gang]:
    """Koordinator's gangs, and pods that Kueue admits as one: each pod says how many there must be."""
    members: dict[tuple[str, str, str], list[tuple[PodSet, Field]]] = defaultdict(list)
    for workload, pods in _everything(workloads):
        annotations = template_of(workload, pods).down("metadata", "annotations")
        if name := pods.annotations.get(f"{_KOORDINATOR}name"):
            minimum = annotations[f"{_KOORDINATOR}min-available"]
            members[pods.namespace, f"min-available of the gang {name}", name].append((pods, minimum))
        queued = pods.labels.get(f"{_KUEUE}name")
        if isinstance(queued, str) and workload.owner.kind == "Pod":
            total = annotations[f"{_KUEUE}total-count"]
            members[pods.namespace, f"{_KUEUE}total-count of the pod group {queued}", queued].append((pods, total))
    yield from _numbered(members)


def _numbered(members: Mapping[tuple[str, str, str], Sequence[tuple[PodSet, Field]]]) -> Iterator[Gang]:
    for (namespace, what, _), found in members.items():
        minimum = next((written for _, written in found if written.present), None)
        text = read_text(minimum) if minimum is not None else ""
        if minimum is not None and text.isdecimal():
            at: Location = minimum.at
            yield Gang(what, int(text), tuple(pods for pods, _ in found), namespace, at=at)


def _everything(workloads: Sequence[Workload]) -> Iterator[tuple[Workload, PodSet]]:
    for workload in workloads:
        for pods in workload.pod_sets:
            yield workload, pods
