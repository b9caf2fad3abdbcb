"""Exclusive topology with too few or too small domains (S 2.3; W 5, 6; decisions 1, 3, 8)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

INVENTORY = """
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: nodes}
COMPLETE
pools:
  - {name: r1, count: 4, zone: a, labels: {rack: r1}, allocatable: {cpu: "64", pods: "110", nvidia.com/gpu: "8"}}
  - {name: r2, count: 4, zone: a, labels: {rack: r2}, allocatable: {cpu: "64", pods: "110", nvidia.com/gpu: "8"}}
  - {name: small, count: 1, zone: a, labels: {rack: r3}, allocatable: {cpu: "64", pods: "110", nvidia.com/gpu: "8"}}
  - {name: cpus, count: 9, zone: a, allocatable: {cpu: "64", pods: "110"}}
"""
SETS = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: j, namespace: ml, annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: KEY}}
spec:
  replicatedJobs:
    - name: slice
      replicas: JOBS
      template:
        spec:
          parallelism: PODS
          completions: PODS
          backoffLimit: 0
          template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]}}
"""
LWS = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: l, namespace: ml, annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: rack}}
spec:
  replicas: GROUPS
  leaderWorkerTemplate:
    size: SIZE
    workerTemplate: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]}}
"""


def messages(folder: Path, workload: str, complete: str = "") -> list[str]:
    files = {"nodes.yaml": INVENTORY.replace("COMPLETE", complete), "work.yaml": workload}
    rule = "exclusive-topology-insufficient"
    return [each.finding.message for each in lint(folder, files).findings if each.finding.rule == rule]


def sets(jobs: str, pods: str, key: str = "rack") -> str:
    return SETS.replace("JOBS", jobs).replace("PODS", pods).replace("KEY", key)


@pytest.mark.parametrize(
    ("jobs", "pods", "words"),
    [
        ("2", "4", ()),
        ("3", "1", ()),  # one pod fits into the small rack too
        ("3", "4", ("3 domains", "2 (r1, r2)")),  # the small rack takes none of them
        ("4", "1", ("4 domains", "3 (r1, r2, r3)")),
        ("1", "5", ("5 pods", "takes 4")),
        ("'${N}'", "4", ()),
    ],
)
def test_each_job_wants_a_rack_that_holds_it(tmp_path: Path, jobs: str, pods: str, words: tuple[str, ...]) -> None:
    found = messages(tmp_path, sets(jobs, pods))
    assert [all(word in text for word in words) for text in found] == ([True] if words else [])


def test_a_label_that_no_node_has_names_no_domain(tmp_path: Path) -> None:
    (text,) = messages(tmp_path, sets("1", "1", "block"))
    assert "no node with that label can take one" in text


def test_every_host_is_a_domain(tmp_path: Path) -> None:
    assert messages(tmp_path / "a", sets("9", "1", "kubernetes.io/hostname")) == []
    assert len(messages(tmp_path / "b", sets("10", "1", "kubernetes.io/hostname"))) == 1


def test_other_nodes_may_be_there(tmp_path: Path) -> None:
    assert messages(tmp_path, sets("4", "4"), "complete: false") == []


@pytest.mark.parametrize(
    ("groups", "size", "found"), [("2", "4", 0), ("3", "4", 1), ("4", "1", 1), ("1", "5", 1), ("1", "6", 1)]
)
def test_each_group_of_a_leader_worker_set_wants_one(tmp_path: Path, groups: str, size: str, found: int) -> None:
    assert len(messages(tmp_path, LWS.replace("GROUPS", groups).replace("SIZE", size))) == found


def test_no_topology_rule_speaks_of_the_same_group(tmp_path: Path) -> None:  # decision 1
    files = {
        "nodes.yaml": INVENTORY.replace("COMPLETE", ""),
        "work.yaml": LWS.replace("GROUPS", "4").replace("SIZE", "2"),
    }
    rules = {each.finding.rule for each in lint(tmp_path, files).findings}
    assert rules & {"no-viable-zone", "split-across-zones", "stranded-by-affinity"} == set()
