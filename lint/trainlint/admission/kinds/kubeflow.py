"""The training operator's v1 kinds: PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob, MPIJob v1 (W 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from trainlint.admission.kinds.words import one_of
from trainlint.admission.plain import below, mapping, number, written
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.workload.v1_table import V1_KINDS

__all__ = ["of_kubeflow"]

_WEBHOOK: Final = "the training operator's webhook"
_OPERATOR: Final = "the training operator"
_WITH_WEBHOOK: Final = ("the training operator is 1.8 or newer, which has a webhook",)
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
            yield replace(problem, what=f"every pod of {name}")
        yield from _count(meta.kind, name, role, (*at, name))
    yield from _roles(meta.kind, roles, at)


def _roles(kind: str, roles: Mapping[str, Mapping[str, Any]], at: Path) -> Iterator[Problem]:
    if any(is_placeholder(each) for each in roles):
        return
    plain = {each.lower() for each in roles}
    if kind == "MPIJob" and not roles:
        yield Problem(("spec",), "an MPIJob needs roles", "add a Launcher and Workers", "roles", _OPERATOR)
        return
    if kind == "XGBoostJob" and "master" not in plain:
        yield Problem(at, "an XGBoostJob needs a Master, where its tracker runs", "add the role", "master", _WEBHOOK)
    if kind == "MPIJob" and "launcher" not in plain:
        yield Problem(at, "an MPIJob needs a Launcher", "add the role", "launcher", _OPERATOR)
    if kind == "TFJob" and {"chief", "master"} <= plain:
        why = "a TFJob has a Chief or a Master, which are one role by two names, and this one has both"
        yield Problem(at, why, "keep one of the two", "chief", _WEBHOOK)


def _count(kind: str, name: str, role: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    given, count = written(role.get("replicas")), number(role.get("replicas"))
    if given and count is None:
        return
    where = (*at, "replicas") if given else at
    if name == "Master" and kind in _ONE_MASTER and count != 1:
        found = f"replicas is {count}" if given else "replicas is missing"
        why = f"a {kind} has exactly one Master, and its {found}"
        fix = ((*at, "replicas"), 1)
        assumes = () if given else _WITH_WEBHOOK
        yield Problem(where, why, "set replicas of Master to 1", "master", _WEBHOOK, assumes=assumes, put=fix)
    elif name == "Launcher" and kind == "MPIJob" and given and count != 1:
        why = f"an MPIJob has exactly one Launcher, and its replicas is {count}"
        yield Problem(where, why, "set replicas of Launcher to 1", "launcher", _OPERATOR, put=(where, 1))
    elif name == "Worker" and kind == "PyTorchJob" and given and count is not None and count < 1:
        why = f"replicas of Worker is {count}, and must be 1 or more where there is a Worker"
        remedy = "leave the role Worker out for a job without workers"
        yield Problem(where, why, remedy, "workers", _WEBHOOK)
    elif kind != "MPIJob" and given and count is not None and count < 1 and not _ends(kind, name):
        why = f"replicas of {name} is {count}: the operator makes and deletes a pod of it in turn, without end"
        yield Problem(where, why, f"leave the role {name} out", f"no {name}", _OPERATOR, unmade=True)


def _ends(kind: str, name: str) -> bool:
    """Roles that decide success: their pod with index 0 is made and stays."""
    return (kind, name) in {("TFJob", "Chief"), ("TFJob", "Master"), ("PaddleJob", "Master"), ("JAXJob", "Worker")}
