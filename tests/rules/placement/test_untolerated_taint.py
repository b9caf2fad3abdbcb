"""The toleration that the help names is one that the API server takes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from tests.engine.worlds import lint

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    spec:
      subdomain: train
      restartPolicy: Never
      nodeSelector: {team: ml}
      containers:
        - {name: c, image: i, command: [torchrun, --nnodes=2, --master-addr=train-0.train, t.py]}
"""
NODES = """
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: lab}
complete: true
pools:
  - name: gpu
    count: 2
    zone: a
    labels: {team: ml}
    taints: [{key: dedicated, VALUE effect: NoSchedule}]
    allocatable: {cpu: "9", pods: "9"}
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('value: "true",', {"value": "true"}),
        ('value: "8",', {"value": "8"}),
        ("value: ml,", {"value": "ml"}),
        ("", {"operator": "Exists"}),
    ],
)
def test_the_toleration_of_the_help_is_valid(value: str, expected: dict[str, str], tmp_path: Path) -> None:
    result = lint(tmp_path, {"job.yaml": JOB, "nodes.yaml": NODES.replace("VALUE", value)})
    (found,) = [each.finding for each in result.findings if each.finding.rule == "untolerated-taint"]
    entry = found.remedy.partition("{")[2].partition("}")[0]
    assert yaml.safe_load(f"{{{entry}}}") == {"key": "dedicated", **expected, "effect": "NoSchedule"}
