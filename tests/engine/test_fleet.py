"""A fleet: two clusters, Flux and Argo CD, a base with two overlays, a chart, node pools; rendered and not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.engine.worlds import by_rule, lint, verdicts

from trainlint.config.choices import Choices
from trainlint.engine.reading import read_all
from trainlint.engine.repository_state import State, read_state
from trainlint.engine.setup import read_setup
from trainlint.result import Result
from trainlint.source.files import discover
from trainlint.wording.because import texts_of

FLEET = Path(__file__).with_name("fleet")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    root = tmp_path / "fleet"
    shutil.copytree(FLEET, root)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for command in (["init", "-q"], ["remote", "add", "origin", "git@git.example:team/fleet.git"], ["add", "-A"]):
        subprocess.run(["git", "-C", str(root), *command], check=True, env=environment)
    return root


def state_of(root: Path) -> State:
    world = discover([root])
    setup = read_setup(world, [root], None, Choices())
    return read_state(world, read_all(world, lambda stage, done, total: None), setup)


def namespaced(state: State, snapshot: str) -> set[tuple[str, str]]:
    """Kind and ``namespace/name`` of the workloads and policies of a snapshot."""
    (made,) = (each for each in state.snapshots if each.name == snapshot)
    kinds = {"JobSet", "NetworkPolicy", "PyTorchJob", "Job"}
    return {
        (each.meta.kind, f"{each.ref.namespace}/{each.ref.name}") for each in made.objects if each.meta.kind in kinds
    }


def pools(state: State, snapshot: str) -> set[str]:
    (made,) = (each for each in state.snapshots if each.name == snapshot)
    return {pool.name for inventory in made.inventories for pool in inventory.pools}


def roles(result: Result, group: str) -> dict[str, tuple[int | None, str]]:
    """Pods of each role of a group, and the file in which it is written."""
    (found,) = (each for each in result.groups if each.name == group)
    return {role.name: (role.pods, role.at.file) for role in found.roles}


pytestmark = pytest.mark.needs("git")


@pytest.mark.needs("kustomize", "helm")
def test_each_cluster_gets_what_its_deployers_bring(fleet: Path) -> None:
    state = state_of(fleet)
    assert [each.name for each in state.snapshots] == ["east", "west", "."]
    # targetNamespace wins over `namespace:` of the kustomization; a HelmRelease installs into its targetNamespace;
    # Argo CD's destination fills in.
    assert namespaced(state, "east") == {
        ("PyTorchJob", "research/train"),
        ("NetworkPolicy", "research/train"),
        ("JobSet", "sweeps/sweeps-sweep"),
    }
    assert namespaced(state, "west") == {
        ("PyTorchJob", "ml/train"),
        ("NetworkPolicy", "ml/train"),
        ("JobSet", "trials/sweep"),
    }
    assert namespaced(state, ".") == {("Job", "research/by-hand")}
    assert pools(state, "east") == {"gpu-east"}
    assert pools(state, "west") == {"gpu-west"}


@pytest.mark.needs("kustomize", "helm")
def test_nothing_of_a_fleet_is_assumed_or_unknown_that_the_repository_says(fleet: Path) -> None:
    result = lint(fleet)
    assert not any("this repository" in text or "namespace" in text for text in result.assumptions)
    # Karpenter's controller runs on nodes that no NodePool makes: what they must be is a condition, and no unknown.
    assert result.unknowns == ()


@pytest.mark.needs("kustomize", "helm")
def test_what_an_overlay_or_a_deployer_sets_counts_and_stands_where_it_was_written(fleet: Path) -> None:
    result = lint(fleet)
    assert roles(result, "research/train") == {"train/Worker": (4, "apps/train/base/job.yaml")}
    assert roles(result, "ml/train") == {"train/Worker": (2, "apps/train/base/job.yaml")}
    assert roles(result, "sweeps/sweeps-sweep") == {"sweeps-sweep/trial": (3, "charts/sweep/templates/jobset.yaml")}
    assert roles(result, "trials/sweep") == {"sweep/trial": (2, "charts/sweep/templates/jobset.yaml")}
    found = verdicts(result)
    assert found["research/train", "east"][0] == "proved"
    denied = by_rule(result, "flow-denied")
    assert denied.finding.snapshots == ("west",)
    assert "apps/train/overlays/west/closed.yaml" in {each.file for each in denied.related}
    state = state_of(fleet)
    (east,) = (each for each in state.snapshots if each.name == "east")
    (job,) = (each for each in east.objects if each.meta.kind == "PyTorchJob")
    replicas = job.field.down("spec", "pytorchReplicaSpecs", "Worker", "replicas")
    assert state.written(replicas.at).file == "apps/train/overlays/east/size.yaml"
    assert job.meta.labels["team"] == "vision"  # put in by Flux after kustomize


def test_without_renderers_the_clusters_and_namespaces_are_the_same_and_nothing_is_claimed(
    fleet: Path, no_renderer: None
) -> None:
    state = state_of(fleet)
    assert [each.name for each in state.snapshots] == ["east", "west", "."]
    assert namespaced(state, "east") == {("PyTorchJob", "research/train"), ("NetworkPolicy", "research/train")}
    assert namespaced(state, "west") == {("PyTorchJob", "ml/train"), ("NetworkPolicy", "ml/train")}
    assert pools(state, "east") == {"gpu-east"}
    assert pools(state, "west") == {"gpu-west"}
    (east,) = (each for each in state.snapshots if each.name == "east")
    assert east.may_hold_more("sweeps")
    result = lint(fleet)
    assert {each.finding.severity for each in result.findings} <= {"note"}
    assert any(each.subject == "kustomization apps/train/overlays/east" for each in result.unknowns)


def test_where_a_fork_is_checked_out_the_address_of_the_original_is_this_repository(fleet: Path) -> None:
    subprocess.run(["git", "-C", str(fleet), "remote", "set-url", "origin", "git@git.example:me/fleet"], check=True)
    state = state_of(fleet)
    assert [each.name for each in state.snapshots] == ["east", "west", "."]
    assert any("fork" in text for each in state.snapshots for text in texts_of(each.settings.assumptions))


@pytest.mark.needs("kustomize", "helm")
def test_a_chart_whose_values_are_not_in_git_is_an_unknown_and_not_taken_for_what_it_makes_by_itself(
    fleet: Path,
) -> None:
    file = fleet / "clusters" / "east" / "apps.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace("  values:\n", "  valuesFrom: [{kind: Secret, name: size}]\n  values:\n"), encoding="utf-8"
    )
    state = state_of(fleet)
    (east,) = (each for each in state.snapshots if each.name == "east")
    assert not any(each.meta.kind == "JobSet" for each in east.objects)
    assert any("Secret size" in each.missing for each in east.unknowns)
    assert east.may_hold_more("sweeps")
    assert namespaced(state, ".") == {("Job", "research/by-hand")}
