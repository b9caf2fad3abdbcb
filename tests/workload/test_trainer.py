"""TrainJob with its runtime (W 4)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import env, flows, group, read, role

from trainlint.model.workload import FlowKind
from trainlint.workload.checks.trainer_names import unmet_nodes

RUNTIME = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: KIND
metadata: {name: own, namespace: lab}
spec:
  mlPolicy: {numNodes: 2, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: dataset-initializer
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}}
          spec: {template: {spec: {containers: [{name: dataset-initializer}]}}}
      - name: node
        dependsOn: [{name: dataset-initializer, status: Complete}]
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                tolerations: [{key: a}]
                containers: [{name: node, image: old, env: [{name: A, value: "1"}]}]
---
"""
JOB = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: tj, namespace: lab}
spec:
  runtimeRef: {name: NAME, kind: KIND}
  trainer:
    numNodes: 3
    image: new
    env: [{name: B, value: "2"}]
    resourcesPerNode: {limits: {nvidia.com/gpu: 8}}
"""


def job(name: str, kind: str = "ClusterTrainingRuntime", extra: str = "") -> str:
    return JOB.replace("NAME", name).replace("KIND", kind) + extra


@pytest.mark.parametrize("kind", ["TrainingRuntime", "ClusterTrainingRuntime"])
def test_the_trainer_section_changes_the_runtimes_node(kind: str) -> None:
    node = role(read(RUNTIME.replace("KIND", kind) + job("own", kind)), "node")
    assert (node.replicas, node.owner.kind) == (3, "TrainJob")
    (container,) = node.spec.containers
    assert (container.image, container.limits) == ("new", {"nvidia.com/gpu": "8"})
    assert {"A": "1", "B": "2"}.items() <= env(node).items()


def test_ranks_meet_at_the_first_node() -> None:
    workloads = read(RUNTIME.replace("KIND", "ClusterTrainingRuntime") + job("own"))
    assert env(role(workloads, "node"))["PET_MASTER_ADDR"] == "tj-node-0-0.tj"
    found = group(workloads)
    assert found.name == "lab/tj"
    assert flows(found) == {"node -> node 29500", "node -> node 32768-60999"}


def test_without_a_trainer_section_no_rank_is_told_anything_and_nodes_come_from_the_policy() -> None:
    text = RUNTIME.replace("KIND", "ClusterTrainingRuntime") + job("own").split("  trainer:")[0]
    workloads = read(text)
    assert role(workloads, "node").replicas == 2
    assert workloads.groups == ()
    assert "PET_MASTER_ADDR" not in env(role(workloads, "node"))


def test_patches_are_merged_in_order() -> None:
    patch = """
  runtimePatches:
  - manager: a.example/x
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: node
            template: {spec: {template: {spec: {nodeSelector: {pool: PATCH}, tolerations: [{key: b}]}}}}
"""
    text = job("own", extra=patch.replace("PATCH", "p1") + patch.split("runtimePatches:\n")[1].replace("PATCH", "p2"))
    node = role(read(RUNTIME.replace("KIND", "ClusterTrainingRuntime") + text), "node")
    assert [(r.key, r.values) for r in node.spec.node_selector] == [("pool", ("p2",))]
    assert [toleration.key for toleration in node.spec.tolerations] == ["b"]
    assert node.spec.containers[0].image == "new"


def test_installed_runtimes_are_known() -> None:
    assert flows(group(read(job("torch-distributed"))), FlowKind.RENDEZVOUS) == {"node -> node 29500"}


def test_an_mpi_launcher_that_is_a_node_is_one_of_them() -> None:
    workloads = read(job("deepspeed-distributed"))
    assert (role(workloads, "launcher").replicas, role(workloads, "node").replicas) == (1, 2)
    assert flows(group(workloads), FlowKind.RENDEZVOUS) == {"launcher -> node 2222", "node -> launcher 32768-60999"}
    assert "launcher -> node 32768-60999" in flows(group(workloads), FlowKind.COLLECTIVE)


def test_numbers_of_nodes_one_and_two_both_give_a_launcher_and_one_node() -> None:
    for count in (1, 2):
        text = job("deepspeed-distributed").replace("numNodes: 3", f"numNodes: {count}")
        assert role(read(text), "node").replicas == 1


def test_a_runtime_that_is_nowhere_leaves_the_pods_unknown() -> None:
    workloads = read(RUNTIME.replace("KIND", "TrainingRuntime").replace("lab", "other") + job("own", "TrainingRuntime"))
    assert workloads.pod_sets == ()
    (unknown,) = workloads.unknowns
    assert "own" in unknown.missing


def test_overrides_of_older_releases_leave_their_fields_undetermined() -> None:
    override = "\n  podTemplateOverrides: [{targetJobs: [{name: node}], spec: {tolerations: [{key: x}]}}]"
    workloads = read(job("torch-distributed", extra=override))
    assert "tolerations" in role(workloads, "node").spec.undetermined
    assert any("podTemplateOverrides" in unknown.missing for unknown in workloads.unknowns)


def test_findings_about_its_pods_point_at_the_train_job() -> None:
    text = RUNTIME.replace("KIND", "ClusterTrainingRuntime") + job("own")
    assert role(read(text), "node").at.path == ("spec", "trainer")


def test_resources_of_the_trainer_section_replace_those_of_the_runtime() -> None:
    runtime = RUNTIME.replace("KIND", "TrainingRuntime").replace(
        "image: old",
        "image: old, resources: {requests: {cpu: 9}, limits: {vpc.amazonaws.com/efa: 4}, claims: [{name: c}]}",
    )
    (container,) = role(read(runtime + job("own", "TrainingRuntime")), "node").spec.containers
    assert (dict(container.limits), dict(container.requests)) == ({"nvidia.com/gpu": "8"}, {})
    assert container.resource_claims == ()
    nothing = job("own", "TrainingRuntime").replace("resourcesPerNode: {limits: {nvidia.com/gpu: 8}}", "")
    (kept,) = role(read(runtime + nothing), "node").spec.containers
    assert (dict(kept.limits), dict(kept.requests)) == ({"vpc.amazonaws.com/efa": "4"}, {"cpu": "9"})


def test_every_fact_of_the_pods_stands_where_a_user_wrote_it() -> None:
    patch = """
  runtimePatches:
  - manager: example.com/a
    trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec:
      {nodeSelector: {pool: gpu}}}}}}]}}}
"""
    workloads = read(RUNTIME.replace("KIND", "TrainingRuntime") + job("own", "TrainingRuntime", patch))
    spec = role(workloads, "node").spec
    (container,) = spec.containers
    places = {entry.name: entry.at for entry in container.env if entry.at is not None}
    template = ("spec", "template", "spec", "replicatedJobs", 1, "template", "spec", "template", "spec")
    node = (*template, "containers", 0)
    assert spec.at is not None
    assert (spec.at.document, spec.at.path) == (0, template)
    assert container.at is not None
    assert (container.at.document, container.at.path) == (0, node)
    assert (places["A"].document, places["A"].path) == (0, (*node, "env", 0))
    assert (places["B"].document, places["B"].path) == (1, ("spec", "trainer", "env", 0))
    assert places["PET_NNODES"].path == ("spec", "trainer", "numNodes")
    assert container.resources_at is not None
    assert container.resources_at.path == ("spec", "trainer", "resourcesPerNode")
    (wanted,) = spec.node_selector
    assert wanted.at is not None
    assert wanted.at.path[:3] == ("spec", "runtimePatches", 0)
    assert spec.tolerations[0].at is not None
    assert spec.tolerations[0].at.path == (*template, "tolerations", 0)


def test_a_runtime_that_is_installed_has_no_place_of_its_own() -> None:
    (container,) = role(read(job("torch-distributed")), "node").spec.containers
    assert container.at is not None
    assert container.at.path == ("spec", "trainer")


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("", "", []),
        ("- name: node", "- name: worker", ["tj-node-0-0.tj"]),  # tj-0162
        (
            "      replicatedJobs:",
            "      network: {subdomain: net}\n      replicatedJobs:",
            ["tj-node-0-0.tj"],
        ),  # tj-0229
    ],
)
def test_trainer_calls_the_first_node_by_a_name_of_its_own(before: str, after: str, found: list[str]) -> None:
    runtime = RUNTIME.replace("KIND", "TrainingRuntime").replace(before, after, 1)
    (workload,) = read(runtime + job("own", "TrainingRuntime")).objects
    assert [fault.host for fault in unmet_nodes(workload)] == found


def test_the_runtime_counts_launchers_and_the_job_its_nodes() -> None:
    runtime = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: own}
spec:
  mlPolicy: {numNodes: 2, mpi: {}}
  template:
    spec:
      replicatedJobs:
      - {name: node, template: {spec: {template: {spec: {containers: [{name: node}]}}}}}
      - name: launcher
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node}]}}}
---
"""
    found = {pods.role: pods.replicas for pods in read(runtime + job("own")).pod_sets}
    assert found == {"launcher": 2, "node": 3}  # tj-0133
