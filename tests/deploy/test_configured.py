"""Clusters that trainlint.yaml names: paths, namespaces, inventories."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.deploy.deployers import flux, job
from tests.engine.worlds import lint, verdicts, write

from trainlint.engine import check
from trainlint.finding import UsageError

CONFIG = """clusters:
  - name: east
    paths: [shared, 'only/east*.yaml']
    namespace: e
    inventories: [nodes/east.yaml]
  - {name: west, paths: [./shared/, only/west.yaml], namespace: w, inventories: [nodes/west.yaml]}
"""


def nodes(gpus: int) -> str:
    return f"""apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {{name: cluster}}
pools:
  - {{name: gpu, count: 2, zone: a, allocatable: {{cpu: "64", memory: 500Gi, nvidia.com/gpu: "{gpus}"}}}}
"""


TORCH = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
            - {name: pytorch, image: "r.example/a:1", resources: {limits: {nvidia.com/gpu: "8"}}}
"""
FILES = {
    "trainlint.yaml": CONFIG,
    "shared/torch.yaml": TORCH,
    "only/east1.yaml": job("one"),
    "only/west.yaml": job("two"),
    "left/job.yaml": TORCH.replace("train", "left, namespace: elsewhere"),
    "nodes/east.yaml": nodes(8),
    "nodes/west.yaml": nodes(4),
}


def test_a_shared_base_is_judged_for_each_cluster_with_its_own_nodes_and_namespace(tmp_path: Path) -> None:
    result = lint(tmp_path, FILES)
    assert verdicts(result)["e/train", "east"] == ("proved", "proved")
    assert verdicts(result)["w/train", "west"] == ("refuted", "refuted")
    (finding,) = (each.finding for each in result.findings if each.finding.rule == "request-exceeds-node")
    assert finding.snapshots == ("west",)
    assert finding.at.file == "shared/torch.yaml"


def test_what_no_path_names_is_a_part_of_its_own(tmp_path: Path) -> None:
    result = lint(tmp_path, FILES)
    assert [each.name for each in result.snapshots] == ["east", "west", "."]
    assert ("elsewhere/left", ".") in verdicts(result)
    assert not any(name.endswith("/left") and where != "." for name, where in verdicts(result))


def test_an_entry_without_paths_only_sets_what_is_true_of_a_cluster(tmp_path: Path) -> None:
    files = {**FILES, "trainlint.yaml": "clusters: [{name: a, kubernetes: '1.34'}, {name: b}]\n"}
    result = lint(tmp_path, files)
    assert {each.name.partition(":")[0] for each in result.snapshots} == {"a", "b"}


def test_deployers_below_a_path_are_followed(tmp_path: Path) -> None:
    files = {
        "trainlint.yaml": "clusters: [{name: c, paths: [fleet]}]\n",
        "fleet/ks.yaml": flux("a", "apps", "  targetNamespace: t\n"),
        "apps/job.yaml": TORCH,
    }
    assert list(verdicts(lint(tmp_path, files))) == [("t/train", "c")]


def test_settings_of_the_name_of_a_cluster_that_was_found_are_its_own(tmp_path: Path) -> None:
    root = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: r}\nspec:\n"
    root += "  destination: {name: prod}\n  source: {repoURL: 'https://g.example/a/b', path: apps}\n"
    files = {
        "trainlint.yaml": "clusters: [{name: prod, kubernetes: '1.33'}]\n",
        "root.yaml": root,
        "apps/job.yaml": job(namespace="a"),
    }
    result = lint(tmp_path, files)
    assert [each.name for each in result.snapshots] == ["prod"]
    assert not any("Kubernetes" in text for text in result.assumptions)


@pytest.mark.parametrize(
    ("paths", "cause"),
    [
        ("[nowhere]", "clusters.0.paths.0: nowhere does not exist"),
        ("[shared, 'no*.yaml']", "clusters.0.paths.1: no file matches no*.yaml"),
        ("[../outside]", "clusters.0.paths.0: ../outside leads out of the repository"),
    ],
)
def test_a_path_that_is_not_there_is_named_at_its_place(tmp_path: Path, paths: str, cause: str) -> None:
    write(tmp_path, {**FILES, "trainlint.yaml": f"clusters:\n  - name: a\n    paths: {paths}\n"})
    with pytest.raises(UsageError, match=r"^trainlint\.yaml:3:\d+: configuration: ") as caught:
        check([tmp_path])
    assert cause in str(caught.value)


def test_paths_count_from_the_directory_of_the_file(tmp_path: Path) -> None:
    files = {
        "sub/trainlint.yaml": "clusters: [{name: a, paths: [jobs]}]\n",
        "sub/jobs/job.yaml": job(namespace="ns"),
        ".git/HEAD": "ref: refs/heads/main\n",
    }
    assert [each.name for each in lint(tmp_path, files, "sub").snapshots] == ["a"]
