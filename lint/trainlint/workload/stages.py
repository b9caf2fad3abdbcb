"""Pods that are made only when others of their object are Ready or have ended (W 3 to 6, 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from trainlint.finding import Location
from trainlint.kube.values import read_strings, read_text
from trainlint.model.workload import PodSet, Wait
from trainlint.source.document import Field

__all__ = [
    "job_set_stages",
    "leader_worker_set_stages",
    "mpi_stages",
    "ray_job_stages",
    "stateful_set_stages",
    "volcano_stages",
]

_DELAYED: Final = "WaitForWorkersReady"


def job_set_stages(spec: Field, pod_sets: Sequence[PodSet], at: Location | None = None) -> Mapping[int, Wait]:
    """The replicated jobs of a JobSet's spec that wait: ``dependsOn``, or ``startupPolicyOrder: InOrder``.

    ``at`` is the place of all of them where the spec itself is not written in the object (TrainJob).
    """
    index = {pods.role: number for number, pods in enumerate(pod_sets)}
    order = spec.down("startupPolicy", "startupPolicyOrder")
    before: list[int] = []
    found: dict[int, Wait] = {}
    for entry in spec["replicatedJobs"].elements():
        own = index.get(read_text(entry["name"]))
        if own is None:
            continue
        if read_text(order) == "InOrder" and before:
            found[own] = Wait(tuple(before), "startupPolicyOrder is InOrder", order.at)
        for dependency in entry["dependsOn"].elements():
            awaited, status = index.get(read_text(dependency["name"])), read_text(dependency["status"])
            if awaited is not None:
                why = f"dependsOn names {read_text(dependency['name'])} with status {status or 'Ready'}"
                earlier = found[own].awaited if own in found else ()
                found[own] = Wait((*earlier, awaited), why, dependency.at)
        before.append(own)
    return found if at is None else {number: replace(wait, at=at) for number, wait in found.items()}


def mpi_stages(job: Field, pod_sets: Sequence[PodSet]) -> Mapping[int, Wait]:
    """The launcher of an MPIJob, where its ``launcherCreationPolicy`` waits for the workers."""
    policy = job.down("spec", "launcherCreationPolicy")
    index = {pods.role: number for number, pods in enumerate(pod_sets)}
    if read_text(policy) != _DELAYED or not {"Launcher", "Worker"} <= set(index):
        return {}
    return {index["Launcher"]: Wait((index["Worker"],), f"launcherCreationPolicy is {_DELAYED}", policy.at)}


def stateful_set_stages(item: Field, pod_sets: Sequence[PodSet]) -> Mapping[int, Wait]:
    """The pods of a StatefulSet, each of which waits for the one before it unless they are made in parallel."""
    policy = item.down("spec", "podManagementPolicy")
    if not pod_sets or (policy.present and read_text(policy) != "OrderedReady"):
        return {}
    return {0: Wait((0,), "podManagementPolicy is OrderedReady", policy.at)}


def ray_job_stages(job: Field, pod_sets: Sequence[PodSet]) -> Mapping[int, Wait]:
    """The submitter of a RayJob, which is made when the head and the least workers of its cluster are Ready
    (ray-project/kuberay:ray-operator/controllers/ray/rayjob_controller.go).
    """
    index = {pods.role: number for number, pods in enumerate(pod_sets)}
    cluster = tuple(number for number, pods in enumerate(pod_sets) if pods.role != "submitter")
    if "submitter" not in index or not cluster:
        return {}
    at = job.down("spec", "submissionMode").at
    return {index["submitter"]: Wait(cluster, "submissionMode is K8sJobMode", at)}


def leader_worker_set_stages(item: Field, pod_sets: Sequence[PodSet]) -> Mapping[int, Wait]:
    """The workers of a LeaderWorkerSet, where its ``startupPolicy`` waits for the leader."""
    policy = item.down("spec", "startupPolicy")
    index = {pods.role: number for number, pods in enumerate(pod_sets)}
    if read_text(policy) != "LeaderReady" or not {"leader", "worker"} <= set(index):
        return {}
    return {index["worker"]: Wait((index["leader"],), "startupPolicy is LeaderReady", policy.at)}


def volcano_stages(job: Field, pod_sets: Sequence[PodSet]) -> Mapping[int, Wait]:
    """Tasks with ``dependsOn``: with ``iteration: any`` one of those that it names is enough."""
    index = {pods.role: number for number, pods in enumerate(pod_sets)}
    found: dict[int, Wait] = {}
    for task in job.down("spec", "tasks").elements():
        own, written = index.get(read_text(task["name"])), task["dependsOn"]
        names = read_strings(written["name"])
        awaited = tuple(index[name] for name in names if name in index)
        if own is not None and awaited:
            any_of = len(names) > 1 and read_text(written["iteration"]) == "any"
            found[own] = Wait(awaited, f"dependsOn names {' and '.join(names)}", written.at, any_of=any_of)
    return found
