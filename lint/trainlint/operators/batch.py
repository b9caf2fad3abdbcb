"""The Job controller of kube-controller-manager: a Job to its pods (W 9)."""

from __future__ import annotations

from typing import Any, Final

from trainlint.operators.cluster import MadeObjects
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    annotations_of,
    copied,
    count,
    every_container,
    items,
    labels_of,
    mapping,
    name_of,
    namespace_of,
    set_env,
    text,
)

__all__ = ["COMPLETION_INDEX", "job_pods", "run_job"]

_PREFIX: Final = "batch.kubernetes.io/"
COMPLETION_INDEX: Final = f"{_PREFIX}job-completion-index"
_OWN_MANAGER: Final = "kubernetes.io/job-controller"
_LONGEST_BASE: Final = 58
_INDEX_FROM: Final = {"fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}}


def run_job(cluster: MadeObjects, job: Manifest) -> None:
    """The pods of a Job that exists: as many as may run at once."""
    cluster.create_pods(job_pods(job))


def job_pods(job: Manifest) -> list[Manifest]:
    """The pods that a Job has at once, of each index that is not suspended or managed by another controller."""
    spec = mapping(job.get("spec"))
    if spec.get("suspend") is True or text(spec.get("managedBy")) not in {"", _OWN_MANAGER}:
        return []
    wanted = count(spec.get("parallelism"), 1)
    if spec.get("completions") is not None:
        wanted = min(wanted, count(spec["completions"], 1))
    indexed = spec.get("completionMode") == "Indexed"
    return [_pod(job, spec, index if indexed else None) for index in range(wanted)]


def _pod(job: Manifest, spec: Manifest, index: int | None) -> Manifest:
    template = mapping(spec.get("template"))
    name = name_of(job)
    labels = {**labels_of(template)}
    annotations = {**annotations_of(template)}
    if spec.get("manualSelector") is not True:
        labels |= {"controller-uid": ANY, f"{_PREFIX}controller-uid": ANY, "job-name": name, f"{_PREFIX}job-name": name}
    pod_spec = copied(mapping(template.get("spec")))
    base = f"{name}-"
    if index is not None:
        labels[COMPLETION_INDEX] = annotations[COMPLETION_INDEX] = str(index)
        base = f"{name[: _LONGEST_BASE - len(f'-{index}-')]}-{index}-"
        pod_spec["hostname"] = f"{name}-{index}"
        for container in every_container(pod_spec):
            if all(each.get("name") != "JOB_COMPLETION_INDEX" for each in items(container.get("env"))):
                set_env(container, {"name": "JOB_COMPLETION_INDEX", "valueFrom": copied(_INDEX_FROM)})
    metadata: dict[str, Any] = {"generateName": base, "namespace": namespace_of(job), "labels": labels}
    if annotations:
        metadata["annotations"] = annotations
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec}
