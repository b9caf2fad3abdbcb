"""The JobSet that a TrainJob's runtime, its patches and its trainer section make (W 4)."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from trainlint.source.document import Field
from trainlint.workload.strategic_merge import merged

__all__ = ["NODE", "job_set_spec", "step_of"]

NODE: Final = "node"
"""The name of the trainer's container, and of the job that holds the nodes of an MPI runtime."""
_STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"


def job_set_spec(spec: Field, runtime: Mapping[str, Any], policy: Mapping[str, Any]) -> dict[str, Any]:
    """The JobSet's spec: the runtime's template, patched in order, then what the trainer section says."""
    template = runtime.get("template")
    result = template.get("spec") if isinstance(template, dict) else None
    result = copy.deepcopy(result) if isinstance(result, dict) else {}
    for patch in spec["runtimePatches"].elements():
        change = patch.down("trainingRuntimeSpec", "template", "spec").mapping
        if change is not None:
            result = merged(result, change)
    jobs = result.get("replicatedJobs")
    result["replicatedJobs"] = [job for job in jobs if isinstance(job, dict)] if isinstance(jobs, list) else []
    trainer = spec["trainer"]
    for job in result["replicatedJobs"]:
        mpi = policy.get("mpi") if isinstance(policy.get("mpi"), dict) else None
        launcher_is_node = mpi is not None and mpi.get("runLauncherAsNode") is True
        is_trainer = step_of(job) == "trainer"
        counted = job.get("name") == NODE if mpi is not None else is_trainer
        if is_trainer:
            job["replicas"] = 1
        if counted:
            _count(job, trainer["numNodes"], policy.get("numNodes"), launcher_is_node=launcher_is_node)
        if trainer.mapping is not None and (is_trainer or (launcher_is_node and job.get("name") == NODE)):
            _apply(job, trainer, whole=is_trainer)
    return result


def step_of(job: Any) -> str:
    """What a replicated job does for the TrainJob: ``trainer`` or an initializer; empty if it says nothing."""
    labels = job
    for key in ("template", "metadata", "labels"):
        labels = labels.get(key) if isinstance(labels, dict) else None
    step = labels.get(_STEP) if isinstance(labels, dict) else None
    return step if isinstance(step, str) else ""


def _count(job: dict[str, Any], written: Field, default: Any, *, launcher_is_node: bool) -> None:
    nodes = written.value if written.present else default if default is not None else 1
    if launcher_is_node and isinstance(nodes, int):
        nodes = max(nodes - 1, 1)
    inner = _below(job, "template", "spec")
    inner["parallelism"] = inner["completions"] = nodes


def _apply(job: dict[str, Any], trainer: Field, *, whole: bool) -> None:
    containers = _below(job, "template", "spec", "template", "spec").get("containers")
    for container in containers if isinstance(containers, list) else []:
        if not isinstance(container, dict) or container.get("name") != NODE:
            continue
        if whole:
            for key in ("image", "command", "args"):
                if trainer[key].present:
                    container[key] = trainer[key].value
        if isinstance(trainer["env"].value, list):
            container.update(merged({"env": container.get("env") or []}, {"env": trainer["env"].value}))
        if trainer["resourcesPerNode"].mapping is not None:
            container["resources"] = merged(container.get("resources") or {}, trainer["resourcesPerNode"].value)


def _below(mapping: dict[str, Any], *steps: str) -> dict[str, Any]:
    for step in steps:
        below = mapping.get(step)
        if not isinstance(below, dict):
            below = mapping[step] = {}
        mapping = below
    return mapping
