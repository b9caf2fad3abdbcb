"""What lands in the wrong place may be a pod of others, which those of the group must be near."""

from __future__ import annotations

from pathlib import Path

from tests.engine.worlds import lint

NODES = """
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: lab}
complete: true
pools:
  - {name: gpu-a, count: 3, zone: a, labels: {type: gpu}, allocatable: {cpu: "9", pods: "9", nvidia.com/gpu: "4"}}
  - {name: cpu-a, count: 1, zone: a, labels: {type: cpu}, allocatable: {cpu: "9", pods: "9"}}
  - {name: cpu-b, count: 1, zone: b, labels: {type: cpu}, allocatable: {cpu: "9", pods: "9"}}
"""
CACHE = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: cache, namespace: ml}
spec:
  replicas: 1
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      nodeSelector: {type: cpu}
      containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]
"""
TRAIN = """
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  completions: 3
  parallelism: 3
  template:
    spec:
      restartPolicy: Never
      subdomain: train
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - {topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: cache}}}
      containers:
        - name: c
          image: i
          command: [torchrun, --nnodes=3, --nproc-per-node=4, --master-addr=train-0.train, t.py]
          resources: {limits: {nvidia.com/gpu: 4}}
"""


def test_a_pod_of_others_that_may_land_where_the_group_finds_no_room_is_named(tmp_path: Path) -> None:
    result = lint(tmp_path, {"nodes.yaml": NODES, "cache.yaml": CACHE, "train.yaml": TRAIN})
    assert result.failures == ()
    (found,) = [each.finding for each in result.findings if each.finding.rule == "stranded-by-affinity"]
    assert found.evidence == {"placed first": "cache in b", "then waits": "train", "all fit in": "a"}
    assert found.at.file == "train.yaml"
