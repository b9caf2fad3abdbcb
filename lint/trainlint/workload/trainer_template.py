"""The JobSet that a TrainJob's runtime, its patches and its trainer section make (W 4)."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from trainlint.source.document import Field
from trainlint.workload.strategic_merge import merged

__all__ = ["NODE", "is_told", "job_set_spec", "launches_as_node", "step_of"]

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
    mpi = policy.get("mpi") if isinstance(policy.get("mpi"), dict) else None
    launcher_is_node = launches_as_node(policy)
    for job in result["replicatedJobs"]:
        is_trainer = step_of(job) == "trainer"
        counted = job.get("name") == NODE if mpi is not None else is_trainer
        if is_trainer:
            job["replicas"] = 1
        if counted:
            _count(job, trainer["numNodes"], policy.get("numNodes"), launcher_is_node=launcher_is_node)
        if trainer.mapping is not None:
            _apply(job, trainer, launcher_is_node=launcher_is_node)
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


def _count(job: dict[str, Any], written: Field, default: Any, *, launcher_is_node: bool) -> None:
    nodes = written.value if written.present else default if default is not None else 1
    if launcher_is_node and isinstance(nodes, int):
        nodes = max(nodes - 1, 1)
    inner = _below(job, "template", "spec")
    inner["parallelism"] = inner["completions"] = nodes


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
