"""``trainlint prove`` on real files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from trainlint.cli.main import cli
from trainlint_schemas import schema

NODES = """\
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: nodes}
pools:
  - name: gpu-a
    count: 2
    zone: a
    labels: {gpu: "true"}
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
  - {name: cpu-a, count: 2, zone: a, allocatable: {cpu: "16", memory: 64Gi}}
  - {name: cpu-b, count: 2, zone: b, allocatable: {cpu: "16", memory: 64Gi}}
"""
JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        metadata: {labels: {part: master}}
        spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}
    Worker:
      replicas: 2
      template:
        metadata: {labels: {part: worker}}
        spec:
          nodeSelector: {gpu: "true"}
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
"""
SETTINGS = """\
clusters:
  - {name: example, kubernetes: "1.36", cni: {name: cilium, version: "1.18.5"}}
"""
POLICY = """\
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: zone, namespace: ml}
spec:
  endpointSelector: {matchLabels: {part: worker}}
  ingress:
    - fromEndpoints: [{matchLabels: {topology.kubernetes.io/zone: a}}]
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {"nodes.yaml": NODES, "job.yaml": JOB}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["prove", "--no-cache", *arguments], prog_name="trainlint")


def groups(*arguments: str) -> list[dict[str, Any]]:
    result = run("--output", "json", *arguments)
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    Draft202012Validator(schema("prove")).validate(data)
    found: list[dict[str, Any]] = data["groups"]
    return found


def test_the_witness_holds_every_pod_with_its_pool_and_gpus(world: Path) -> None:
    (group,) = groups()
    rows = {row["role"].lower(): row for row in group["witness"]}
    assert (rows["worker"]["pool"], rows["worker"]["zone"], rows["worker"]["nodes"]) == ("gpu-a", "a", 2)
    assert (rows["worker"]["count"], rows["worker"]["gpus"], rows["master"]["gpus"]) == (2, 16, 0)
    assert rows["worker"]["pods"] == "train-worker-0..1"
    assert rows["master"]["zone"] == "a"
    assert "Master" in rows["worker"]["reaches"]


def test_the_counterexample_shows_the_master_in_the_other_zone(world: Path) -> None:
    (group,) = groups("ml/train")
    assert (group["exists"], group["for_all"], group["rules"]) == ("proved", "refuted", ["split-across-zones"])
    assert {row["zone"] for row in group["counterexample"]} == {"a", "b"}
    assert "a, b" in group["why"]


def test_every_zone_says_what_is_missing_there(world: Path) -> None:
    (group,) = groups("train")
    zones = {zone["name"]: zone for zone in group["zones"]}
    assert (zones["a"]["answer"], zones["a"]["lacks"]) == ("proved", [])
    assert zones["b"]["answer"] == "refuted"
    assert any("gpu=true" in text for text in zones["b"]["lacks"])


def test_a_pod_label_that_only_one_zone_has_cuts_the_others(world: Path) -> None:
    # Cilium 1.18 keeps the zone label that Kubernetes 1.35 copies onto pods (P 3); the workers admit zone a only.
    (world / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (world / "trainlint.yaml").write_text(SETTINGS, encoding="utf-8")
    (group,) = groups()
    assert group["rules"] == ["split-cut-by-policy"]
    workers = next(row for row in group["counterexample"] if row["role"] == "Worker")
    assert workers["cut"] == ["Master in b"]


def test_a_group_that_can_never_be_scheduled_names_the_rule(world: Path) -> None:
    (world / "nodes.yaml").write_text(NODES.replace('nvidia.com/gpu: "8"', 'nvidia.com/gpu: "4"'), encoding="utf-8")
    (group,) = groups()
    assert (group["exists"], group["rules"]) == ("refuted", ["request-exceeds-node"])
    assert group["witness"] == group["counterexample"] == []
    assert all(zone["lacks"] for zone in group["zones"])


def test_without_nodes_the_answer_is_conditional(world: Path) -> None:
    (world / "nodes.yaml").unlink()
    (group,) = groups()
    assert (group["exists"], group["for_all"], group["zones"]) == ("conditional", "conditional", [])


def test_text_and_markdown_say_the_same(world: Path) -> None:
    text, markdown = run().output, run("--output", "markdown").output
    for word in ("ml/train", "exists proved, for all refuted", "gpu-a", "train-worker-0..1", "split-across-zones"):
        assert word in text
        assert word in markdown


@pytest.mark.parametrize("arguments", [(".",), ("ml/train", "."), ("job.yaml",)])
def test_a_name_that_is_a_path_is_no_group(world: Path, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("ml/trian",), "did you mean 'ml/train'"), (("nothing",), "there are: ml/train"), (("one", "two"), "only one")],
)
def test_an_unknown_group_is_a_usage_error(world: Path, arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, words in result.output) == (2, True)


def test_what_refutes_a_group_in_every_zone_is_not_said_of_a_zone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: ml}\nspec: {hard: {pods: 2}}\n"
    for name, text in {"nodes.yaml": NODES, "job.yaml": JOB, "quota.yaml": quota}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    shown = run().output
    assert "exists refuted" in shown
    assert "a     proved   nothing in the zone: see the findings\n" in shown
    assert "see the findings of quota-never-admits" in shown


def test_an_empty_repository_has_nothing_to_prove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run().output == "there are no groups: nothing to prove\n"
    assert groups() == []
