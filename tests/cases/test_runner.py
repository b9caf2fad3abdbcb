"""How a case's groups are compared: named once, in every snapshot; named several times, each in one of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.cases.runner import run_case

NODES = """apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: all}
pools: [{name: gpu, count: 4, zone: a, allocatable: {cpu: "60", memory: 400Gi, nvidia.com/gpu: "8", pods: "110"}}]
"""
JOB = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: t, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: All}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec: {containers: [{name: pytorch, image: "t:1", resources: {limits: {nvidia.com/gpu: GPUS}}}]}
"""
FITS, TOO_LARGE = {"name": "ml/t", "exists": "proved"}, {"name": "ml/t", "exists": "refuted"}
UNKNOWN = {"name": "ml/t", "exists": "unknown"}


def problems(root: Path, groups: list[dict[str, Any]]) -> list[str]:
    """A world of two states, in one of which the group can run."""
    for name, text in {
        "nodes.yaml": NODES,
        "one/job.yaml": JOB.replace("GPUS", "1"),
        "two/job.yaml": JOB.replace("GPUS", "16"),
        "case.yaml": f"expect: [{{rule: request-exceeds-node}}]\ntolerate: [shm-too-small]\ngroups: {groups}\n",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return run_case(root).problems


@pytest.mark.parametrize("groups", [[FITS, TOO_LARGE], [TOO_LARGE, FITS], [{"name": "ml/t"}]])
def test_each_value_in_a_snapshot_of_its_own(tmp_path: Path, groups: list[dict[str, Any]]) -> None:
    assert problems(tmp_path, groups) == []


@pytest.mark.parametrize(
    "groups",
    [[FITS], [TOO_LARGE], [FITS, FITS], [FITS, UNKNOWN], [FITS, TOO_LARGE, UNKNOWN], [{"name": "ml/other"}]],
)
def test_values_that_are_not_there_are_problems(tmp_path: Path, groups: list[dict[str, Any]]) -> None:
    assert problems(tmp_path, groups) != []
