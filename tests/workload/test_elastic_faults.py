"""Elastic ranges (W 2, 7; torch: torchrun waits for the minimum and lets in the maximum)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.workload.checks.elastic import MasterBesideRange, elastic_faults
from trainlint_rules.workload.elastic_policy_invalid import finding_of

JOB = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: j, namespace: ml}
spec:
  elasticPolicy: {ELASTIC}
  pytorchReplicaSpecs:
    Worker: {replicas: REPLICAS, template: {spec: {containers: [{name: pytorch, command: [COMMAND]}]}}}
"""


def job(elastic: str, replicas: str = "4", command: str = "torchrun, train.py") -> str:
    return JOB.replace("ELASTIC", elastic).replace("REPLICAS", replicas).replace("COMMAND", command)


def texts(manifest: str) -> list[str]:
    return [finding_of(fault).message for workload in read(manifest).objects for fault in elastic_faults(workload)]


@pytest.mark.parametrize(
    ("elastic", "replicas", "words"),
    [
        ("minReplicas: 5, maxReplicas: 8", "4", ("at least 5", "4 workers")),
        ("minReplicas: 1, maxReplicas: 3", "4", ("at most 3", "the rest (1) never joins")),
        ("minReplicas: 6, maxReplicas: 3", "4", ("6", "3")),
        ("rdzvBackend: etcd, minReplicas: 1, maxReplicas: 4", "4", ("etcd", "rdzvHost")),
        ("rdzvBackend: mpi, minReplicas: 1, maxReplicas: 4", "4", ("mpi", "c10d")),
    ],
)
def test_a_range_that_contradicts_itself_is_named(elastic: str, replicas: str, words: tuple[str, ...]) -> None:
    (text,) = texts(job(elastic, replicas))
    assert all(word in text for word in words)


@pytest.mark.parametrize(
    ("elastic", "replicas"),
    [
        ("minReplicas: 2, maxReplicas: 8", "4"),
        ("minReplicas: 4, maxReplicas: 4", "4"),
        ("minReplicas: 5, maxReplicas: 8, metrics: [{type: Resource}]", "4"),  # an autoscaler brings them
        ("minReplicas: '${MIN}', maxReplicas: 8", "4"),
        ("minReplicas: 5, maxReplicas: 8", "'${N}'"),
        ("rdzvBackend: etcd-v2, rdzvHost: store, minReplicas: 1, maxReplicas: 4", "4"),
        ("{}".strip("{}"), "4"),
    ],
)
def test_what_can_hold_is_silent(elastic: str, replicas: str) -> None:
    assert texts(job(elastic, replicas)) == []


def test_a_command_that_counts_the_nodes_itself_does_not_read_the_range() -> None:
    assert texts(job("minReplicas: 5, maxReplicas: 8", "4", "torchrun, --nnodes=4, train.py")) == []


def test_a_range_in_the_command_is_judged_too() -> None:
    (text,) = texts(job("minReplicas: 1, maxReplicas: 4", "4", "torchrun, '--nnodes=4:2', train.py"))
    assert "4 to 2" in text


def test_two_numbers_of_processes_are_refused() -> None:  # W 2, static errors
    manifest = job("nProcPerNode: 8, minReplicas: 1, maxReplicas: 4").replace(
        "  elastic", "  nprocPerNode: '8'\n  elastic"
    )
    (text,) = texts(manifest)
    assert "nProcPerNode" in text


def test_a_policy_without_workers_is_refused() -> None:
    (text,) = texts(job("minReplicas: 1, maxReplicas: 4").replace("Worker:", "Master:"))
    assert "no Worker" in text


def test_ray_refuses_a_minimum_above_the_maximum() -> None:  # W 7, validation
    cluster = """
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: r}
    spec:
      headGroupSpec: {template: {spec: {containers: [{name: h}]}}}
      workerGroupSpecs:
        - {groupName: g, minReplicas: 4, maxReplicas: 2, template: {spec: {containers: [{name: w}]}}}
    """
    (text,) = texts(cluster)
    assert "minReplicas of r/g is 4, maxReplicas is 2" in text


def test_partial_admission_cannot_ask_for_more_than_parallelism() -> None:  # W 9, Kueue
    text = """
    apiVersion: batch/v1
    kind: Job
    metadata: {name: j, annotations: {kueue.x-k8s.io/job-min-parallelism: "9"}}
    spec: {parallelism: 4, template: {spec: {containers: [{name: c}]}}}
    """
    (found,) = texts(text)
    assert "is 9" in found
    assert "more than 4" in found


MASTER = (
    "    Master: {replicas: MASTERS, template: {spec: {containers: [{name: pytorch, command: [torchrun, x.py]}]}}}\n"
)


@pytest.mark.parametrize(
    ("elastic", "masters", "severity"),
    [
        ("minReplicas: 1, maxReplicas: 4", "1", "error"),  # five join, four are let in
        ("", "1", "error"),  # the range is 4:4 (kf1-0533)
        ("minReplicas: 1, maxReplicas: 8", "1", "warning"),  # kf1-0536
        ("minReplicas: 1, maxReplicas: 4", "0", None),
        ("minReplicas: 1, maxReplicas: 4", '"${N}"', None),
    ],
)
def test_a_master_beside_an_elastic_policy(elastic: str, masters: str, severity: str | None) -> None:
    workload = read(job(elastic).rstrip("\n") + "\n" + MASTER.replace("MASTERS", masters)).objects[0]
    found = [fault for fault in elastic_faults(workload) if isinstance(fault, MasterBesideRange)]
    assert [fault.severity or "error" for fault in found] == ([] if severity is None else [severity])


def test_a_command_that_names_its_nodes_does_not_read_the_range() -> None:
    text = job("minReplicas: 1, maxReplicas: 4", command="torchrun, --nnodes=5, x.py") + MASTER.replace("MASTERS", "1")
    assert list(elastic_faults(read(text).objects[0])) == []
