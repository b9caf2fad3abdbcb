"""The way of a job through its queue, as ``trainlint explain`` tells it: every number with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from trainlint.cli.main import cli

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: ml, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  parallelism: 3
  completions: 3
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: "x:1", resources: {limits: {nvidia.com/gpu: 2}}}]
---
"""
LOCAL = """apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: ml}
spec: {clusterQueue: research}
---
"""
FLAVOR = """apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: h100}
---
"""


def cluster_queue(quota: str, more: str = "") -> str:
    return f"""apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: research}}
spec:
  namespaceSelector: {{}}
  {more}
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - name: h100
      resources: [{{name: nvidia.com/gpu, nominalQuota: {quota}}}]
---
"""


def told(tmp_path: Path, group: str, text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, dict[str, list[str]]]:
    """The title of the step and every sentence of it with its places."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "all.yaml").write_text(text)
    done = CliRunner().invoke(cli, ["explain", group, str(tmp_path), "--output", "json"])
    assert done.exit_code == 0, done.output
    steps = json.loads(done.stdout)["groups"][0]["steps"]
    step = next((each for each in steps if each["title"].startswith("Does its queue")), None)
    if step is None:
        return "", {}
    found: dict[str, list[str]] = {}

    def walk(statements: list[dict[str, Any]]) -> None:
        for each in statements:
            found[each["text"]] = [text.splitlines()[place["line"] - 1] for place in each["places"]]
            walk(each["below"])

    walk(step["statements"])
    return step["title"], found


def test_the_way_to_a_flavor_that_has_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    title, said = told(tmp_path, "ml/j", JOB + LOCAL + FLAVOR + cluster_queue("8"), monkeypatch)
    assert title == "Does its queue let it in? Yes: admitted"
    assert "queue-name: team" in said["Job ml/j goes into the LocalQueue team"][0]
    assert "clusterQueue: research" in said["it leads to the ClusterQueue research"][0]
    assert "nvidia.com/gpu: 2" in said["3 pods of j request 6 nvidia.com/gpu"][0]
    assert "nominalQuota: 8" in said["flavor h100: quota 8: enough"][0]
    assert any("gets the flavor h100" in each for each in said)


def test_the_quota_that_is_too_small_is_the_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    title, said = told(tmp_path, "ml/j", JOB + LOCAL + FLAVOR + cluster_queue("5"), monkeypatch)
    assert title == "Does its queue let it in? No: never"
    assert "nominalQuota: 5" in said["flavor h100: quota 5: not enough"][0]
    assert any(each.startswith("never let in") for each in said)


def test_what_the_cohort_lends_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = cluster_queue("4", "cohortName: all").replace("name: research", "name: other")
    text = JOB + LOCAL + FLAVOR + cluster_queue("2", "cohortName: all") + other
    title, said = told(tmp_path, "ml/j", text, monkeypatch)
    assert title == "Does its queue let it in? Yes: admitted"
    assert "the ClusterQueue research is in the cohort all" in said
    assert "flavor h100: quota 2, with what its cohort lends 6: enough" in said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (JOB, "the LocalQueue ml/team is not in Git"),
        (JOB + LOCAL, "the ClusterQueue research is not in Git"),
        (JOB + LOCAL + cluster_queue("8"), "the ResourceFlavor h100 is not in Git"),
        (
            JOB + LOCAL + FLAVOR + cluster_queue("8", "admissionChecks: [capacity]"),
            "quota is reserved for it; it then waits for the admission check capacity",
        ),
    ],
)
def test_what_git_leaves_open_makes_it_conditional(
    tmp_path: Path, text: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    title, said = told(tmp_path, "ml/j", text, monkeypatch)
    assert title == "Does its queue let it in? Conditional"
    assert sentence in said


def test_a_resource_that_no_group_covers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = JOB.replace("nvidia.com/gpu: 2", "nvidia.com/gpu: 2, cpu: 1")
    title, said = told(tmp_path, "ml/j", text + LOCAL + FLAVOR + cluster_queue("8"), monkeypatch)
    assert title == "Does its queue let it in? No: never"
    assert "no resource group of the ClusterQueue research covers it" in said


def test_a_flavor_that_refuses_the_pods_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tainted = FLAVOR.replace("---\n", "spec: {nodeTaints: [{key: k, value: v, effect: NoSchedule}]}\n---\n")
    title, said = told(tmp_path, "ml/j", JOB + LOCAL + tainted + cluster_queue("8"), monkeypatch)
    assert title == "Does its queue let it in? No: never"
    assert any(each.startswith("flavor h100 does not take them: ") for each in said)


VOLCANO = """apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j, namespace: ml}
spec:
  schedulerName: volcano
  queue: team
  minAvailable: 2
  tasks:
  - name: rank
    replicas: 2
    template:
      spec:
        restartPolicy: Never
        containers: [{name: c, image: "x:1", resources: {limits: {nvidia.com/gpu: 2}}}]
---
"""


def queue(group: str, name: str, spec: str) -> str:
    return f"apiVersion: {group}\nkind: Queue\nmetadata: {{name: {name}}}\nspec:\n  {spec}\n---\n"


@pytest.mark.parametrize(("limit", "verdict"), [(4, "Yes: admitted"), (3, "No: never")])
def test_volcano_compares_the_gang_with_the_capability(
    tmp_path: Path, limit: int, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = "scheduling.volcano.sh/v1beta1"
    text = VOLCANO + queue(api, "team", f"capability: {{nvidia.com/gpu: {limit}}}\n  parent: top")
    title, said = told(tmp_path, "ml/j", text + queue(api, "top", "weight: 1"), monkeypatch)
    assert title == f"Does its queue let it in? {verdict}"
    assert "queue: team" in said["Job ml/j goes into the Volcano queue team"][0]
    assert "the queue team is below top" in said
    assert "the 2 pods that start together need at least 4 nvidia.com/gpu" in said
    (each,) = (each for each in said if each.startswith("queue team: capability"))
    assert f"nvidia.com/gpu: {limit}" in said[each][0]
    assert "queue top: no capability of nvidia.com/gpu, so no limit" in said


@pytest.mark.parametrize(("top", "left", "enough"), [(10, 4, "enough"), (9, 3, "not enough")])
def test_volcano_keeps_what_is_guaranteed_to_the_other_queues_of_the_parent(
    tmp_path: Path, top: int, left: int, enough: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = "scheduling.volcano.sh/v1beta1"
    text = VOLCANO + queue(api, "team", "parent: top")
    text += queue(api, "top", f"capability: {{nvidia.com/gpu: {top}}}")
    for name, kept in (("one", 4), ("two", 2)):
        text += queue(api, name, f"parent: top\n  guarantee: {{resource: {{nvidia.com/gpu: {kept}}}}}")
    _, said = told(tmp_path, "ml/j", text, monkeypatch)
    (each,) = (each for each in said if "kept free" in each and each.startswith("queue top"))
    assert each == (
        f"queue top: 6 of its capability of {top} nvidia.com/gpu is guaranteed to one, two and kept free, "
        f"{left} is left: {enough}"
    )
    assert ["nvidia.com/gpu: 4" in said[each][0], "nvidia.com/gpu: 2" in said[each][1]] == [True, True]


def test_a_queue_of_volcano_that_git_does_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = VOLCANO + queue("scheduling.volcano.sh/v1beta1", "other", "weight: 1")
    title, said = told(tmp_path, "ml/j", text, monkeypatch)
    assert title == "Does its queue let it in? Conditional"
    assert "the queue team is not in Git" in said


def test_kai_compares_the_gang_with_every_limit_above_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: j, namespace: ml, labels: {kai.scheduler/queue: team}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        spec:
          schedulerName: kai-scheduler
          containers: [{name: pytorch, image: "x:1", resources: {limits: {nvidia.com/gpu: 1}}}]
---
"""
    api = "scheduling.run.ai/v2"
    queues = queue(api, "team", "parentQueue: top\n  resources: {gpu: {quota: 8, limit: -1}}")
    queues += queue(api, "top", "resources: {gpu: {quota: 2, limit: 2}}")
    title, said = told(tmp_path, "ml/j", job + queues, monkeypatch)
    assert title == "Does its queue let it in? No: never"
    assert "queue team: no limit of nvidia.com/gpu, so no limit" in said
    assert "limit: 2" in said["queue top: limit 2: not enough"][0]


def test_without_a_queue_there_is_no_such_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = JOB.replace(", labels: {kueue.x-k8s.io/queue-name: team}", "")
    assert told(tmp_path, "ml/j", plain, monkeypatch) == ("", {})
