"""What Kueue's own configuration changes (kubernetes-sigs/kueue:apis/config/v1beta2, pkg/controller/jobframework)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

from trainlint.finding import Certainty

RULE = "kueue-never-admits"
QUEUES = """apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: team, namespace: ml}
spec: {clusterQueue: all}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  stopPolicy: Hold
"""


def job(queue: str = "", namespace: str = "ml") -> str:
    labels = f", labels: {{kueue.x-k8s.io/queue-name: {queue}}}" if queue else ""
    return f"""apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: {namespace}{labels}}}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: "r.example/a:1"}}]}}}}
"""


def configuration(extra: str) -> str:
    return f"apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n{extra}"


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def config_map(extra: str) -> str:
    text = indented(configuration(extra), 4)
    return (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kueue-manager-config, namespace: kueue-system}\n"
        f"data:\n  controller_manager_config.yaml: |\n{text}"
    )


def release(extra: str) -> str:
    text = indented(configuration(extra), 8)
    return (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: kueue, namespace: kueue-system}\n"
        "spec:\n  chart: {spec: {chart: kueue, sourceRef: {kind: HelmRepository, name: kueue}}}\n"
        f"  targetNamespace: kueue-system\n  values:\n    managerConfig:\n      controllerManagerConfigYaml: |\n{text}"
    )


def reasons(root: Path, **files: str) -> list[str]:
    named = {"queues.yaml": QUEUES, **{f"{name}.yaml": text for name, text in files.items()}}
    return [each.finding.message for each in lint(root, named).findings if each.finding.rule == RULE]


NOT_JOBS = "integrations: {frameworks: [jobset.x-k8s.io/jobset, pod]}\n"
ALL = "manageJobsWithoutQueueName: true\n"


@pytest.mark.parametrize("written", [configuration, config_map, release])
def test_kueue_does_not_see_kinds_whose_integration_is_off(tmp_path: Path, written: object) -> None:
    assert callable(written)
    (held,) = reasons(tmp_path / "on", job=job("team"))
    assert "stopPolicy" in held
    assert reasons(tmp_path / "off", job=job("team"), config=written(NOT_JOBS)) == []
    assert (
        len(reasons(tmp_path / "listed", job=job("team"), config=written("integrations: {frameworks: [batch/job]}\n")))
        == 1
    )


def test_without_a_list_only_jobs_are_managed(tmp_path: Path) -> None:
    assert len(reasons(tmp_path, job=job("team"), config=configuration("health: {}\n"))) == 1


@pytest.mark.parametrize("written", [configuration, config_map])
def test_a_job_without_a_queue_is_suspended_where_kueue_manages_all(tmp_path: Path, written: object) -> None:
    assert callable(written)
    (reason,) = reasons(tmp_path / "all", job=job(), config=written(ALL))
    assert "names no queue" in reason
    assert reasons(tmp_path / "none", job=job(), config=written("health: {}\n")) == []


def test_it_is_likely_because_a_default_queue_may_be_elsewhere(tmp_path: Path) -> None:
    files = {"queues.yaml": QUEUES, "job.yaml": job(), "config.yaml": configuration(ALL)}
    (found,) = (each.finding for each in lint(tmp_path, files).findings if each.finding.rule == RULE)
    assert found.certainty is Certainty.LIKELY
    files["trainlint.yaml"] = "clusters: [{name: a, closed: [LocalQueue]}]\n"
    (found,) = (each.finding for each in lint(tmp_path, files).findings if each.finding.rule == RULE)
    assert found.certainty is Certainty.PROVEN


def test_a_queue_of_the_name_default_takes_them(tmp_path: Path) -> None:
    default = QUEUES.partition("---")[0].replace("name: team", "name: default")
    assert reasons(tmp_path, job=job(), config=configuration(ALL), default=default) == []


@pytest.mark.parametrize(
    ("selector", "count"),
    [
        ("{matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [ml]}]}", 0),
        ("{matchLabels: {kubernetes.io/metadata.name: ml}}", 1),
        ("{matchLabels: {team: vision}}", 0),  # unknown are the labels of a namespace that is not in Git
    ],
)
def test_namespaces_that_are_not_managed_are_left_alone(tmp_path: Path, selector: str, count: int) -> None:
    config = configuration(f"{ALL}managedJobsNamespaceSelector: {selector}\n")
    assert len(reasons(tmp_path, job=job(), config=config)) == count


def test_two_configurations_that_differ_are_an_unknown(tmp_path: Path) -> None:
    files = {"queues.yaml": QUEUES, "job.yaml": job(), "a.yaml": configuration(ALL), "b.yaml": config_map(NOT_JOBS)}
    result = lint(tmp_path, files)
    assert [each.finding.rule for each in result.findings if each.finding.rule == RULE] == []
    assert any(each.subject == "the configuration of Kueue" for each in result.unknowns)
