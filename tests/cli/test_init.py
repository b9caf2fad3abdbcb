"""``trainlint init``: a first configuration, and the commands that supply what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.engine.worlds import write

from trainlint.cli.main import cli
from trainlint.config.load import configuration_document, load_configuration

JOB = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml%s}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: i, resources: {limits: {nvidia.com/gpu: "8"}}}]}}
"""
POLICY = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: a, namespace: ml}
spec: {podSelector: {}, ingress: []}
"""


def run(root: Path) -> Result:
    return CliRunner().invoke(cli, ["init", str(root)], prog_name="trainlint")


def test_the_file_names_its_schema_first_and_is_a_valid_configuration(tmp_path: Path) -> None:
    result = run(write(tmp_path, {"job.yaml": JOB % ""}))
    assert result.exit_code == 0, result.output
    text = (tmp_path / "trainlint.yaml").read_text(encoding="utf-8")
    assert text.splitlines()[0].startswith("# yaml-language-server: $schema=")
    (settings,) = load_configuration(configuration_document("trainlint.yaml", text.encode())).settings
    assert settings.cluster == "main"


def test_every_commented_line_is_valid_too(tmp_path: Path) -> None:
    run(write(tmp_path, {"job.yaml": JOB % ""}))
    _, *lines = (tmp_path / "trainlint.yaml").read_text(encoding="utf-8").splitlines()
    settings = [line for line in lines if line.lstrip().startswith("# ") and _is_setting(line)]
    kept = [line.replace("# ", "", 1) for line in lines if line in settings or not line.lstrip().startswith("#")]
    load_configuration(configuration_document("trainlint.yaml", "\n".join(kept).encode()))
    assert len(settings) > 8


def _is_setting(line: str) -> bool:
    """Whether the comment holds a setting: a key in lower case and a colon."""
    head, colon, _ = line.lstrip("# -").partition(":")
    return bool(colon) and head.replace("_", "").replace("-", "").replace("/", "").islower() and " " not in head


def test_each_missing_fact_comes_with_its_command(tmp_path: Path) -> None:
    output = run(
        write(tmp_path, {"job.yaml": JOB % ", labels: {kueue.x-k8s.io/queue-name: q}", "p.yaml": POLICY})
    ).output
    for command in (
        "kubectl get nodes -o yaml | trainlint inventory - > inventory.yaml",
        "kubectl version -o yaml",
        "kubectl get daemonsets -n kube-system -o wide",
        "kubectl get clusterqueues,localqueues,resourceflavors,topologies -A -o yaml > kueue.yaml",
    ):
        assert command in output


def test_what_is_there_is_not_missing(tmp_path: Path) -> None:
    inventory = "apiVersion: trainlint.io/v1alpha1\nkind: Inventory\npools: [{name: a, count: 1}]\n"
    output = run(write(tmp_path, {"job.yaml": JOB % "", "nodes.yaml": inventory})).output
    assert "get nodes" not in output
    assert "get daemonsets" not in output  # there is no policy that a network plugin could read otherwise


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: x}\nnodeGroups: [{name: g}]\n", "eks"),
        ("apiVersion: karpenter.azure.com/v1beta1\nkind: AKSNodeClass\nmetadata: {name: x}\n", "aks"),
        ("apiVersion: cloud.google.com/v1\nkind: ComputeClass\nmetadata: {name: x}\n", "gke"),
    ],
)
def test_the_platform_is_told_from_the_manifests(tmp_path: Path, text: str, profile: str) -> None:
    run(write(tmp_path, {"a.yaml": text}))
    written = (tmp_path / "trainlint.yaml").read_bytes()
    assert load_configuration(configuration_document("t", written)).settings[0].profile == profile


def test_a_file_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    write(tmp_path, {".trainlint.yaml": "clusters: []\n"})
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "is there already" in result.output
    assert not (tmp_path / "trainlint.yaml").exists()


def test_an_empty_directory_gets_a_file_too(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.exit_code == 0
    assert "0 training groups" in result.output
