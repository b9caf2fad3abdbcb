"""Amounts that no node has in earnest are answered like any other: no rule breaks, and what is refuted is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

JOB = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: fit, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: pytorch
            image: "r.example/a:1"
            resources: {requests: {cpu: 1, memory: 1Gi}, limits: {nvidia.com/gpu: 1}}
"""
HELD = {"cpu": "60", "memory": "400Gi", "pods": "9", "nvidia.com/gpu": "8"}


@pytest.mark.parametrize("resource", HELD)
@pytest.mark.parametrize("amount", ["-1", "0", "-9999999999999999999"])
def test_a_node_with_less_than_nothing_takes_no_pod(tmp_path: Path, resource: str, amount: str) -> None:
    allocatable = ", ".join(f"{name}: '{amount if name == resource else held}'" for name, held in HELD.items())
    nodes = f"""apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {{name: lab}}
pools: [{{name: gpu, count: 2, zone: a, allocatable: {{{allocatable}}}}}]
"""
    result = lint(tmp_path, {"job.yaml": JOB, "nodes.yaml": nodes})
    assert [str(each.exists) for each in result.groups] == ["refuted"]
    found = [each.finding for each in result.findings if each.finding.rule == "request-exceeds-node"]
    assert [each.evidence["resource"] for each in found] == [resource]
    assert all("no node that it may use has any" in each.message for each in found)
