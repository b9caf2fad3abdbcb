"""The manifests that a short record stands for.

``queues`` are Queues by name (their spec); ``job`` is a Volcano Job: its spec, with ``tasks`` by name; ``kai`` is a job
of any kind that KAI places (``kind``, ``labels``, ``annotations``, ``spec``); ``objects`` are whole manifests.
``{gpus: 2}`` in the place of a pod template makes one whose container has that many GPUs; other keys of it are
``cpu`` and ``memory``, ``labels`` and ``annotations`` of the pod, and fields of its spec.
"""

from __future__ import annotations

from typing import Any

import yaml

__all__ = ["manifests"]

_QUEUES = {"volcano": "scheduling.volcano.sh/v1beta1", "kai": "scheduling.run.ai/v2"}
_RESOURCES = {"gpus": "nvidia.com/gpu", "cpu": "cpu", "memory": "memory"}
_VERSIONS = {
    "Job": "batch/v1",
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "JobSet": "jobset.x-k8s.io/v1alpha2",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
    "MPIJob": "kubeflow.org/v2beta1",
    "RayCluster": "ray.io/v1",
    "RayJob": "ray.io/v1",
}
_UNLIMITED = {"quota": -1, "limit": -1, "overQuotaWeight": 1}


def manifests(file: str, record: dict[str, Any], gpus: int | None = None) -> str:
    """All objects of a record as YAML; ``gpus`` is the limit of its queue ``team``, if that is what is asked."""
    queues = dict(record.get("queues", {}))
    if gpus is not None:
        queues["team"] = {"capability": {"nvidia.com/gpu": gpus}} if file == "volcano" else {"gpu": gpus}
    made = [_queue(file, name, spec or {}) for name, spec in queues.items()]
    if "job" in record:
        made.append(_volcano_job(record["job"]))
    if "kai" in record:
        made.append(_kai_job(record["kai"]))
    made += [_filled(each, "") for each in record.get("objects", ())]
    return yaml.safe_dump_all(made, sort_keys=False)


def _queue(file: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    status = {"status": spec["status"]} if "status" in spec else {}
    annotations = spec.get("annotations", {})
    spec = {key: each for key, each in spec.items() if key not in {"status", "annotations"}}
    if file == "kai":
        spec = _kai_queue(spec)
    metadata = {"name": name, **({"annotations": annotations} if annotations else {})}
    return {"apiVersion": _QUEUES[file], "kind": "Queue", "metadata": metadata, "spec": spec, **status}


def _kai_queue(spec: dict[str, Any]) -> dict[str, Any]:
    """``gpu``, ``cpu`` and ``memory`` are a limit, or what stands there; without a limit is what is not named."""
    if "resources" in spec:
        return spec
    resources = {
        name: {**_UNLIMITED, "quota": spec[name], "limit": spec[name]}
        if isinstance(spec.get(name), int)
        else spec.get(name, _UNLIMITED)
        for name in ("gpu", "cpu", "memory")
    }
    return {**{key: each for key, each in spec.items() if key not in resources}, "resources": resources}


def _volcano_job(job: dict[str, Any]) -> dict[str, Any]:
    tasks = [{"name": name, **_filled(task, "")} for name, task in job.get("tasks", {}).items()]
    metadata = {"name": "train", "namespace": "ml", **job.get("metadata", {})}
    spec = {key: each for key, each in job.items() if key not in {"tasks", "metadata"}}
    if "tasks" in job:
        spec["tasks"] = tasks
    version = "batch.volcano.sh/v1alpha1"
    return {"apiVersion": version, "kind": "Job", "metadata": metadata, "spec": {"schedulerName": "volcano", **spec}}


def _kai_job(job: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": "train", "namespace": "ml", "labels": {"kai.scheduler/queue": "team"}}
    metadata |= {key: job[key] for key in ("labels", "annotations") if key in job}
    version = _VERSIONS.get(job["kind"], "kubeflow.org/v1")
    spec = _filled(job["spec"], "kai-scheduler")
    return {"apiVersion": version, "kind": job["kind"], "metadata": metadata, "spec": spec}


def _filled(value: Any, scheduler: str) -> Any:
    """The value with whole templates in the place of short ones."""
    if isinstance(value, list):
        return [_filled(each, scheduler) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _template(each, scheduler)
        if key.lower().endswith("template") and isinstance(each, dict) and "gpus" in each
        else _filled(each, scheduler)
        for key, each in value.items()
    }


def _template(short: dict[str, Any], scheduler: str) -> dict[str, Any]:
    amounts = {_RESOURCES[key]: each for key, each in short.items() if key in _RESOURCES and each != 0}
    name = short.get("container", "main")
    container = {"name": name, "image": "registry.example/train:1", "resources": {"limits": amounts}}
    metadata = {key: short[key] for key in ("labels", "annotations") if key in short}
    known = {*_RESOURCES, "labels", "annotations", "container"}
    spec = {key: each for key, each in short.items() if key not in known}
    if scheduler:
        spec.setdefault("schedulerName", scheduler)
    return {"metadata": metadata, "spec": {**spec, "containers": [container]}}
