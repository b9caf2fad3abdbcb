"""TrainJobs and training runtimes (trainer:pkg/webhooks, its CRDs' rules; W 4, corrections 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.admission.flaws import KindFlaw
from trainlint.admission.ground import AdmissionGround
from trainlint.admission.kinds.field_values import at_least, one_of
from trainlint.admission.plain_values import below, elements, known, mapping, number, text, written
from trainlint.admission.problem import API_SERVER, Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.model.because import Because
from trainlint.model.refuser import Refuser

__all__ = ["of_runtime", "of_train_job"]

_BY: Final = Because(Refuser.TRAINER)
_GROUP: Final = "trainer.kubeflow.org"
_POLICIES: Final = ("torch", "mpi", "jax", "xgboost", "flux")
_STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
_MANAGERS: Final = ("trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue")
_RESERVED: Final = {
    "torch": ("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"),
}
_OWN: Final = ("node", "dataset-initializer", "model-initializer")
_JOBS: Final[Path] = ("spec", "template", "spec", "replicatedJobs")


def of_train_job(meta: Meta, item: Any, runtime: Any) -> Iterator[Problem]:
    """What is refused of a TrainJob; ``runtime`` is the plain runtime that it names, where that is in Git."""
    if (meta.api_group, meta.kind) != (_GROUP, "TrainJob"):
        return
    yield from one_of(item, ("spec", "managedBy"), _MANAGERS)
    yield from at_least(item, ("spec", "activeDeadlineSeconds"), 1)
    processes = below(item, "spec", "trainer", "numProcPerNode")
    if known(processes) is not None and not text(processes).isdecimal():
        place: Path = ("spec", "trainer", "numProcPerNode")
        why, since, assumes = (
            Because(KindFlaw.PROCESSES, (processes,)),
            ("Trainer", (2, 2)),
            (Because(AdmissionGround.RELEASE, ("Trainer", "2.2")),),
        )
        yield Problem(place, why, "numProcPerNode", API_SERVER, assumes=assumes, since=since)
    if not text(below(item, "spec", "runtimeRef", "name")):
        yield Problem(("spec",), Because(KindFlaw.NO_RUNTIME), "runtimeRef", lacks="runtimeRef")
    if isinstance(runtime, dict):
        yield from _reserved(item, runtime)
        yield from _initializers(item, runtime)
        yield from _launcher_as_node(item, runtime)
    yield from _patches(item)


def _reserved(item: Any, runtime: Any) -> Iterator[Problem]:
    policies = mapping(below(runtime, "spec", "mlPolicy"))
    reserved = {name for policy, names in _RESERVED.items() if policy in policies for name in names}
    for at, variable in elements(below(item, "spec", "trainer", "env"), "spec", "trainer", "env"):
        name = text(variable.get("name"))
        if name in reserved:
            yield Problem((*at, "name"), Because(KindFlaw.RESERVED_VARIABLE, (name,)), f"env {name}", _BY)


def _initializers(item: Any, runtime: Any) -> Iterator[Problem]:
    steps = {
        text(below(job, "template", "metadata", "labels", _STEP)): job for _, job in elements(below(runtime, *_JOBS))
    }
    for key, step in (("dataset", "dataset-initializer"), ("model", "model-initializer")):
        if not written(below(item, "spec", "initializer", key)):
            continue
        at: Path = ("spec", "initializer", key)
        job = steps.get(step)
        if job is None:
            yield Problem(at, Because(KindFlaw.NO_INITIALIZER_JOB, (key, step)), f"initializer {key}", _BY)
            continue
        containers = below(job, "template", "spec", "template", "spec", "containers")
        if any(container.get("name") == step and not container.get("image") for _, container in elements(containers)):
            continue  # the shape of a runtime that Trainer installs, without its mounts
        mounts = [
            text(mount.get("name"))
            for _, container in elements(containers)
            if container.get("name") == step
            for _, mount in elements(container.get("volumeMounts"))
        ]
        if "initializer" not in mounts:
            yield Problem(at, Because(KindFlaw.NO_INITIALIZER_MOUNT, (step, key)), f"initializer {key}", _BY)


def _launcher_as_node(item: Any, runtime: Any) -> Iterator[Problem]:
    """With a launcher that is a node as well, several nodes need both jobs."""
    nodes = number(below(item, "spec", "trainer", "numNodes"))
    names_ = {text(job.get("name")) for _, job in elements(below(runtime, *_JOBS))}
    if below(runtime, "spec", "mlPolicy", "mpi", "runLauncherAsNode") is not True or nodes in (None, 1):
        return
    if not {"launcher", "node"} <= names_:
        at: Path = ("spec", "trainer", "numNodes")
        yield Problem(at, Because(KindFlaw.LAUNCHER_AS_NODE, (nodes,)), "launcher as node", _BY)


def _patches(item: Any) -> Iterator[Problem]:
    """Patches of the runtime must leave the variables of Trainer's own containers alone."""
    for at, _ in elements(below(item, "spec", "runtimePatches"), "spec", "runtimePatches"):
        jobs: Path = (*at, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")
        for where, _ in elements(below(item, *jobs), *jobs):
            place: Path = (*where, "template", "spec", "template", "spec", "containers")
            for path, container in elements(below(item, *place), *place):
                if container.get("env") and container.get("name") in _OWN:
                    yield Problem(
                        (*path, "env"),
                        Because(KindFlaw.PATCHED_VARIABLES, (container["name"], container["name"] == "node")),
                        "patched env",
                        _BY,
                    )


def of_runtime(meta: Meta, item: Any) -> Iterator[Problem]:
    """What is refused of a training runtime, apart from containers that are missing (workload/checks/containers.py)."""
    if meta.api_group != _GROUP or meta.kind not in {"TrainingRuntime", "ClusterTrainingRuntime"}:
        return
    at: Path = ("spec", "mlPolicy")
    policies = [each for each in _POLICIES if written(below(item, *at, each))]
    if len(policies) > 1:
        yield Problem(at, Because(KindFlaw.SEVERAL_POLICIES, (" and ".join(policies),)), "policies")
    yield from one_of(item, (*at, "mpi", "mpiImplementation"), ("OpenMPI",))
    for path, job in elements(below(item, *_JOBS), *_JOBS):
        replicas = number(job.get("replicas"))
        if text(below(job, "template", "metadata", "labels", _STEP)) and replicas not in (None, 1):
            place = (*path, "replicas")
            yield Problem(
                place,
                Because(KindFlaw.STEP_REPLICAS, (text(job.get("name")), replicas, _STEP)),
                f"replicas of {text(job.get('name'))}",
                _BY,
                put=(place, 1),
            )
