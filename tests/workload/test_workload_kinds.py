"""Each workload kind is declared once, with every fact, by one module; other modules ask for facts, not for names."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections import defaultdict
from dataclasses import fields, replace
from pathlib import Path

import pytest

import trainlint
from trainlint import workload
from trainlint.model.api_kind import DeclarationError
from trainlint.model.workload import ObjectRef, Workload
from trainlint.snapshot.kinds import READ_KINDS, REGISTRY
from trainlint.source.document import Document
from trainlint.workload import jobset
from trainlint.workload.kinds import WORKLOADS, by_identity, expander_for, is_training, kind_of, shown_kind
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, PodNames, Restarts, WorkloadKind

ROOT = Path(trainlint.__file__).parent

ABOUT_ONE_KIND = {
    "admission": "what the API server and the webhooks of a kind refuse",
    "control_plane/ray": "what KubeRay asks of the head",
    "checks/refusals": "the runtime of a TrainJob",
    "deploy/deployment": "a class of that name",
    "fabric/facts": "Pods, which hold the annotation themselves",
    "installed/gates/arrival": "Pods, which arrive for every kind",
    "installed/gates/validated": "Pods, which arrive for every kind",
    "installed/kinds": "a Deployment may state a setting",
    "installed/kueue": "the Deployment of Kueue",
    "installed/operators": "the Deployment of an operator; some operators bear the names of their kinds",
    "installed/validating/body": "the Pod that a policy sees",
    "installed/validating/defaults": "what the API server fills in of each of its own kinds",
    "kube/structure": "spellings and versions of schemas",
    "operators": "what the operator of each kind makes of it",
    "questions/ends": "a Pod that a question makes up",
    "questions/lookalikes": "objects that select pods",
    "queues/missed_queues": "the queue of Volcano's Job",
    "references/references": "the runtime of a TrainJob",
    "references/waiting": "kinds whose health Argo CD waits for",
    "scheduling/kueue/requested": "a type of limit",
    "scheduling/kueue/violations": "a type of limit",
    "scheduling/limit_ranger": "a type of limit",
    "scheduling/pod": "a class of that name",
    "workload/checks/elastic": "elasticPolicy of a PyTorchJob, completions of a Job",
    "workload/checks/fields": "fields that one kind lost or has elsewhere",
    "workload/checks/hostnames": "completionMode of a Job",
    "workload/checks/subdomain_names": "the numbers of a LeaderWorkerSet",
    "workload/checks/names": "the kind of object that is made",
    "workload/checks/resolution": "completionMode of a Job, enableDNSHostnames of a JobSet",
    "workload/checks/trainer_names": "names in a TrainJob",
    "workload/gangs": "minAvailable of Volcano's Job, annotations of Pods",
    "workload/kubeflow_v1_env": "variables of each v1 kind",
    "workload/operator_gangs": "the Deployment of the mpi-operator",
    "workload/queue_names": "the queue of Volcano's Job",
    "workload/ray_policies": "the policies of KubeRay",
    "workload/reading": "Pods of one group, Jobs of several pods",
    "workload/template_at": "the Jobs between a JobSet and its pods",
    "workload/v1_table": "the table of the v1 kinds",
    "workload/volcano_plugins": "the identity of Volcano's Job",
    "workload/wrappers": "the roles of a DisaggregatedSet",
}
"""Modules that name a workload kind although they do not declare it, and what of that kind they are about. A fact that
holds of several kinds belongs into ``WorkloadKind``."""


def declaring() -> dict[str, tuple[WorkloadKind, ...]]:
    """The modules of the package that declare workload kinds."""
    found = {}
    for each in pkgutil.iter_modules(workload.__path__):
        kinds = getattr(importlib.import_module(f"trainlint.workload.{each.name}"), "KINDS", ())
        if each.name != "kinds" and any(isinstance(kind, WorkloadKind) for kind in kinds):
            found[each.name] = kinds
    return found


def test_every_module_that_declares_kinds_is_registered() -> None:
    def identity(kind: WorkloadKind) -> tuple[str, str, str]:
        return kind.group, kind.version, kind.name

    assert sorted(identity(kind) for kinds in declaring().values() for kind in kinds) == sorted(
        map(identity, WORKLOADS)
    )


def test_every_expander_is_declared() -> None:
    """A function that expands a kind and that no declaration names would never be called."""
    called = {kind.expand.__name__ for kind in WORKLOADS}
    lost = [
        (each.name, name)
        for each in pkgutil.iter_modules(workload.__path__)
        for name in getattr(importlib.import_module(f"trainlint.workload.{each.name}"), "__all__", ())
        if name.startswith("expand_") and name not in called | {"expand_described", "expand_ray_spec"}
    ]
    assert lost == []


@pytest.mark.parametrize("kind", WORKLOADS, ids=lambda kind: f"{kind.group}-{kind.version}-{kind.name}")
def test_the_facts_of_a_kind_are_complete_and_agree(kind: WorkloadKind) -> None:
    assert REGISTRY.in_namespace(kind.group, kind.name)
    assert kind.spec[:1] == ("spec",)
    assert 0 < kind.name_limit <= LONGEST_NAME
    assert not kind.name_why or kind.name_limit < LONGEST_NAME
    assert kind.job_name.count("{}") == (1 if kind.job_name else 0)
    assert (kind.restarts is Restarts.ROLES) == bool(kind.restart_default)
    assert not kind.subdomain or kind.host_names is not HostNames.OTHER
    assert not kind.interchangeable or kind.pod_names is PodNames.RANDOM
    assert kind.restarts is not Restarts.LAUNCHER or kind.launcher
    made = {(group, name) for group, name in kind.creates}
    assert (kind.group, kind.name) not in made
    assert all(REGISTRY.in_namespace(group, name) for group, name in made)
    assert kind.job_name in ("", "{}") or ("batch", "Job") in made


def test_a_declaration_without_a_fact_fails() -> None:
    (kind,) = jobset.KINDS
    facts = {each.name: getattr(kind, each.name) for each in fields(kind)}
    for missing in [name for name in facts if name != "version"]:
        with pytest.raises(TypeError, match=missing):
            WorkloadKind(**{name: fact for name, fact in facts.items() if name != missing})


def test_a_kind_that_is_declared_twice_fails() -> None:
    (kind,) = jobset.KINDS
    with pytest.raises(DeclarationError, match="JobSet"):
        by_identity((kind, replace(kind)))
    assert len(by_identity((kind, replace(kind, version="v1alpha3")))) == 2


def test_versions_of_a_kind_agree_where_only_its_name_is_known() -> None:
    """``shown_kind`` knows no version, so what is asked of it must be true of all of them."""
    shown = defaultdict(set)
    for kind in WORKLOADS:
        shown[kind.shown].add((kind.sets_dns_policy, kind.mounts_shared_memory, kind.interchangeable))
    assert {name for name, facts in shown.items() if len(facts) > 1} == set()


def test_a_kind_is_found_by_its_group_and_where_versions_differ_by_its_version() -> None:
    def found(api_version: str, kind: str) -> WorkloadKind | None:
        field = Document("a.yaml", 0, 1, "", {}).root
        return kind_of(Workload(ObjectRef(kind, "ml", "train"), api_version, (), field))

    first, second = found("kubeflow.org/v1", "MPIJob"), found("kubeflow.org/v2beta1", "MPIJob")
    assert first is not None
    assert second is not None
    assert (first.creates, second.creates) == ((), (("batch", "Job"),))
    assert found("kubeflow.org/v9", "MPIJob") is None
    assert found("training.kubedl.io/v1alpha1", "PyTorchJob") is None
    volcano, plain = found("batch.volcano.sh/v1alpha1", "Job.batch.volcano.sh"), found("batch/v1", "Job")
    assert volcano is not None
    assert volcano.host_names is HostNames.OPERATOR
    assert plain is not None
    assert plain is shown_kind(ObjectRef("Job", "ml", "train"))
    assert expander_for("jobset.x-k8s.io/v1alpha2", "JobSet") is jobset.expand_job_set
    assert is_training("training.kubedl.io/v1alpha1", "PyTorchJob")
    assert not is_training("batch/v1", "Job")


def test_training_kinds_are_read() -> None:
    assert {kind.name for kind in WORKLOADS} <= READ_KINDS


def naming(source: str) -> set[str]:
    """The names of workload kinds among the constants of a module, as they stand in comparisons and tables."""
    known = {kind.shown for kind in WORKLOADS} | {kind.name for kind in WORKLOADS}
    constants = (each.value for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Constant))
    return {each for each in constants if isinstance(each, str) and each in known}


def test_no_other_module_compares_names_of_workload_kinds() -> None:
    own = {f"workload/{name}" for name in declaring()}
    naming_kinds = {
        path.relative_to(ROOT).with_suffix("").as_posix()
        for path in ROOT.rglob("*.py")
        if naming(path.read_text(encoding="utf-8"))
    } - own
    known = {name if name in ABOUT_ONE_KIND else name.partition("/")[0] for name in naming_kinds}
    assert known == set(ABOUT_ONE_KIND)


def test_the_test_sees_names_of_kinds() -> None:
    assert naming('if owner.kind == "JobSet":\n    pass\n') == {"JobSet"}
    assert naming('"""A JobSet."""\nvalue = "Jobs"\n') == set()
