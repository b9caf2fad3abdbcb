"""What Trainer's webhook and CRD refuse of TrainJobs and runtimes, with its place (trainer:pkg/webhooks, pkg/apis)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml
from tests.admission.lawful import check_laws

from trainlint.admission.refusals import problems
from trainlint.source.document import Document
from trainlint.wording.because import because_text, remedy_for

STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
JOB: dict[str, Any] = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "a"},
    "spec": {"runtimeRef": {"name": "mine"}, "trainer": {"numNodes": 2}},
}


def replicated(name: str, step: str = "", container: str = "node", **parts: Any) -> dict[str, Any]:
    template: dict[str, Any] = {"spec": {"template": {"spec": {"containers": [{"name": container, **parts}]}}}}
    if step:
        template["metadata"] = {"labels": {STEP: step}}
    return {"name": name, "template": template}


def runtime(policy: dict[str, Any], *jobs: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "mine"},
        "spec": {"mlPolicy": policy, "template": {"spec": {"replicatedJobs": list(jobs)}}},
    }


def refused(manifest: dict[str, Any], changes: str = "{}", of_runtime: dict[str, Any] | None = None) -> list[str]:
    made = copy.deepcopy(manifest)
    for path, value in yaml.safe_load(changes).items():
        *above, last = path.split(".")
        here = made["spec"]
        for step in above:
            here = here.setdefault(step, {})
        here[last] = value
    document = Document("a.yaml", 0, 1, "", made)
    found = list(problems(document.root, "1.36", of_runtime))
    if of_runtime is None:
        check_laws(made, found)
    assert all(because_text(each.why) and remedy_for(each.why) for each in found)
    return [".".join(map(str, each.at)) for each in found]


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        ("{}", []),
        ("{managedBy: trainer.kubeflow.org/trainjob-controller}", []),
        ("{managedBy: kueue.x-k8s.io/multikueue}", []),
        ("{managedBy: other}", ["spec.managedBy"]),
        ("{activeDeadlineSeconds: 1}", []),
        ("{activeDeadlineSeconds: 0}", ["spec.activeDeadlineSeconds"]),
        ("{trainer.numProcPerNode: 4}", []),
        ("{trainer.numProcPerNode: auto}", ["spec.trainer.numProcPerNode"]),
        ("{trainer.numProcPerNode: '${N}'}", []),
        ("{runtimeRef: {}}", ["spec"]),
        ("{initializer.dataset: {storageUri: 'hf://x'}}", []),  # the runtime is not known
    ],
)
def test_of_a_train_job(changes: str, places: list[str]) -> None:
    assert refused(JOB, changes) == places


TORCH = runtime({"torch": {}}, replicated("node", "trainer"))
PLAIN = runtime({"jax": {}}, replicated("node", "trainer"))
MOUNTED = {"image": "i:1", "volumeMounts": [{"name": "initializer", "mountPath": "/workspace"}]}
STEPS = ("dataset-initializer", "model-initializer")


@pytest.mark.parametrize(
    "name", ["PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"]
)
def test_variables_of_torch_are_reserved(name: str) -> None:
    changes = f"{{trainer.env: [{{name: A, value: b}}, {{name: {name}, value: b}}]}}"
    assert refused(JOB, changes, TORCH) == ["spec.trainer.env.1.name"]
    assert refused(JOB, changes.replace(name, "PET_OTHER"), TORCH) == []
    assert refused(JOB, changes, PLAIN) == []


@pytest.mark.parametrize("kind", ["dataset", "model"])
def test_what_is_fetched_first_needs_a_job_with_the_volume(kind: str) -> None:
    changes, step = f"{{initializer.{kind}: {{storageUri: 'hf://x'}}}}", f"{kind}-initializer"
    at = [f"spec.initializer.{kind}"]
    other = next(each for each in STEPS if each != step)
    assert refused(JOB, changes, TORCH) == at
    assert refused(JOB, changes, runtime({}, replicated("x", other, other, **MOUNTED))) == at
    assert refused(JOB, changes, runtime({}, replicated("x", step, step, **MOUNTED))) == []
    assert refused(JOB, changes, runtime({}, replicated("x", step, step, image="i:1"))) == at
    assert refused(JOB, changes, runtime({}, replicated("x", step, "other", **MOUNTED))) == at
    wrong = {"image": "i:1", "volumeMounts": [{"name": "data", "mountPath": "/workspace"}]}
    assert refused(JOB, changes, runtime({}, replicated("x", step, step, **wrong))) == at
    assert refused(JOB, changes, runtime({}, replicated("x", step, step))) == []  # as Trainer installs it
    assert refused(JOB, "{}", TORCH) == []


@pytest.mark.parametrize(
    ("nodes", "policy", "jobs", "wrong"),
    [
        (2, {"mpi": {"runLauncherAsNode": True}}, ["launcher", "node"], False),
        (2, {"mpi": {"runLauncherAsNode": True}}, ["launcher"], True),
        (2, {"mpi": {"runLauncherAsNode": True}}, ["node"], True),
        (1, {"mpi": {"runLauncherAsNode": True}}, ["launcher"], False),
        (2, {"mpi": {"runLauncherAsNode": False}}, ["launcher"], False),
        (2, {"mpi": {}}, ["launcher"], False),
        (2, {"torch": {}}, ["launcher"], False),
    ],
)
def test_a_launcher_that_is_a_node_needs_nodes(
    nodes: int, policy: dict[str, Any], jobs: list[str], wrong: bool
) -> None:
    found = refused(JOB, f"{{trainer.numNodes: {nodes}}}", runtime(policy, *map(replicated, jobs)))
    assert found == ["spec.trainer.numNodes"] * wrong


@pytest.mark.parametrize(
    ("container", "env", "wrong"),
    [
        ("node", "[{name: A, value: b}]", True),
        ("dataset-initializer", "[{name: A, value: b}]", True),
        ("model-initializer", "[{name: A, value: b}]", True),
        ("sidecar", "[{name: A, value: b}]", False),
        ("node", "[]", False),
    ],
)
def test_patches_leave_the_variables_of_trainers_containers_alone(container: str, env: str, wrong: bool) -> None:
    spec = f"{{template: {{spec: {{template: {{spec: {{containers: [{{name: {container}, env: {env}}}]}}}}}}}}}}"
    jobs = f"{{replicatedJobs: [{{name: node, {spec[1:-1]}}}]}}"
    changes = f"{{runtimePatches: [{{manager: a.b/c, trainingRuntimeSpec: {{template: {{spec: {jobs}}}}}}}]}}"
    at = "spec.runtimePatches.0.trainingRuntimeSpec.template.spec.replicatedJobs.0.template.spec.template.spec"
    assert refused(JOB, changes) == [f"{at}.containers.0.env"] * wrong


def with_replicas(count: int, step: str) -> dict[str, Any]:
    return {**replicated("node", step, image="i:1"), "replicas": count}


@pytest.mark.parametrize(
    ("made", "places"),
    [
        (TORCH, []),
        (runtime({"torch": {}, "mpi": {}}, replicated("node", "trainer", image="i:1")), ["spec.mlPolicy"]),
        (runtime({"torch": {}, "numNodes": 2}, replicated("node", "trainer", image="i:1")), []),
        (runtime({"mpi": {"mpiImplementation": "OpenMPI"}}, replicated("node", image="i:1")), []),
        (
            runtime({"mpi": {"mpiImplementation": "Intel"}}, replicated("node", image="i:1")),
            ["spec.mlPolicy.mpi.mpiImplementation"],
        ),
        (runtime({}, with_replicas(1, "trainer")), []),
        (runtime({}, with_replicas(2, "trainer")), ["spec.template.spec.replicatedJobs.0.replicas"]),
        (runtime({}, with_replicas(2, "")), []),
    ],
)
@pytest.mark.parametrize("kind", ["ClusterTrainingRuntime", "TrainingRuntime"])
def test_of_a_runtime(kind: str, made: dict[str, Any], places: list[str]) -> None:
    assert refused({**made, "kind": kind}) == places
    other = {**made, "kind": kind, "apiVersion": "example.com/v1"}
    assert [each for each in refused(other) if "mlPolicy" in each or "replicas" in each] == []
