"""How many pods KAI waits for, kind by kind (NVIDIA/KAI-Scheduler:pkg/podgrouper/podgrouper/plugins)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.model.known import Undetermined

POD = "template: {metadata: {}, spec: {schedulerName: kai-scheduler, containers: [{name: c}]}}"
KUBEFLOW = """
apiVersion: kubeflow.org/v1
kind: {kind}
metadata: {{name: t, namespace: ml}}
spec:
  {extra}
  {kind_specs}:
    Master: {{replicas: 1, {pod}}}
    Worker: {{replicas: 4, {pod}}}
"""
RAY = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: r, namespace: ml}
spec:
  headGroupSpec: {POD}
  workerGroupSpecs:
  - {groupName: a, GROUP, POD}
  - {groupName: b, replicas: 2, POD}
"""


def minimums(text: str) -> list[object]:
    return [gang.minimum for gang in read(text).gangs]


def kubeflow(kind: str, extra: str = "") -> str:
    specs = {"PyTorchJob": "pytorchReplicaSpecs", "XGBoostJob": "xgbReplicaSpecs"}
    return KUBEFLOW.format(kind=kind, extra=extra, kind_specs=specs[kind], pod=POD)


@pytest.mark.parametrize(
    ("kind", "extra", "least"),
    [
        ("PyTorchJob", "", 5),
        ("XGBoostJob", "", 5),
        ("PyTorchJob", "elasticPolicy: {minReplicas: 2, maxReplicas: 4}", 2),
        ("PyTorchJob", "elasticPolicy: {maxReplicas: 4}", 5),
        ("PyTorchJob", "runPolicy: {schedulingPolicy: {minAvailable: 3}}", 3),
        ("XGBoostJob", "runPolicy: {schedulingPolicy: {minAvailable: 3}}", 3),
        ("PyTorchJob", "runPolicy: {schedulingPolicy: {queue: q}}", 5),
    ],
)
def test_kai_waits_for_all_replicas_or_what_the_job_says(kind: str, extra: str, least: int) -> None:
    text = kubeflow(kind, extra)
    assert set(minimums(text)) == {least}


def test_pods_that_name_another_scheduler_are_no_gang_of_kai() -> None:
    text = kubeflow("PyTorchJob")
    assert minimums(text.replace("kai-scheduler", "default-scheduler")) == []
    assert minimums(text.replace("kai-scheduler", "default-scheduler", 1)) == []  # it has only some of the pods


@pytest.mark.parametrize(
    ("group", "least"),
    [
        ("replicas: 4", 1 + 4 + 2),
        ("replicas: 4, minReplicas: 3", 1 + 3 + 2),
        ("replicas: 4, minReplicas: 0", 1 + 4 + 2),  # the smallest number above 0
        ("replicas: 4, numOfHosts: 2", 1 + 8 + 2),
        ("replicas: 4, minReplicas: 3, numOfHosts: 2", 1 + 6 + 2),
        ("replicas: 0", 1 + 2),
    ],
)
@pytest.mark.parametrize("kind", ["RayCluster", "RayJob"])
def test_kai_waits_for_the_head_and_the_least_of_each_worker_group(group: str, least: int, kind: str) -> None:
    text = RAY.replace("POD", POD).replace("GROUP", group)
    if kind == "RayJob":
        head, spec = text.split("spec:\n", 1)
        spec = "".join(f"  {line}\n" for line in spec.splitlines())
        text = f"{head.replace('RayCluster', 'RayJob')}spec:\n  submissionMode: HTTPMode\n  rayClusterSpec:\n{spec}"
    assert minimums(text) == [least]


def test_a_number_that_is_not_written_yet_leaves_the_minimum_open() -> None:
    (minimum,) = minimums(RAY.replace("POD", POD).replace("GROUP", "replicas: '${N}'"))
    assert isinstance(minimum, Undetermined)


def test_kai_takes_pods_of_other_kinds_one_by_one() -> None:
    text = f"{{apiVersion: batch/v1, kind: Job, metadata: {{name: j, namespace: ml}}, spec: {{parallelism: 4, {POD}}}}}"
    assert minimums(text) == []
    other = RAY.replace("POD", POD).replace("GROUP", "replicas: 4").replace("kind: RayCluster", "kind: RayService")
    assert minimums(other) == []
