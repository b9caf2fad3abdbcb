"""Services of Knative: no pods of them are read, and they are no Services of the core API (docs/decisions.md)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

KNATIVE = """
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: serve, namespace: ml}
spec:
  template:
    metadata:
      annotations: {autoscaling.knative.dev/min-scale: "4"}
      labels: {kai.scheduler/queue: team}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: c, image: "registry.example/serve:1", resources: {limits: {nvidia.com/gpu: 2}}}]
---
"""
QUEUE = """
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team}
spec: {resources: {gpu: {quota: 1, limit: 1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}
---
"""
SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: serve, namespace: ml}
spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: train}}
---
"""
OTHER = SERVICE.replace("name: serve", "name: other").replace("app: train", "app: other")
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  backoffLimit: 0
  template:
    metadata: {labels: {app: train}}
    spec:
      subdomain: serve
      restartPolicy: Never
      containers:
      - name: c
        image: registry.example/train:1
        command: [torchrun, --nnodes=2, --rdzv-backend=c10d, "--rdzv-endpoint=train-0.serve:29500", train.py]
---
"""


def test_no_queue_of_kai_is_compared_with_the_pods_of_a_knative_service(tmp_path: Path) -> None:
    result = lint(tmp_path, {"all.yaml": KNATIVE + QUEUE})
    assert result.groups == ()
    assert [each.finding.rule for each in result.findings if "queue" in each.finding.rule] == []


@pytest.mark.parametrize(("service", "resolved"), [(SERVICE, True), (KNATIVE, False)])
def test_a_knative_service_gives_the_pods_of_a_job_no_names(tmp_path: Path, service: str, resolved: bool) -> None:
    rules = {
        each.finding.rule for each in lint(tmp_path, {"all.yaml": service + OTHER + JOB}, ignore=frozenset()).findings
    }
    assert ("headless-service-mismatch" not in rules) is resolved, rules
