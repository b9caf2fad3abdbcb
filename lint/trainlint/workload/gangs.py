"""Which pods start all or nothing, and how many of them the gang demands (S 2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from trainlint.finding import Location
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.values import read_int, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import Gang, PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.flows import product, total
from trainlint.workload.ground import TieGround
from trainlint.workload.operator_gangs import gang_scheduler, kai_gangs, mpi_gangs, volcano_gangs
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.podgroups import DEFAULT_SCHEDULERS, NATIVE, PodGroup, PodGroups, minimum_of

__all__ = ["gangs", "oversized", "pods_of"]

_KOORDINATOR: Final = "gang.scheduling.koordinator.sh/"
_KUEUE: Final = "kueue.x-k8s.io/pod-group-"
_GATE: Final = Because(TieGround.GENERIC_WORKLOAD)
_READERS: Final = {
    "scheduling.x-k8s.io": Because(TieGround.COSCHEDULING),
    "scheduling.volcano.sh": Because(TieGround.DEFAULT_SCHEDULER, ("Volcano",)),
    "scheduling.run.ai": Because(TieGround.DEFAULT_SCHEDULER, ("KAI",)),
}
"""What must hold for a PodGroup of each API to count for pods that name no scheduler."""


def gangs(workloads: Sequence[Workload], objects: Sequence[Field], groups: PodGroups) -> Iterator[Gang]:
    """Every gang: those that an object forms of its own pods, those of PodGroups, and those of annotated pods.

    A PodGroup without any pod in the snapshot is left out: its pods come from elsewhere.
    """
    of_mpi = gang_scheduler(workloads, "mpi-operator", "gang-scheduling")
    for workload in workloads:
        if workload.api_version == "kubeflow.org/v2beta1":
            yield from mpi_gangs(workload, of_mpi)
        else:
            yield from _own(workload)
        yield from kai_gangs(workload)
        yield from volcano_gangs(workload)
    for group in (each for found in groups.values() for each in found):
        yield from _pod_group(group, workloads)
    for item in objects:
        meta = read_meta(item)
        if meta.kind == "Workload" and meta.api_group == NATIVE:
            yield from _workload(item, meta, workloads)
    yield from _annotated(workloads)


def oversized(found: Iterable[Gang], opened: Callable[[str], bool]) -> Iterator[tuple[Gang, int]]:
    """The gangs that demand more pods than will ever exist, with how many will.

    ``opened`` says what may add objects, and so members, to a namespace (decision 5).
    """
    for gang in found:
        count = pods_of(gang.pod_sets)
        short = count is not None and isinstance(gang.minimum, int) and gang.minimum > count
        if count is not None and short and (gang.closed or not opened(gang.namespace)):
            yield gang, count


def pods_of(pod_sets: Iterable[PodSet]) -> int | None:
    """How many pods the sets make at most; ``None`` where a number is not known."""
    count = 0
    for pods in pod_sets:
        each = pods.replicas if pods.max_replicas is None else max(pods.max_replicas, _least(pods.replicas))
        if isinstance(each, Undetermined) or isinstance(pods.instances, Undetermined):
            return None
        count += each * pods.instances
    return count


def _least(count: Known[int]) -> int:
    return count if isinstance(count, int) else 0


def _own(workload: Workload) -> Iterator[Gang]:
    spec, pods = workload.field["spec"], workload.pod_sets
    if workload.owner.kind == "Job.batch.volcano.sh":
        if spec["minAvailable"].present and read_int(spec["minAvailable"]) != 0:
            yield _closed("minAvailable of the Job", spec["minAvailable"], pods)
        else:  # none or 0: the sum of what its tasks need (W 8)
            least = total(_least_of_task(task, pods) for task in spec["tasks"].elements())
            at = workload.field.at
            yield Gang("minAvailable of the Job", least, pods, pods[0].namespace, at=at, closed=True)
        for task in spec["tasks"].elements():
            members = tuple(each for each in pods if each.at == task.at)
            if task["minAvailable"].present and members:
                yield _closed(f"minAvailable of the task {members[0].role}", task["minAvailable"], members)
    elif workload.api_version.startswith("kubeflow.org/"):
        minimum = spec.down("runPolicy", "schedulingPolicy", "minAvailable")
        if minimum.present:
            yield _closed("minAvailable of the schedulingPolicy", minimum, pods)


def _least_of_task(task: Field, pods: Sequence[PodSet]) -> Known[int]:
    """``minAvailable`` of a task, else ``minPartitions`` of its pods, else all of them."""
    partitions = task["partitionPolicy"]
    if not task["minAvailable"].present and read_int(partitions["minPartitions"], 0) != 0:
        return product(read_int(partitions["minPartitions"], 0), read_int(partitions["partitionSize"], 0))
    return read_int(task["minAvailable"], _replicas(task, pods))


def _replicas(task: Field, pods: Sequence[PodSet]) -> int:
    return next((_least(each.replicas) for each in pods if each.at == task.at), 0)


def _closed(what: str, minimum: Field, pods: tuple[PodSet, ...]) -> Gang:
    return Gang(what, read_int(minimum), pods, pods[0].namespace, at=minimum.at, closed=True)


def _pod_group(group: PodGroup, workloads: Sequence[Workload]) -> Iterator[Gang]:
    """The PodGroups of scheduler-plugins, Volcano, KAI and Kubernetes itself."""
    minimum = minimum_of(group.field)
    found = tuple(pods for workload, pods in _everything(workloads) if group.holds(pods, template_of(workload, pods)))
    if minimum.present and found:
        what = f"{minimum.path[-1]} of the PodGroup {group.meta.name}"
        yield Gang(what, read_int(minimum), found, group.namespace, at=minimum.at, doubt=_doubt(group, found))
    for task, least in group.field.down("spec", "minTaskMember").items():
        members = tuple(pods for pods in found if pods.role.lower() == task.lower())
        if members and group.meta.api_group == "scheduling.volcano.sh":
            what = f"minTaskMember of the task {task} of the PodGroup {group.meta.name}"
            yield Gang(what, read_int(least), members, group.namespace, at=least.at, doubt=_doubt(group, members))


def _doubt(group: PodGroup, pods: Sequence[PodSet]) -> Because | None:
    """What must hold for a PodGroup to count; ``None`` where the pods name a scheduler that may read it."""
    if group.meta.api_group == NATIVE:
        return _GATE
    named = any(each.spec.scheduler_name not in DEFAULT_SCHEDULERS for each in pods)
    return None if named else _READERS.get(group.meta.api_group)


def _workload(item: Field, meta: Meta, workloads: Sequence[Workload]) -> Iterator[Gang]:
    """Kubernetes 1.35's Workload, to which pods refer by ``workloadRef``."""
    for group in item.down("spec", "podGroups").elements():
        minimum, name = group.down("policy", "gang", "minCount"), read_text(group["name"])
        found: dict[str, list[PodSet]] = {}  # each replica of the group is a gang of its own
        for workload, pods in _everything(workloads):
            reference = template_of(workload, pods).down("spec", "workloadRef")
            wanted = (read_text(reference["name"]), read_text(reference["podGroup"]))
            if wanted == (meta.name, name) and pods.namespace == (meta.namespace or "default"):
                found.setdefault(read_text(reference["podGroupReplicaKey"]), []).append(pods)
        for key, own in found.items() if minimum.present else ():
            replica = f" (replica {key})" if key else ""
            what = f"minCount of the pod group {name}{replica} of the Workload {meta.name}"
            yield Gang(what, read_int(minimum), tuple(own), own[0].namespace, at=minimum.at, doubt=_GATE)


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
