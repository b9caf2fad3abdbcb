"""What the plugins of Kubeflow Trainer do for each framework: counts, variables, ports, commands (W 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.operators.manifest import Manifest, below, containers_of, copied, count, items, mapping, name_of, text
from trainlint.operators.torchtune import ENTRYPOINT, tuning_command

__all__ = ["TrainerPods", "enforce", "upsert_env"]

_PORT: Final = 29500
_INDEX: Final = {
    "fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"},
}


@dataclass
class TrainerPods:
    """A replicated job, its step, how many pods each of its Jobs has, their spec, and what one of them requests."""

    job: Manifest
    step: str
    count: int
    spec: Manifest
    requests: dict[str, str]


def upsert_env(container: Manifest, *entries: Manifest) -> None:
    """Set variables: in the place of one of the same name, else at the end."""
    found = list(items(container.get("env")))
    for entry in entries:
        places = [at for at, each in enumerate(found) if each.get("name") == entry.get("name")]
        if places:
            found[places[0]] = copied(entry)
        else:
            found.append(copied(entry))
    if found:
        container["env"] = found


def _upsert_port(container: Manifest) -> None:
    """Open Trainer's port: one of the same number, or one without a name, is replaced."""
    found = list(items(container.get("ports")))
    for at, each in enumerate(found):
        if each.get("containerPort") == _PORT or each.get("name") is None:
            found[at] = {"containerPort": _PORT}
            break
    else:
        found.append({"containerPort": _PORT})
    container["ports"] = found


def enforce(item: Manifest, trainer: Manifest | None, policy: Manifest, pod_sets: list[TrainerPods]) -> None:
    """Apply the plugin of the runtime's policy; ``trainer`` is the TrainJob's section, and its command may change."""
    if isinstance(policy.get("torch"), dict):
        _torch(item, trainer, policy["torch"], pod_sets)
    elif isinstance(policy.get("mpi"), dict):
        _mpi(trainer, policy["mpi"], pod_sets)
    elif isinstance(policy.get("jax"), dict):
        _jax(item, trainer, pod_sets)
    else:
        _plain(trainer, pod_sets)
        if isinstance(policy.get("xgboost"), dict):
            _xgboost(item, trainer, pod_sets)
        if isinstance(policy.get("flux"), dict) and trainer is not None:
            _flux(trainer, pod_sets)


def _trainer_set(pod_sets: Sequence[TrainerPods]) -> TrainerPods | None:
    return next((each for each in pod_sets if each.step == "trainer"), None)


def _node(pods: TrainerPods | None) -> Manifest | None:
    """The container that trains."""
    containers = containers_of(pods.spec) if pods is not None else []
    return next((each for each in containers if each.get("name") == "node"), None)


def _set_nodes(trainer: Manifest | None, pods: TrainerPods | None) -> None:
    if pods is not None and trainer is not None and trainer.get("numNodes") is not None:
        pods.count = count(trainer["numNodes"], pods.count)


def _resources(trainer: Manifest | None, pod_sets: Sequence[TrainerPods]) -> Manifest:
    """What each node asks for: by the TrainJob, else by the runtime."""
    if trainer is not None and isinstance(trainer.get("resourcesPerNode"), dict):
        asked: Manifest = trainer["resourcesPerNode"]
        return asked
    for each in pod_sets:
        node = _node(each) if each.job.get("name") == "node" or each.step == "trainer" else None
        if node is not None:
            return mapping(node.get("resources"))
    return {}


def _units(value: Any) -> int:
    try:
        return math.ceil(parse_quantity(str(value)))
    except QuantityError:
        return 0


def _gpus(resources: Manifest) -> int:
    for kind in ("requests", "limits"):
        for name, value in mapping(resources.get(kind)).items():
            if "gpu" in name.lower() and _units(value):
                return _units(value)
    return 0


def _cpus(resources: Manifest) -> int:
    requested = _units(mapping(resources.get("requests")).get("cpu", 0))
    return requested or _units(mapping(resources.get("limits")).get("cpu", 0))


def _plain(trainer: Manifest | None, pod_sets: list[TrainerPods]) -> None:
    pods = _trainer_set(pod_sets)
    _set_nodes(trainer, pods)
    node = _node(pods)
    if trainer is not None and node is not None:
        upsert_env(node, *items(trainer.get("env")))


def _torch(item: Manifest, trainer: Manifest | None, torch: Manifest, pod_sets: list[TrainerPods]) -> None:
    pods = _trainer_set(pod_sets)
    _set_nodes(trainer, pods)
    processes = mapping(trainer).get("numProcPerNode")
    resources = _resources(trainer, pod_sets)
    gpus = _gpus(resources)
    if processes is None:
        processes = "auto" if gpus else max(1, _cpus(resources))
    nodes = pods.count if pods is not None else 1
    own: list[Manifest] = [
        {"name": "PET_NNODES", "value": str(nodes)},
        {"name": "PET_NPROC_PER_NODE", "value": str(processes)},
        {"name": "PET_NODE_RANK", "valueFrom": _INDEX},
    ]
    address = f"{name_of(item)}-node-0-0.{name_of(item)}"
    meeting = [
        {"name": "PET_MASTER_ADDR", "value": address},
        {"name": "PET_MASTER_PORT", "value": str(_PORT)},
    ]
    node = _node(pods)
    if trainer is not None and node is not None:
        upsert_env(node, *items(trainer.get("env")), *own)
        if trainer.get("command") == ENTRYPOINT:
            written = [each for each in node.get("command") or [] if isinstance(each, str)]
            trainer["command"] = tuning_command(item, f"{address}:{_PORT}", nodes, processes, gpus, written)
        else:
            upsert_env(node, *meeting)
        _upsert_port(node)
    for target in items(below(torch, "envInjection", "targets")):
        for container in _named(pod_sets, text(target.get("jobName")), target.get("containerNames") or []):
            upsert_env(container, *own, *meeting)


def _named(pod_sets: Sequence[TrainerPods], job: str, names: Sequence[Any]) -> list[Manifest]:
    """Containers and init containers of a job by name."""
    pods = next((each for each in pod_sets if each.job.get("name") == job), None)
    if pods is None:
        return []
    there = [*containers_of(pods.spec), *items(pods.spec.get("initContainers"))]
    return [each for each in there if each.get("name") in names]


def _jax(item: Manifest, trainer: Manifest | None, pod_sets: list[TrainerPods]) -> None:
    pods = _trainer_set(pod_sets)
    _set_nodes(trainer, pods)
    node = _node(pods)
    if trainer is None or node is None or pods is None:
        return
    upsert_env(
        node,
        {"name": "JAX_NUM_PROCESSES", "value": str(pods.count)},
        {"name": "JAX_PROCESS_ID", "valueFrom": _INDEX},
        {"name": "JAX_COORDINATOR_ADDRESS", "value": f"{name_of(item)}-node-0-0.{name_of(item)}:{_PORT}"},
    )
    _upsert_port(node)


def _xgboost(item: Manifest, trainer: Manifest | None, pod_sets: list[TrainerPods]) -> None:
    pods = _trainer_set(pod_sets)
    node = _node(pods)
    if trainer is None or node is None or pods is None:
        return
    workers = pods.count * (_gpus(_resources(trainer, pod_sets)) or 1)
    upsert_env(
        node,
        {"name": "DMLC_TRACKER_URI", "value": f"{name_of(item)}-node-0-0.{name_of(item)}"},
        {"name": "DMLC_TRACKER_PORT", "value": str(_PORT)},
        {"name": "DMLC_TASK_ID", "valueFrom": _INDEX},
        {"name": "DMLC_NUM_WORKER", "value": str(workers)},
    )
    _upsert_port(node)


def _mpi(trainer: Manifest | None, mpi: Manifest, pod_sets: list[TrainerPods]) -> None:
    nodes = next((each for each in pod_sets if each.job.get("name") == "node"), None)
    if nodes is not None and trainer is not None and trainer.get("numNodes") is not None:
        wanted = count(trainer["numNodes"], nodes.count)
        nodes.count = max(wanted - 1, 1) if mpi.get("runLauncherAsNode") is True else wanted
    slots = count(mpi.get("numProcPerNode"), 1)
    if trainer is not None and trainer.get("numProcPerNode") is not None:
        slots = count(trainer["numProcPerNode"], slots)
    elif slots == 1:
        slots = max(_gpus(_resources(trainer, pod_sets)), 1)
    for each in pod_sets:
        node = _node(each) if each.job.get("name") == "launcher" else None
        if node is not None:
            upsert_env(
                node,
                {"name": "OMPI_MCA_orte_default_hostfile", "value": "/etc/mpi/hostfile"},
                {"name": "OMPI_MCA_orte_keep_fqdn_hostnames", "value": "true"},
                {"name": "OMPI_MCA_orte_set_default_slots", "value": str(slots)},
                {"name": "OMPI_MCA_plm_rsh_args", "value": "-o ConnectionAttempts=10"},
            )


def _flux(trainer: Manifest, pod_sets: list[TrainerPods]) -> None:
    node = _node(_trainer_set(pod_sets))
    command = trainer.get("command") if trainer.get("command") is not None else mapping(node).get("command")
    words = [str(each) for each in (*(command or []), *(trainer.get("args") or []))]
    trainer["command"] = ["/bin/bash", "/etc/flux-config/entrypoint.sh", " ".join(words).strip()]
    trainer.pop("args", None)
    image = next(
        (each.get("value") for each in items(trainer.get("env")) if each.get("name") == "FLUX_VIEW_IMAGE"),
        "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy",
    )
    for each in pod_sets:
        if each.job.get("name") == "node":
            installer = {
                "name": "flux-installer",
                "image": image,
                "command": ["/bin/bash", "/etc/flux-config/init.sh"],
            }
            each.spec["initContainers"] = [*items(each.spec.get("initContainers")), installer]
