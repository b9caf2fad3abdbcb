"""Whatever stands in a manifest, reading never raises, and no training object is ignored."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
import yaml
from tests.workload import (
    test_batch_and_apps,
    test_jobset,
    test_kubeflow_v1,
    test_leaderworkerset,
    test_mpijob,
    test_ray,
    test_sources,
    test_trainer,
    test_volcano,
)
from tests.workload.manifests import read

from trainlint.model.settings import Settings
from trainlint.source.document import Document
from trainlint.wording.because import because_text
from trainlint.workload import read_workloads

MANIFESTS = [
    test_kubeflow_v1.PYTORCH,
    test_mpijob.JOB,
    test_batch_and_apps.JOB,
    test_batch_and_apps.STATEFUL,
    test_jobset.JOBSET,
    test_leaderworkerset.LWS,
    test_ray.cluster(),
    test_volcano.JOB,
    test_trainer.RUNTIME.replace("KIND", "TrainingRuntime") + test_trainer.job("own", "TrainingRuntime"),
    test_sources.CONFIG + test_sources.JOB,
]
ODD: list[Any] = [
    None,
    "",
    "${X}",
    0,
    -1,
    10**12,
    1.5,
    True,
    [],
    {},
    [None],
    [[1]],
    {"a": None},
    "a" * 300,
    {"name": 3},
]


def mutate(value: Any, rng: random.Random) -> Any:
    """The value with one place replaced by something odd, removed or doubled."""
    if isinstance(value, dict) and value and rng.random() < 0.95:
        result = dict(value)
        key = rng.choice(list(result))
        if rng.random() < 0.1:
            del result[key]
        else:
            result[key] = mutate(result[key], rng)
        return result
    if isinstance(value, list) and value and rng.random() < 0.9:
        result_list = list(value)
        index = rng.randrange(len(result_list))
        result_list[index] = mutate(result_list[index], rng)
        if rng.random() < 0.1:
            result_list.append(copy.deepcopy(result_list[index]))
        return result_list
    return copy.deepcopy(rng.choice(ODD))


@pytest.mark.parametrize("text", MANIFESTS, ids=range(len(MANIFESTS)))
def test_no_manifest_raises(text: str) -> None:
    documents = [data for data in yaml.safe_load_all(text) if data is not None]
    rng = random.Random(7)
    for _ in range(300):
        mutated = copy.deepcopy(documents)
        for _ in range(rng.randint(1, 4)):
            which = rng.randrange(len(mutated))
            mutated[which] = mutate(mutated[which], rng)
        read_workloads([Document("f", i, 1, "", data).root for i, data in enumerate(mutated)], Settings())


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("kubeflow.org/v1alpha1", "MPIJob"),
        ("kubeflow.org/v1beta2", "PyTorchJob"),
        ("leaderworkerset.x-k8s.io/v9", "LeaderWorkerSet"),
        ("disaggregatedset.x-k8s.io/v1", "DisaggregatedSet"),
        ("grove.io/v1alpha1", "PodCliqueSet"),
        ("workload.codeflare.dev/v1beta2", "AppWrapper"),
    ],
)
def test_a_training_kind_or_version_that_is_not_expanded_is_an_unknown(version: str, kind: str) -> None:
    text = f"{{apiVersion: {version}, kind: {kind}, metadata: {{name: x, namespace: lab}}, spec: {{}}}}"
    workloads = read(text)
    assert workloads.pod_sets == ()
    if kind not in {"LeaderWorkerSet", "DisaggregatedSet"}:  # expanded in every version
        assert [unknown.subject for unknown in workloads.unknowns] == [f"{kind} lab/x"]


def test_an_app_wrapper_is_what_it_wraps() -> None:
    inner = yaml.safe_load(test_kubeflow_v1.PYTORCH)
    del inner["metadata"]["namespace"]
    wrapper = {
        "apiVersion": "workload.codeflare.dev/v1beta2",
        "kind": "AppWrapper",
        "metadata": {"name": "w", "namespace": "team"},
        "spec": {"components": [{"template": inner}]},
    }
    workloads = read_workloads([Document("f", 0, 1, "", wrapper).root], Settings())
    (found,) = workloads.groups
    assert found.name == "team/llama"
    assert found.members[0].at.path[:4] == ("spec", "components", 0, "template")


def test_items_of_a_list_are_read_where_they_stand() -> None:
    listed = {"apiVersion": "v1", "kind": "List", "items": [yaml.safe_load(test_mpijob.JOB)]}
    root = Document("f", 0, 1, "", listed).root
    (found,) = read_workloads(list(root["items"].elements()), Settings()).groups
    assert found.members[0].at.path[:2] == ("items", 0)


def test_very_many_pods_take_no_long_time() -> None:
    workloads = read(test_kubeflow_v1.PYTORCH.replace("replicas: 3", "replicas: 1000000000"))
    assert workloads.pod_sets[1].replicas == 1_000_000_000
    assert len(workloads.services) < 5_000


WORKFLOW = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: tune-, namespace: team}
spec:
  templates:
  - name: train
    resource:
      action: create
      manifest: |
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: "fit-{{workflow.uid}}"}
        spec:
          pytorchReplicaSpecs:
            Master: {replicas: 1, template: {spec: {containers: [{name: pytorch}]}}}
            Worker:
              replicas: {{inputs.parameters.n}}
              template: {spec: {containers: [{name: pytorch}]}}
  - {name: other, container: {name: c}}
  - {name: look, resource: {action: get, manifest: "kind: PyTorchJob"}}
"""


def test_a_workflow_is_what_its_resource_templates_create() -> None:
    # W 12
    workloads = read(WORKFLOW)
    (found,) = workloads.groups
    assert found.kind == "PyTorchJob"
    assert "inputs.parameters.n" in because_text(found.members[1].replicas.why)  # type: ignore[union-attr]
    assert found.members[0].at.path[:5] == ("spec", "templates", 0, "resource", "manifest")


def test_a_manifest_in_a_workflow_that_is_no_yaml_is_an_unknown() -> None:
    workloads = read(WORKFLOW.replace("replicas: {{inputs.parameters.n}}", "replicas: ["))
    assert workloads.groups == ()
    assert any("'train'" in unknown.missing for unknown in workloads.unknowns)
