"""MPIJob v2beta1 (mpi-operator:pkg/apis/kubeflow/validation; W 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.admission.flaws import KindFlaw
from trainlint.admission.kinds.field_values import at_least, one_of
from trainlint.admission.plain_values import below, mapping, number, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.refuser import Refuser

__all__ = ["of_mpi_job"]

_BY: Final = Because(Refuser.MPI_OPERATOR)
_AT: Final[Path] = ("spec", "mpiReplicaSpecs")


def of_mpi_job(meta: Meta, item: Any) -> Iterator[Problem]:
    """What the MPI operator's validation refuses: it makes no pods then, and says so in an event."""
    if (meta.kind, meta.api_version) != ("MPIJob", "kubeflow.org/v2beta1"):
        return
    roles = mapping(below(item, *_AT))
    if any(is_placeholder(each) for each in roles):
        return
    if roles and "Launcher" not in roles:
        yield Problem(_AT, Because(KindFlaw.NO_LAUNCHER), "launcher", _BY)
    yield from _counts(item)
    for role in ("Launcher", "Worker"):
        yield from one_of(item, (*_AT, role, "restartPolicy"), ("Never", "OnFailure"), _BY)
    yield from one_of(item, ("spec", "runPolicy", "cleanPodPolicy"), ("None", "Running", "All"), _BY)
    yield from one_of(item, ("spec", "mpiImplementation"), ("OpenMPI", "Intel", "MPICH"))
    managers = ("kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue")
    yield from one_of(item, ("spec", "runPolicy", "managedBy"), managers, _BY)
    for key in ("backoffLimit", "ttlSecondsAfterFinished", "activeDeadlineSeconds"):
        yield from at_least(item, ("spec", "runPolicy", key), 0, _BY)
    yield from at_least(item, ("spec", "slotsPerWorker"), 0, _BY)


def _counts(item: Any) -> Iterator[Problem]:
    launcher, worker = mapping(below(item, *_AT, "Launcher")), below(item, *_AT, "Worker")
    count, at = number(launcher.get("replicas")), (*_AT, "Launcher", "replicas")
    if count is not None and count != 1:
        yield Problem(at, Because(KindFlaw.ONE_LAUNCHER, (count,)), "launcher", _BY, put=(at, 1))
    if not isinstance(worker, dict):
        return
    given, workers = written(worker.get("replicas")), number(worker.get("replicas"))
    if given and (workers is None or workers >= 1):
        return
    yield Problem(
        (*_AT, "Worker", "replicas") if given else (*_AT, "Worker"),
        Because(KindFlaw.WORKERS, (workers, given)),
        "workers",
        _BY,
    )
