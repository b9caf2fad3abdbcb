"""Anti-affinity that keeps no pod apart (S 1.6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.engine import check

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  parallelism: PODS
  completions: 2
  completionMode: Indexed
  template:
    metadata: {labels: {app: train, team: nlp}}
    spec:
      restartPolicy: Never
      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [TERMS]}}
      containers: [{name: c, image: "registry.example/t:1", command: [torchrun, x.py]}]
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: ml, labels: {app: other, team: nlp}}
spec: {containers: [{name: c, image: "registry.example/o:1"}]}
"""


def term(labels: str, more: str = "") -> str:
    return f"{{topologyKey: kubernetes.io/hostname, labelSelector: {{matchLabels: {{{labels}}}}}{more}}}"


@pytest.mark.parametrize(
    ("terms", "pods", "found"),
    [
        (term("app: pretrain"), "2", 1),
        (term("app: pretrain, team: nlp"), "2", 1),
        (term("app: train"), "2", 0),
        (term("app: other"), "2", 0),  # it keeps the other pod away
        (term("app: pretrain"), "1", 0),
        (term("component: web"), "2", 0),  # a label that these pods do not have: meant for others
        (term("app: pretrain", ", namespaces: [web]"), "2", 0),
        (term("app: train") + ", " + term("app: pretrain"), "2", 0),
    ],
)
def test_labels_that_were_copied_from_another_job(tmp_path: Path, terms: str, pods: str, found: int) -> None:
    (tmp_path / "job.yaml").write_text(JOB.replace("TERMS", terms).replace("PODS", pods), encoding="utf-8")
    spoken = [each for each in check([tmp_path]).findings if each.finding.rule == "affinity-target-missing"]
    assert [each.finding.severity for each in spoken] == ["warning"] * found
