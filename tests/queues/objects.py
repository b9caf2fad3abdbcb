"""The manifests that a short record stands for.

``queues`` are Queues by name (their spec); ``job`` is a Volcano Job: its spec, with ``tasks`` by name; ``kai`` is a job
of any kind that KAI places (``kind``, ``labels``, ``annotations``, ``spec``); ``runtime`` is a TrainingRuntime whose
pods KAI places. ``groups`` are PodGroups by name (their spec, and ``version`` if not the usual one), ``workloads`` are
Workloads of Kubernetes 1.35; ``pods`` is an object, or several, that no scheduler is presumed of. ``objects`` are whole
manifests. ``kubernetes`` is the release.
``{gpus: 2}`` in the place of a pod template makes one whose container has that many GPUs; other keys of it are
``cpu`` and ``memory``, ``labels`` and ``annotations`` of the pod, and fields of its spec.
"""

from __future__ import annotations

from typing import Any

import yaml

__all__ = ["manifests"]

_GROUPS = {"coscheduling": "scheduling.x-k8s.io/v1alpha1", "kubernetes": "scheduling.k8s.io/v1beta1"}
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
    "TrainJob": "trainer.kubeflow.org/v1alpha1",
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
    if "runtime" in record:
        made.append(_runtime(record["runtime"]))
    made += [_group(name, spec, _GROUPS.get(file, "")) for name, spec in record.get("groups", {}).items()]
    for name, spec in record.get("workloads", {}).items():
        made.append(_object("scheduling.k8s.io/v1alpha1", "Workload", {"name": name, "namespace": "ml"}, spec))
    pods = record.get("pods", [])
    made += [_plain(each) for each in (pods if isinstance(pods, list) else [pods])]
    made += [_filled(each, "") for each in record.get("objects", ())]
    return yaml.safe_dump_all(made, sort_keys=False)


def _group(name: str, spec: dict[str, Any], version: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": spec.get("namespace", "ml")}
    own = {key: each for key, each in spec.items() if key not in {"namespace", "version"}}
    return _object(spec.get("version", version), "PodGroup", metadata, own)


def _plain(job: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": job.get("name", "train"), "namespace": job.get("namespace", "ml")}
    metadata |= {key: job[key] for key in ("labels", "annotations") if key in job}
    version = _VERSIONS.get(job["kind"], "kubeflow.org/v1")
    return _object(version, job["kind"], metadata, _filled(job["spec"], ""))


def _object(version: str, kind: str, metadata: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


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


def _runtime(spec: dict[str, Any]) -> dict[str, Any]:
    """A TrainingRuntime called gang, whose replicated jobs are ``jobs`` by name."""
    jobs = [
        {
            "name": name,
            **{key: each for key, each in job.items() if key == "dependsOn"},
            "template": {
                "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": job.get("step", "trainer")}},
                "spec": {"template": _template(job["template"], "kai-scheduler")},
            },
        }
        for name, job in spec["jobs"].items()
    ]
    template = {"spec": {key: each for key, each in spec.items() if key == "startupPolicy"} | {"replicatedJobs": jobs}}
    own = {"mlPolicy": {"numNodes": spec.get("nodes", 1), "torch": {}}, "template": template}
    metadata = {"name": "gang", "namespace": "ml"}
    return _object("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", metadata, own)


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
