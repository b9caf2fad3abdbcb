"""Of several deployers, which begin a cluster, and which files each of them manages."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from tests.deploy.deployers import flux, job, names, snapshots, sync
from tests.engine.worlds import lint

ARGO = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  source: {{repoURL: https://git.example/team/fleet, path: {path}, directory: {{recurse: true}}}}
  destination: {{server: https://kubernetes.default.svc, namespace: {namespace}}}
"""


def test_what_another_deployer_brings_begins_no_cluster() -> None:
    # The app of apps pattern: the root brings the others, whatever their names and order.
    files = {
        "root.yaml": ARGO.format(name="root", path="apps", namespace="argocd"),
        "apps/a.yaml": ARGO.format(name="a", path="a", namespace="one"),
        "apps/b.yaml": ARGO.format(name="b", path="b", namespace="two"),
        "a/job.yaml": job("a"),
        "b/job.yaml": job("b"),
    }
    (made,) = snapshots(files).values()
    assert names(made) == {"Job one/a", "Job two/b"}


@pytest.mark.parametrize("order", list(permutations("xyz")))
def test_deployers_that_no_deployer_brings_share_one_cluster_in_any_order(order: tuple[str, ...]) -> None:
    files = {
        f"{order[index]}.yaml": ARGO.format(name=f"n{index}", path=f"p{index}", namespace="ml") for index in range(3)
    }
    files |= {f"p{index}/job.yaml": job(f"job-{index}") for index in range(3)}
    (made,) = snapshots(files).values()
    assert names(made) == {f"Job ml/job-{index}" for index in range(3)}


def test_of_deployers_that_bring_each_other_one_begins() -> None:
    files = {
        "a/deployer.yaml": ARGO.format(name="a", path="b", namespace="ml"),
        "b/deployer.yaml": ARGO.format(name="b", path="a", namespace="ml"),
        "b/job.yaml": job("train"),
    }
    (made,) = snapshots(files).values()
    assert names(made) == {"Job ml/train"}


def test_a_kustomization_in_its_own_directory_manages_that_and_one_outside_does_not() -> None:
    files = {
        "clusters/c/flux-system/sync.yaml": sync("clusters/c"),
        "clusters/c/apps.yaml": flux("apps", "apps"),
        "elsewhere/spare.yaml": flux("spare", "spare"),
        "apps/job.yaml": job(namespace="ml"),
        "spare/job.yaml": job("spare", "ml"),
    }
    found = snapshots(files)
    assert names(found["c"]) == {"Job ml/train"}


def test_a_file_beside_the_deployed_directory_is_not_deployed_though_its_name_begins_alike() -> None:
    files = {
        "clusters/c/sync.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("a", "apps"),
        "apps/job.yaml": job("in", "ml"),
        "apps-old/job.yaml": job("out", "ml"),
        "apps.yaml": job("beside", "ml"),
    }
    assert names(snapshots(files)["c"]) == {"Job ml/in"}


TRAIN = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
"""


def groups(root: Path) -> list[tuple[str, str]]:
    return sorted((each.name, each.snapshot) for each in lint(root).groups)


@pytest.mark.parametrize("linked", ["file", "directory", "both"])
def test_resources_behind_symbolic_links_are_brought_once(linked: str, tmp_path: Path, no_renderer: None) -> None:
    # kustomize follows links that stay inside of the root of what it may read.
    (tmp_path / "real").mkdir()
    (tmp_path / "real/job.yaml").write_text(TRAIN)
    (tmp_path / "real/kustomization.yaml").write_text("resources: [job.yaml]\n")
    overlay = tmp_path / "overlay"
    overlay.mkdir()
    names_of = {"file": "[job.yaml]", "directory": "[base]", "both": "[base]"}
    (overlay / "kustomization.yaml").write_text(f"namespace: other\nresources: {names_of[linked]}\n")
    if linked == "file":
        (overlay / "job.yaml").symlink_to("../real/job.yaml")
    else:
        (overlay / "base").symlink_to("../middle" if linked == "both" else "../real")
    if linked == "both":
        (tmp_path / "middle").symlink_to("real")
    (tmp_path / "cluster").mkdir()
    (tmp_path / "cluster/sync.yaml").write_text(sync("cluster"))
    (tmp_path / "cluster/a.yaml").write_text(flux("a", "overlay"))
    result = lint(tmp_path)
    assert [each.name for each in result.groups] == ["other/train"]
    assert not [each for each in result.findings if each.finding.rule in {"duplicate-object", "path-does-not-build"}]


def test_a_link_that_leads_nowhere_brings_nothing_and_is_a_path_that_does_not_build(
    tmp_path: Path, no_renderer: None
) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: [job.yaml]\n")
    (tmp_path / "job.yaml").symlink_to("gone.yaml")
    result = lint(tmp_path)
    assert result.groups == ()
    assert [each.finding.rule for each in result.findings] == ["path-does-not-build"]


CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: train\nversion: 0.1.0\n",
    "chart/values.yaml": "workers: 2\n",
    "chart/templates/job.yaml": TRAIN.replace("replicas: 2", "replicas: {{ .Values.workers }}").replace(
        ", namespace: ml", ""
    ),
}
INSTALLED = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: train, namespace: argocd}
spec:
  source:
    repoURL: https://git.example/team/fleet
    path: chart
    helm: {valuesObject: {workers: 3}}
  destination: {server: https://kubernetes.default.svc, namespace: ml}
"""


@pytest.mark.needs("helm")
def test_the_files_of_a_chart_belong_to_who_installs_it_and_are_judged_as_installed_only(tmp_path: Path) -> None:
    for name, text in {**CHART, "app.yaml": INSTALLED}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (group,) = lint(tmp_path).groups
    assert (group.name, group.pods) == ("ml/train", 3)


@pytest.mark.needs("helm")
def test_a_chart_beside_deployers_that_none_of_them_installs_is_no_part_of_their_cluster(tmp_path: Path) -> None:
    files = {**CHART, "app.yaml": ARGO.format(name="a", path="a", namespace="ml"), "a/job.yaml": TRAIN}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {(each.name, each.pods): each.snapshot for each in lint(tmp_path).groups}
    assert ("ml/train", 2) in found
    assert len(set(found.values())) == len(found)
