"""Gangs that operators and schedulers form without a PodGroup in Git (W 3; S 2.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from trainlint.finding import Location
from trainlint.kube.meta import read_meta
from trainlint.kube.values import read_int
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import Gang, PodSet, Workload
from trainlint.workload.flows import total
from trainlint.workload.ground import TieGround
from trainlint.workload.kai_minimum import KAI, SCHEDULING_POLICY, kai_members
from trainlint.workload.kinds import kind_of
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.tier import VOLCANO_SCHEDULERS

__all__ = ["KAI", "gang_scheduler", "kai_gangs", "mpi_gangs", "volcano_gangs"]

_MIN_MEMBER: Final = "scheduling.volcano.sh/group-min-member"
_GROUP_NAME: Final = "scheduling.k8s.io/group-name"
_WITHOUT: Final = Because(TieGround.MPI_GANGS)


def gang_scheduler(workloads: Sequence[Workload], operator: str, option: str) -> str | None:
    """The scheduler for which an operator makes PodGroups; empty where it makes none, ``None`` where its Deployment,
    found by the name of its image, is not in Git.
    """
    found: str | None = None
    for workload in workloads:
        if workload.owner.kind != "Deployment":
            continue
        for container in (each for pods in workload.pod_sets for each in pods.spec.containers):
            if isinstance(container.image, str) and operator in container.image:
                found = _option([*container.command, *container.args], option)
    return found


def _option(words: Sequence[Known[str]], option: str) -> str:
    """The value of ``--option=value`` or ``--option value``; empty where it is not among the words."""
    for word, after in pairwise((*words, "")):
        if isinstance(word, str):
            name, equals, value = word.lstrip("-").partition("=")
            if name == option and word.startswith("-"):
                return value if equals else after if isinstance(after, str) else ""
    return ""


def mpi_gangs(job: Workload, scheduler: str | None) -> Iterator[Gang]:
    """The PodGroup of an MPIJob of v2beta1: all workers and the launcher, or ``minAvailable`` of its schedulingPolicy.

    The operator makes it only with ``--gang-scheduling`` (kubeflow/mpi-operator:pkg/controller/podgroup.go). Where Git
    does not hold the operator, a written ``minAvailable`` says that it is meant.
    """
    written = job.field.down("spec", *SCHEDULING_POLICY)
    if scheduler == "" or (scheduler is None and not written.present):
        return
    if written.present:
        doubt = _WITHOUT if scheduler is None else None
        yield _gang("minAvailable of the schedulingPolicy", read_int(written), job.pod_sets, written.at, doubt)
        return
    workers = total(pods.replicas for pods in job.pod_sets if pods.role == "Worker")
    minimum = workers if isinstance(workers, Undetermined) else workers + 1
    what = f"minMember of the PodGroup that the mpi-operator makes for {job.owner.name}"
    yield _gang(what, minimum, job.pod_sets, job.field["spec"].at)


def kai_gangs(workload: Workload) -> Iterator[Gang]:
    """What KAI groups the pods of an object to, where all of them name its scheduler
    (NVIDIA/KAI-Scheduler:pkg/podgrouper/podgrouper/plugins). Pods of other kinds are placed one by one.
    """
    pods = workload.pod_sets
    if any(each.spec.scheduler_name != KAI for each in pods):
        return
    kind = kind_of(workload)
    minimum = None if kind is None or kind.kai_minimum is None else kind.kai_minimum(workload.field["spec"], pods)
    if kind is not None and minimum is None and kind.name == "JobSet":
        for each in pods:  # one after the other: each replicated job is a gang of its own
            yield _gang(f"the gang that KAI makes of {each.name}", each.replicas, (each,), workload.field["spec"].at)
    if minimum is not None:
        what = f"the gang that KAI makes of {workload.owner.name}"
        members = kai_members(workload.field["spec"], pods)
        yield _gang(what, minimum, members or pods, workload.field["spec"].at)


def volcano_gangs(workload: Workload) -> Iterator[Gang]:
    """The PodGroup that Volcano makes of the pods of a Job or a controller of apps which names the minimum itself
    (volcano-sh/volcano:pkg/controllers/podgroup/pg_controller_handler.go).
    """
    if read_meta(workload.field).api_group not in {"apps", "batch"}:
        return
    written = workload.field.down("metadata", "annotations", _MIN_MEMBER)
    own = [template_of(workload, each).down("metadata", "annotations", _GROUP_NAME) for each in workload.pod_sets]
    placed = all(each.spec.scheduler_name in VOLCANO_SCHEDULERS for each in workload.pod_sets)
    if written.scalar is None or not placed or any(each.present for each in own) or not workload.pod_sets:
        return
    if written.scalar.isdecimal() and int(written.scalar) > 0:
        what = f"group-min-member of the PodGroup that Volcano makes for {workload.owner.name}"
        yield _gang(what, int(written.scalar), workload.pod_sets, written.at)


def _gang(what: str, minimum: Known[int], pods: tuple[PodSet, ...], at: Location, doubt: Because | None = None) -> Gang:
    return Gang(what, minimum, pods, pods[0].namespace, at=at, closed=True, doubt=doubt)
