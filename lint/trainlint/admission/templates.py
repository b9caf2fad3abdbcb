"""Where the pod templates of each kind stand, and what its operator adds before a pod is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.plain import below, elements, mapping, text
from trainlint.fact import fact
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.workload.kubeflow_v1 import V1_KINDS
from trainlint.workload.ray_job import RAY_CLUSTERS

__all__ = ["ROLES", "PodTemplate", "templates"]

ROLES: Final = {name: kind.roles_at for name, kind in V1_KINDS.items()}
"""The map of roles of each kind of kubeflow.org."""
_ALWAYS: Final = ("Always",)
_ENDS: Final = ("OnFailure", "Never")
_PLAIN: Final[Mapping[tuple[str, str], tuple[Path, tuple[str, ...]]]] = {
    ("", "Pod"): ((), ()),
    ("", "ReplicationController"): (("spec", "template"), _ALWAYS),
    ("apps", "Deployment"): (("spec", "template"), _ALWAYS),
    ("apps", "ReplicaSet"): (("spec", "template"), _ALWAYS),
    ("apps", "StatefulSet"): (("spec", "template"), _ALWAYS),
    ("batch", "Job"): (("spec", "template"), _ENDS),
    ("batch", "CronJob"): (("spec", "jobTemplate", "spec", "template"), _ENDS),
}
"""Kubernetes' own kinds: where the template is, and the restart policies that they take."""
_LISTS: Final = {"batch.volcano.sh": "tasks", "sagemaker.amazonaws.com": "replicaSpecs"}
"""API groups whose jobs have a list of roles, whose operators add unknown volumes."""
_MPI: Final = frozenset({"ssh-auth", "mpi-job-config", "mpi-job-kubectl"})
_RAY: Final = frozenset({"gcs-storage", "log-volume", "ray-logs", "ray-tls", "ray-token", "shared-mem"})


@fact
class PodTemplate:
    """A pod template: its path in the object, its role, and who else has a part in it.

    ``restarts`` are the restart policies that the owner of the pods takes; empty where it sets one itself.
    ``defaults`` says that something sets a policy where none is written. ``maker`` is the object between ("Job"), which
    is what the API server refuses. ``lent`` are the volumes that the operator adds; ``None``: it is unknown which.
    """

    path: Path
    role: str
    spec: Mapping[str, Any]
    metadata: Mapping[str, Any]
    restarts: tuple[str, ...] = ()
    defaults: bool = True
    maker: str = ""
    lent: frozenset[str] | None = frozenset()
    bare: bool = False


def templates(meta: Meta, item: Any) -> Iterator[PodTemplate]:
    """The pod templates of an object that list containers, if only none."""
    for found in _templates(meta, item):
        if isinstance(found.spec.get("containers"), list):
            yield found


def _templates(meta: Meta, item: Any) -> Iterator[PodTemplate]:
    group, kind = meta.api_group, meta.kind
    if group in {"", "apps", "batch"}:
        found = _PLAIN.get((group, kind))
        if found is not None:
            path, restarts = found
            lent = frozenset(_claims(below(item, "spec", "volumeClaimTemplates")))
            yield _at(item, path, "Job" if group == "batch" else kind, restarts, defaults=group != "batch", lent=lent)
    elif group == "kubeflow.org" and kind in ROLES:
        lent = _MPI if kind == "MPIJob" else frozenset[str]()
        for role in mapping(below(item, "spec", ROLES[kind])):
            yield _at(item, ("spec", ROLES[kind], role, "template"), role, (), lent=lent)
    elif group == "jobset.x-k8s.io" and kind == "JobSet":
        lent = frozenset(_claims(below(item, "spec", "volumeClaimPolicies"), "templates"))
        yield from _of_job_set(item, ("spec",), lent)
    elif group == "trainer.kubeflow.org" and kind in {"TrainingRuntime", "ClusterTrainingRuntime"}:
        yield from _of_job_set(item, ("spec", "template", "spec"), None)
    elif group == "leaderworkerset.x-k8s.io" and kind == "LeaderWorkerSet":
        at = ("spec", "leaderWorkerTemplate")
        lent = frozenset(_claims(below(item, *at, "volumeClaimTemplates")))
        for role in ("leaderTemplate", "workerTemplate"):
            yield _at(item, (*at, role), role, _ALWAYS, lent=lent, maker="StatefulSet")
    elif group == "ray.io" and kind in RAY_CLUSTERS:
        yield from _of_ray_cluster(item, RAY_CLUSTERS[kind])
        if kind == "RayJob":
            submitter: Path = ("spec", "submitterPodTemplate")
            yield _at(item, submitter, "submitter", _ENDS, defaults=False, maker="Job")
    elif (list_key := _LISTS.get(group)) and kind != "CronJob":
        for path, task in elements(below(item, "spec", list_key), "spec", list_key):
            yield _at(item, (*path, "template"), text(task.get("name")), (), lent=None)


def _at(
    item: Any,
    path: Path,
    role: str,
    restarts: tuple[str, ...],
    *,
    defaults: bool = True,
    lent: frozenset[str] | None = frozenset(),
    maker: str = "",
) -> PodTemplate:
    found = mapping(below(item, *path))
    spec, metadata = mapping(found.get("spec")), mapping(found.get("metadata"))
    return PodTemplate(path, role, spec, metadata, restarts, defaults, maker, lent, bare=not path)


def _of_job_set(item: Any, at: Path, lent: frozenset[str] | None) -> Iterator[PodTemplate]:
    for path, job in elements(below(item, *at, "replicatedJobs"), *at, "replicatedJobs"):
        inner = (*path, "template", "spec", "template")
        yield _at(item, inner, text(job.get("name")), _ENDS, lent=lent, maker="Job")


def _of_ray_cluster(item: Any, at: Path) -> Iterator[PodTemplate]:
    yield _at(item, (*at, "headGroupSpec", "template"), "head", (), lent=_RAY)
    for path, group in elements(below(item, *at, "workerGroupSpecs"), *at, "workerGroupSpecs"):
        yield _at(item, (*path, "template"), text(group.get("groupName")), (), lent=_RAY)


def _claims(templates: Any, inner: str = "") -> Iterator[str]:
    for _, each in elements(templates):
        if inner:
            yield from _claims(each.get(inner))
        else:
            yield text(mapping(each.get("metadata")).get("name"))
