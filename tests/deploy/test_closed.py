"""Kinds of which trainlint.yaml says that Git holds every object (decision 5): absence is a proof."""

from __future__ import annotations

from pathlib import Path

from tests.engine.worlds import by_rule, found, lint

from trainlint.finding import Certainty

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      priorityClassName: training
      restartPolicy: Never
      containers: [{name: a, image: "r.example/a:1"}]
"""
OTHER = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: serving}\nvalue: 1\n"
CLOSED = "clusters: [{name: a, closed: [PriorityClass]}]\n"
RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: more, namespace: ml}
spec: {chart: {spec: {chart: more, sourceRef: {kind: HelmRepository, name: more}}}}
"""


def test_without_it_one_of_the_kind_makes_absence_likely(tmp_path: Path) -> None:
    result = lint(tmp_path, {"job.yaml": JOB, "class.yaml": OTHER})
    finding = by_rule(result, "dangling-reference").finding
    assert finding.certainty is Certainty.LIKELY
    assert finding.assumes


def test_with_it_absence_is_proven(tmp_path: Path) -> None:
    result = lint(tmp_path, {"job.yaml": JOB, "class.yaml": OTHER, "trainlint.yaml": CLOSED})
    finding = by_rule(result, "dangling-reference").finding
    assert finding.certainty is Certainty.PROVEN
    assert finding.assumes == ()


def test_with_it_none_of_the_kind_need_be_there_and_nothing_adds_any(tmp_path: Path) -> None:
    files = {"job.yaml": JOB, "release.yaml": RELEASE}
    assert found(lint(tmp_path, files)) == []
    assert found(lint(tmp_path, {**files, "trainlint.yaml": CLOSED})) == [("dangling-reference", "job.yaml:7")]


def test_it_says_nothing_of_other_kinds(tmp_path: Path) -> None:
    files = {"job.yaml": JOB, "trainlint.yaml": CLOSED.replace("PriorityClass", "ServiceAccount")}
    assert found(lint(tmp_path, files)) == []


def test_a_queue_that_is_not_there_is_proven_as_well(tmp_path: Path) -> None:
    queue = "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: q, namespace: ml}\n"
    files = {
        "queue.yaml": f"{queue}spec: {{clusterQueue: all}}\n",
        "job.yaml": JOB.replace("namespace: ml", "namespace: ml, labels: {kueue.x-k8s.io/queue-name: r}").replace(
            "      priorityClassName: training\n", ""
        ),
        "trainlint.yaml": "clusters: [{name: a, closed: [LocalQueue]}]\n",
    }
    assert by_rule(lint(tmp_path, files), "kueue-never-admits").finding.certainty is Certainty.PROVEN
