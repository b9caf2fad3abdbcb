"""Queues of one name that several files of a repository define: which one counts is known only where one is beside."""

from __future__ import annotations

from pathlib import Path

from tests.engine.worlds import lint

VOLCANO = """
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: team}
spec: {capability: {nvidia.com/gpu: GPUS}}
"""
JOB = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  minAvailable: 2
  schedulerName: volcano
  queue: team
  tasks:
    - name: rank
      replicas: 2
      template: {spec: {restartPolicy: Never, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}
"""
KUEUE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: any, resources: [{name: cpu, nominalQuota: "CPUS"}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: ml}
spec: {clusterQueue: all}
"""
BATCH = """
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: "registry.example/train:1", resources: {requests: {cpu: "4"}}}]
"""
RULES = frozenset({"queue-never-admits", "kueue-never-admits"})


def rules(root: Path, files: dict[str, str]) -> list[str]:
    return [each.finding.rule for each in lint(root, files, select=RULES, ignore=frozenset()).findings]


def test_queues_of_kueue_that_are_defined_in_two_ways_decide_nothing(tmp_path: Path) -> None:
    """A directory of examples sets up a manager and its workers, each with queues of the same names."""
    small = KUEUE.replace("CPUS", "1")
    large = small.replace('nominalQuota: "1"', 'nominalQuota: "8"')
    assert rules(tmp_path / "one", {"a.yaml": small, "job.yaml": BATCH}) == ["kueue-never-admits"]
    assert rules(tmp_path / "two", {"a.yaml": small, "b/b.yaml": large, "job.yaml": BATCH}) == []
    assert rules(tmp_path / "order", {"a.yaml": large, "b/b.yaml": small, "job.yaml": BATCH}) == []
    assert rules(tmp_path / "same", {"a.yaml": small, "b/b.yaml": small, "job.yaml": BATCH}) == ["kueue-never-admits"]


def test_a_queue_of_another_example_hides_none_that_is_beside_the_job(tmp_path: Path) -> None:
    """The later of two definitions was the only one that was read, and the job seemed to name no queue."""
    files = {
        "examples/a/queue.yaml": VOLCANO.replace("GPUS", "8"),
        "examples/a/job.yaml": JOB,
        "examples/a/other.yaml": VOLCANO.replace("team", "other").replace("GPUS", "8"),
        "examples/b/queue.yaml": VOLCANO.replace("GPUS", "1"),
    }
    assert rules(tmp_path, files) == []
