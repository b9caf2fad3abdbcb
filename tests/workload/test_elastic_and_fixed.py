"""An elastic role beside fixed ones: the group starts with the smallest number of the one and all of the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint
from tests.workload.manifests import env, read, role

JOB = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: train, namespace: ml}}
spec:
  {elastic}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers: [{{name: pytorch, image: "r.example/t:1", resources: {{limits: {{nvidia.com/gpu: 8}}}}}}]
    Worker:
      replicas: 3
      restartPolicy: Never
      template:
        spec:
          containers: [{{name: pytorch, image: "r.example/t:1", resources: {{limits: {{nvidia.com/gpu: 8}}}}}}]
"""
NODES = """apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {{name: c}}
pools: [{{name: gpu, count: {}, zone: a, allocatable: {{cpu: "64", memory: 500Gi, nvidia.com/gpu: "8", pods: "10"}}}}]
"""
RANGE = "elasticPolicy: {{minReplicas: {}, maxReplicas: 4}}"


@pytest.mark.parametrize(
    ("elastic", "nodes", "pods", "exists"),
    [
        ("{}", 4, 4, "proved"),
        ("{}", 3, 4, "refuted"),
        (RANGE.format(1), 2, 2, "proved"),
        (RANGE.format(1), 1, 2, "refuted"),
        (RANGE.format(2), 3, 3, "proved"),
        (RANGE.format(2), 2, 3, "refuted"),
    ],
)
def test_the_master_counts_in_full_and_the_workers_at_their_minimum(
    elastic: str, nodes: int, pods: int, exists: str, tmp_path: Path
) -> None:
    written = JOB.format(elastic=elastic if elastic != "{}" else "runPolicy: {cleanPodPolicy: All}")
    (group,) = lint(tmp_path, {"job.yaml": written, "nodes.yaml": NODES.format(nodes)}).groups
    assert (group.pods, group.exists.value) == (pods, exists)


def test_only_the_workers_are_elastic() -> None:
    workloads = read(JOB.format(elastic=RANGE.format(2)))
    assert (role(workloads, "Master").replicas, role(workloads, "Worker").replicas) == (1, 2)
    fixed = read(JOB.format(elastic="nprocPerNode: '8'"))
    assert (role(fixed, "Master").replicas, role(fixed, "Worker").replicas) == (1, 3)
    assert env(role(workloads, "Worker"))["PET_NNODES"] == "2:4"
