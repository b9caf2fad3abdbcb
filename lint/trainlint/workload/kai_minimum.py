"""How many pods KAI starts together of each kind of job, or none (S 2.1).

As NVIDIA/KAI-Scheduler:pkg/podgrouper/podgrouper/plugins groups them; each function gets the spec of the object and its
pod sets, and returns ``None`` where the pods are placed one by one or the number is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.kube.values import read_int, read_text
from trainlint.model.known import Known
from trainlint.model.workload import PodSet
from trainlint.source.document import Field
from trainlint.workload.flows import product, total

__all__ = [
    "KAI",
    "SCHEDULING_POLICY",
    "kai_members",
    "minimum_of_job_set",
    "minimum_of_leader_worker_set",
    "minimum_of_mpi",
    "minimum_of_pytorch",
    "minimum_of_ray_cluster",
    "minimum_of_ray_job",
    "minimum_of_v1",
]

KAI: Final = "kai-scheduler"
"""The name of KAI's scheduler unless its installation gives it another one."""
SCHEDULING_POLICY: Final = ("runPolicy", "schedulingPolicy", "minAvailable")
"""Where a job of kubeflow.org says itself how many pods start together, below its spec."""


def minimum_of_v1(spec: Field, pods: Sequence[PodSet]) -> Known[int]:
    """The number of pods that KAI waits for: all, the workers where the launcher waits for them, or what the job
    says.
    """
    written = spec.down(*SCHEDULING_POLICY)
    return read_int(written) if written.present else _by_launcher(spec, pods)


def minimum_of_mpi(spec: Field, pods: Sequence[PodSet]) -> Known[int]:
    """The number of pods of an MPIJob that KAI waits for: all, or what the job says, without a launcher that comes
    after its workers.
    """
    written = spec.down(*SCHEDULING_POLICY)
    if not written.present:
        return _by_launcher(spec, pods)
    least = read_int(written)
    return least - 1 if isinstance(least, int) and _launcher_waits(spec) else least


def minimum_of_pytorch(spec: Field, pods: Sequence[PodSet]) -> Known[int]:
    """The number of pods of a PyTorchJob that KAI waits for: its elastic policy may ask for fewer."""
    written, elastic = spec.down(*SCHEDULING_POLICY), spec.down("elasticPolicy", "minReplicas")
    if written.present or not elastic.present or _launcher_waits(spec):
        return minimum_of_v1(spec, pods)
    return read_int(elastic)


def _by_launcher(spec: Field, pods: Sequence[PodSet]) -> Known[int]:
    return total(each.replicas for each in pods if each.role == "Worker") if _launcher_waits(spec) else _all(pods)


def kai_members(spec: Field, pods: tuple[PodSet, ...]) -> tuple[PodSet, ...]:
    """The pods that start together: not a launcher that comes after its workers."""
    return tuple(each for each in pods if each.role == "Worker") if _launcher_waits(spec) else pods


def _launcher_waits(spec: Field) -> bool:
    return read_text(spec["launcherCreationPolicy"]) == "WaitForWorkersReady"


def _all(pods: Sequence[PodSet]) -> Known[int]:
    return total(product(each.replicas, 1) for each in pods)


def minimum_of_job_set(spec: Field, pods: Sequence[PodSet]) -> Known[int] | None:
    """The number of pods of a JobSet that KAI waits for; ``None`` where its Jobs are made one after the other."""
    return None if read_text(spec.down("startupPolicy", "startupPolicyOrder")) == "InOrder" else _all(pods)


def minimum_of_leader_worker_set(spec: Field, pods: Sequence[PodSet]) -> Known[int] | None:
    """The number of pods of one group of a LeaderWorkerSet, all of which KAI waits for; ``None`` where it waits for the
    leader first.
    """
    del pods
    if read_text(spec["startupPolicy"]) == "LeaderReady":
        return None
    return read_int(spec.down("leaderWorkerTemplate", "size"), 1)


def minimum_of_ray_job(spec: Field, pods: Sequence[PodSet]) -> Known[int]:
    """The number of pods of a RayJob that KAI waits for, which is that of its cluster."""
    return minimum_of_ray_cluster(spec["rayClusterSpec"], pods)


def minimum_of_ray_cluster(spec: Field, pods: Sequence[PodSet]) -> Known[int]:
    """The number of pods of a RayCluster that KAI waits for: the head, and of each worker group the smallest number
    that is above 0 (times its hosts).
    """
    del pods
    counts: list[Known[int]] = [1]
    for group in spec["workerGroupSpecs"].elements():
        least, wanted = read_int(group["minReplicas"]), read_int(group["replicas"])
        counts.append(product(least or wanted, read_int(group["numOfHosts"], 1)))
    return total(counts)
