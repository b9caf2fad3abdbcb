"""``trainlint needs``: what the cluster must have, in words and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

import trainlint_schemas
from trainlint.cli.main import cli

JOB = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 3
      template:
        spec:
          nodeSelector: {gpu: h100}
          priorityClassName: high
          tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
          containers: [{name: pytorch, image: i, command: [python, t.py], resources: {limits: {nvidia.com/gpu: 8}}}]
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "job.yaml").write_text(JOB, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["needs", "--no-cache", *arguments])


def test_words_say_pods_labels_taints_and_objects(world: Path) -> None:
    text = " ".join(run().stdout.split())
    assert "train/Worker: 3 pods with 8 nvidia.com/gpu each, on nodes with gpu=h100" in text
    assert "may be tainted nvidia.com/gpu:NoSchedule" in text
    assert "PriorityClass high" in text
    assert "in one zone" in text


def test_the_data_follow_the_published_schema(world: Path) -> None:
    data = json.loads(run("ml/train", "--output", "json").stdout)
    schema = json.loads((Path(trainlint_schemas.__file__).parent / "needs.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(data)
    (role,) = data["groups"][0]["needs"]["roles"]
    assert (role["pods"], role["total"]) == (3, {"nvidia.com/gpu": "24"})


def test_the_inventory_proves_the_group(world: Path) -> None:
    (world / "nodes.yaml").write_text(run("--output", "inventory").stdout, encoding="utf-8")
    (group,) = json.loads(CliRunner().invoke(cli, ["check", "--no-cache", "--output", "json"]).stdout)["groups"]
    assert (group["exists"], group["for_all"]) == ("proved", "proved")
    assert "needs" not in group
    assert "Git describes all that it needs" in run().stdout


def test_kubectl_is_asked_for_such_nodes(world: Path) -> None:
    assert "kubectl get nodes -l gpu=h100 -o wide\n" in run("--output", "kubectl").stdout


def test_a_group_that_is_not_there_is_wrong_usage(world: Path) -> None:
    assert run("ml/other").exit_code == 2
