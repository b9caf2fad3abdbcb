"""The JobSet that a TrainJob's runtime, its patches and its trainer section make (W 4)."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from trainlint.operators.strategic_merge import merged
from trainlint.source.document import Field

__all__ = ["NODE", "is_told", "job_set_spec", "launches_as_node", "step_of"]

NODE: Final = "node"
"""The name of the trainer's container, and of the job that holds the nodes of an MPI runtime."""
_PRUNED: Final = ("hostNetwork", "schedulerName")
_STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"


def job_set_spec(spec: Field, runtime: Mapping[str, Any], policy: Mapping[str, Any]) -> dict[str, Any]:
    """The JobSet's spec: the runtime's template, patched in order, then what the trainer section says."""
    template = runtime.get("template")
    result = template.get("spec") if isinstance(template, dict) else None
    result = copy.deepcopy(result) if isinstance(result, dict) else {}
    for patch in spec["runtimePatches"].elements():
        change = patch.down("trainingRuntimeSpec", "template", "spec").mapping
        if change is not None:
            result = merged(result, _without_pruned(change))
    jobs = result.get("replicatedJobs")
    result["replicatedJobs"] = [job for job in jobs if isinstance(job, dict)] if isinstance(jobs, list) else []
    trainer = spec["trainer"]
    mpi = policy.get("mpi") if isinstance(policy.get("mpi"), dict) else None
    launcher_is_node = launches_as_node(policy)
    for job in result["replicatedJobs"]:
        is_trainer = step_of(job) == "trainer"
        if is_trainer:
            job["replicas"] = 1
        if mpi is None and is_trainer:
            _count(job, trainer["numNodes"].value if trainer["numNodes"].present else policy.get("numNodes", 1))
        elif mpi is not None:
            _count_of_mpi(job, trainer["numNodes"], policy.get("numNodes", 1), launcher_is_node=launcher_is_node)
        _initialize(job, spec["initializer"])
        if trainer.mapping is not None:
            _apply(job, trainer, launcher_is_node=launcher_is_node)
    return result


def _without_pruned(change: Mapping[str, Any]) -> dict[str, Any]:
    """A patch without the fields of pod specs that the schema of patches does not have (tj-0301, tj-0302)."""
    result: dict[str, Any] = copy.deepcopy(dict(change))
    jobs = result.get("replicatedJobs")
    for job in jobs if isinstance(jobs, list) else []:
        spec = job
        for key in ("template", "spec", "template", "spec"):
            spec = spec.get(key) if isinstance(spec, dict) else None
        for key in _PRUNED if isinstance(spec, dict) else ():
            spec.pop(key, None)
    return result


def launches_as_node(policy: Mapping[str, Any]) -> bool:
    """Whether the launcher of an MPI runtime is one of its nodes."""
    mpi = policy.get("mpi")
    return isinstance(mpi, dict) and mpi.get("runLauncherAsNode") is True


def is_told(job: Any, container: Any, key: str, *, launcher_is_node: bool) -> bool:
    """Whether the trainer section decides a key of a container (``image``, ``command``, ``args``, ``env``,
    ``resources``): in the trainer's job, and apart from what it runs in the nodes beside a launcher that is one.
    """
    if not isinstance(container, dict) or container.get("name") != NODE:
        return False
    if step_of(job) == "trainer":
        return True
    return launcher_is_node and key in {"env", "resources"} and isinstance(job, dict) and job.get("name") == NODE


def step_of(job: Any) -> str:
    """What a replicated job does for the TrainJob: ``trainer`` or an initializer; empty if it says nothing."""
    labels = job
    for key in ("template", "metadata", "labels"):
        labels = labels.get(key) if isinstance(labels, dict) else None
    step = labels.get(_STEP) if isinstance(labels, dict) else None
    return step if isinstance(step, str) else ""


def _count(job: dict[str, Any], nodes: Any) -> None:
    inner = _below(job, "template", "spec")
    inner["parallelism"] = inner["completions"] = nodes


def _count_of_mpi(job: dict[str, Any], written: Field, of_runtime: Any, *, launcher_is_node: bool) -> None:
    """The runtime's number of nodes is that of the trainer's job, which is the launcher; the TrainJob's is that of the
    nodes, of which a launcher may be one (records tj-0132, tj-0133, tj-0146).
    """
    if step_of(job) == "trainer":
        _count(job, of_runtime)
    if job.get("name") == NODE and written.present:
        nodes = written.value
        _count(job, max(nodes - 1, 1) if launcher_is_node and isinstance(nodes, int) else nodes)


def _initialize(job: dict[str, Any], initializer: Field) -> None:
    """The variables of the containers that fetch data or models before the training."""
    part = {"dataset-initializer": "dataset", "model-initializer": "model"}.get(step_of(job), "")
    containers = _below(job, "template", "spec", "template", "spec").get("containers")
    for container in containers if part and isinstance(containers, list) else []:
        written = initializer[part]
        if not isinstance(container, dict) or container.get("name") != step_of(job) or written.mapping is None:
            continue
        uri = [{"name": "STORAGE_URI", "value": written["storageUri"].value}] if written["storageUri"].present else []
        own = written["env"].value if isinstance(written["env"].value, list) else []
        container.update(merged({"env": container.get("env") or []}, {"env": [*uri, *own]}))


def _apply(job: dict[str, Any], trainer: Field, *, launcher_is_node: bool) -> None:
    containers = _below(job, "template", "spec", "template", "spec").get("containers")
    for container in containers if isinstance(containers, list) else []:
        if not is_told(job, container, "resources", launcher_is_node=launcher_is_node):
            continue
        for key in ("image", "command", "args"):
            if trainer[key].present and is_told(job, container, key, launcher_is_node=launcher_is_node):
                container[key] = trainer[key].value
        if isinstance(trainer["env"].value, list):
            container.update(merged({"env": container.get("env") or []}, {"env": trainer["env"].value}))
        asked = trainer["resourcesPerNode"]
        if asked["limits"].present or asked["requests"].present:  # it replaces everything, also claims
            container["resources"] = {key: asked[key].value for key in ("limits", "requests") if asked[key].present}


def _below(mapping: dict[str, Any], *steps: str) -> dict[str, Any]:
    for step in steps:
        below = mapping.get(step)
        if not isinstance(below, dict):
            below = mapping[step] = {}
        mapping = below
    return mapping
