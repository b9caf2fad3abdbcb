"""The training operator's v1 kinds: PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob, MPIJob v1 (W 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from trainlint.admission.flaws import KindFlaw
from trainlint.admission.ground import AdmissionGround, RefusedPart
from trainlint.admission.kinds.field_values import one_of
from trainlint.admission.plain_values import below, mapping, number, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.refuser import Refuser
from trainlint.workload.v1_table import V1_KINDS

__all__ = ["of_kubeflow"]

_WEBHOOK: Final = Because(Refuser.TRAINING_WEBHOOK)
_OPERATOR: Final = Because(Refuser.TRAINING_OPERATOR)
_WITH_WEBHOOK: Final = (Because(AdmissionGround.TRAINING_WEBHOOK),)
_MANAGERS: Final = ("kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue")
_RESTARTS: Final = ("Always", "OnFailure", "Never", "ExitCode")
_ONE_MASTER: Final = frozenset({"PyTorchJob", "XGBoostJob"})


def of_kubeflow(meta: Meta, item: Any) -> Iterator[Problem]:
    """What is refused of a job of kubeflow.org/v1, apart from its pods."""
    if meta.api_version != "kubeflow.org/v1" or meta.kind not in V1_KINDS:
        return
    at: Path = ("spec", V1_KINDS[meta.kind].roles_at)
    roles = {name: mapping(role) for name, role in mapping(below(item, *at)).items() if isinstance(role, dict)}
    if meta.kind not in {"MPIJob", "JAXJob"}:
        yield from one_of(item, ("spec", "runPolicy", "managedBy"), _MANAGERS, _WEBHOOK)
    for name, role in roles.items():
        for problem in one_of(item, (*at, name, "restartPolicy"), _RESTARTS):
            yield replace(problem, what=Because(RefusedPart.EVERY_POD_OF, (name,)))
        yield from _count(meta.kind, name, role, (*at, name))
    yield from _roles(meta.kind, roles, at, given=written(below(item, *at)))


def _roles(kind: str, roles: Mapping[str, Mapping[str, Any]], at: Path, *, given: bool) -> Iterator[Problem]:
    if any(is_placeholder(each) for each in roles):
        return
    plain = {each.lower() for each in roles}
    if kind == "MPIJob" and not roles:
        if given:  # where nothing is written, the CRD demands it
            yield Problem(at, Because(KindFlaw.NO_ROLES), "roles", _OPERATOR)
        return
    if kind == "XGBoostJob" and "master" not in plain:
        yield Problem(at, Because(KindFlaw.NO_XGBOOST_MASTER), "master", _WEBHOOK, lacks="Master")
    if kind == "MPIJob" and "launcher" not in plain:
        yield Problem(at, Because(KindFlaw.NO_LAUNCHER_ROLE), "launcher", _OPERATOR)
    if kind == "TFJob" and {"chief", "master"} <= plain:
        yield Problem(at, Because(KindFlaw.CHIEF_AND_MASTER), "chief", _WEBHOOK)


def _count(kind: str, name: str, role: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    given, count = written(role.get("replicas")), number(role.get("replicas"))
    if given and count is None:
        return
    where = (*at, "replicas") if given else at
    if name == "Master" and kind in _ONE_MASTER and count != 1:
        fix = ((*at, "replicas"), 1)
        why = Because(KindFlaw.ONE_MASTER, (kind, count, given))
        assumes, lacks = ((), "") if given else (_WITH_WEBHOOK, "replicas")
        yield Problem(where, why, "master", _WEBHOOK, assumes=assumes, put=fix, lacks=lacks)
    elif name == "Launcher" and kind == "MPIJob" and given and count != 1:
        yield Problem(where, Because(KindFlaw.ONE_LAUNCHER, (count,)), "launcher", _OPERATOR, put=(where, 1))
    elif name == "Worker" and kind == "PyTorchJob" and given and count is not None and count < 1:
        yield Problem(where, Because(KindFlaw.NO_WORKERS, (count,)), "workers", _WEBHOOK)
    elif kind != "MPIJob" and given and count is not None and count < 1 and not _ends(kind, name):
        yield Problem(where, Because(KindFlaw.NO_REPLICAS, (name, count)), f"no {name}", _OPERATOR, unmade=True)


def _ends(kind: str, name: str) -> bool:
    """Roles that decide success: their pod with index 0 is made and stays."""
    return (kind, name) in {("TFJob", "Chief"), ("TFJob", "Master"), ("PaddleJob", "Master"), ("JAXJob", "Worker")}
