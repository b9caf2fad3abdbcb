"""What a deployer changes by itself, through the real kustomize: Flux' spec.patches, Argo CD's source.kustomize.

Expectations: Flux writes these fields of its spec into the kustomization before it builds it (patches are appended,
images replaced by name), Argo CD runs `kustomize edit` for each of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.deploy.deployers import flux, sync
from tests.engine.test_deployed import TRAIN
from tests.engine.test_fleet import state_of
from tests.engine.test_quotas import QUOTA
from tests.engine.worlds import by_rule, lint, write

from trainlint.finding import Location

pytestmark = pytest.mark.needs("kustomize")

APPS = {
    "apps/kustomization.yaml": "resources: [train.yaml, quota.yaml]\n",
    "apps/train.yaml": TRAIN,
    "apps/quota.yaml": QUOTA,
}

LESS = """
    - target: {kind: ResourceQuota}
      patch: |
        - op: replace
          path: /spec/hard/requests.nvidia.com~1gpu
          value: "8"
"""


def of_flux(extra: str) -> dict[str, str]:
    return APPS | {
        "clusters/c/flux-system/gotk-sync.yaml": sync("clusters/c"),
        "clusters/c/apps.yaml": flux("apps", "apps", extra),
    }


def of_argo(kustomize: str) -> dict[str, str]:
    return APPS | {
        "clusters/c/apps.yaml": f"""apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: apps, namespace: argocd}}
spec:
  source:
    repoURL: https://git.example/team/fleet
    path: apps
    kustomize:
{kustomize}
  destination: {{server: https://kubernetes.default.svc, namespace: ml}}
"""
    }


def groups(root: Path, files: dict[str, str]) -> set[str]:
    return {each.name for each in lint(root, files).groups}


def places(found: Any) -> set[tuple[str, tuple[Any, ...]]]:
    return {(each.at.file, each.at.path) for each in found.finding.places}


def test_a_patch_of_flux_counts_and_is_where_the_finding_points(tmp_path: Path) -> None:
    only = by_rule(lint(tmp_path, of_flux(f"  patches:{LESS}")), "quota-never-admits")
    assert "16 needed, 8 allowed" in only.finding.message
    assert only.finding.severity == "error"
    patch = ("spec", "patches", 0, "patch")
    assert any(file == "clusters/c/apps.yaml" and path[:4] == patch for file, path in places(only))


def test_a_patch_of_argo_counts_and_is_where_the_finding_points(tmp_path: Path) -> None:
    patches = f"      patches:{LESS}".replace("\n    ", "\n        ")
    only = by_rule(lint(tmp_path, of_argo(patches)), "quota-never-admits")
    patch = ("spec", "source", "kustomize", "patches", 0, "patch")
    assert any(file == "clusters/c/apps.yaml" and path[:6] == patch for file, path in places(only))


def test_a_patch_in_a_file_of_the_directory_is_followed(tmp_path: Path) -> None:
    more = TRAIN.replace("replicas: 2", "replicas: 3")
    files = of_argo("      patches: [{path: more.yaml}]") | {"apps/more.yaml": more}
    assert "24 needed, 16 allowed" in by_rule(lint(tmp_path, files), "quota-never-admits").finding.message


def test_without_a_patch_two_pods_fit(tmp_path: Path) -> None:
    assert [each.finding.rule for each in lint(tmp_path, of_flux("")).findings] == []


@pytest.mark.parametrize(
    ("extra", "name"),
    [
        ("  namePrefix: a-\n", "ml/a-train"),
        ("  nameSuffix: -z\n", "ml/train-z"),
        ("  namePrefix: a-\n  targetNamespace: other\n", "other/a-train"),
        ("  components: [../component]\n", "ml/c-train"),
    ],
)
def test_names_and_components_of_flux_are_those_of_the_objects(tmp_path: Path, extra: str, name: str) -> None:
    component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: c-\n"
    assert groups(tmp_path, of_flux(extra) | {"component/kustomization.yaml": component}) == {name}


@pytest.mark.parametrize(
    ("kustomize", "name"),
    [
        ("      namePrefix: a-", "ml/a-train"),
        ("      nameSuffix: -z\n      namespace: other", "other/train-z"),
        ("      commonLabels: {team: x}\n      namePrefix: a-", "ml/a-train"),
        ("      commonLabels: {team: x}\n      labelWithoutSelector: true\n      namePrefix: a-", "ml/a-train"),
        ("      images: ['registry.example/train=registry.example/other:2']\n      namePrefix: a-", "ml/a-train"),
    ],
)
def test_names_of_argo_are_those_of_the_objects(tmp_path: Path, kustomize: str, name: str) -> None:
    result = lint(tmp_path, of_argo(kustomize))
    assert {each.name for each in result.groups} == {name}
    assert [each.finding.rule for each in result.findings] == []


def test_two_clusters_may_change_one_directory_each_in_its_own_way(tmp_path: Path) -> None:
    files = dict(APPS)
    for name, extra in (("east", f"  patches:{LESS}"), ("west", "")):
        files[f"clusters/{name}/flux-system/gotk-sync.yaml"] = sync(f"clusters/{name}")
        files[f"clusters/{name}/apps.yaml"] = flux("apps", "apps", extra)
    result = lint(tmp_path, files)
    assert by_rule(result, "quota-never-admits").finding.snapshots == ("east",)
    assert {(each.name, each.snapshot) for each in result.groups} == {("ml/train", "east"), ("ml/train", "west")}
    assert "duplicate-object" not in {each.finding.rule for each in result.findings}


def test_a_patch_that_reaches_nothing_does_not_build_and_nothing_is_judged(tmp_path: Path) -> None:
    patch = json.dumps("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: none}\n")
    lost = f"  patches: [{{patch: {patch}}}]\n"
    few = {"apps/quota.yaml": QUOTA.replace('"16"', '"8"')}
    assert by_rule(lint(tmp_path / "without", of_flux("") | few), "quota-never-admits").finding.severity == "error"
    result = lint(tmp_path / "with", of_flux(lost) | few)
    assert [each.finding.rule for each in result.findings] == ["path-does-not-build"]
    assert (
        "no matches for Id" in result.findings[0].finding.message or "no resource" in result.findings[0].finding.message
    )


@pytest.mark.parametrize("path", ["/etc/hosts", "../../../../../../etc/hosts"])
def test_a_deployer_reads_nothing_outside_of_the_repository(tmp_path: Path, path: str) -> None:
    result = lint(tmp_path / "w", of_argo(f"      patches: [{{path: {path}}}]"))
    assert any("leads out of the repository" in each.missing for each in result.unknowns)


def test_a_component_from_elsewhere_is_not_fetched(tmp_path: Path) -> None:
    result = lint(tmp_path, of_argo("      components: ['https://example.com/team/x']"))
    assert any("is elsewhere" in each.missing for each in result.unknowns)


def test_without_a_renderer_it_stays_unknown(tmp_path: Path) -> None:
    configuration = {"trainlint.yaml": "render: {kustomize: never}\n"}
    result = lint(tmp_path, of_flux(f"  patches:{LESS}") | configuration)
    assert all(each.finding.severity == "note" for each in result.findings)


def test_a_deployer_that_is_rendered_itself_is_named_where_it_was_written(tmp_path: Path) -> None:
    files = of_flux(f"  patches:{LESS}")
    files["clusters/c/kustomization.yaml"] = (
        "resources: [flux-system/gotk-sync.yaml, apps.yaml]\nlabels: [{pairs: {a: b}}]\n"
    )
    only = by_rule(lint(tmp_path, files), "quota-never-admits")
    assert any(file == "clusters/c/apps.yaml" and path[:2] == ("spec", "patches") for file, path in places(only))


def test_a_prefix_of_flux_is_where_the_name_points(tmp_path: Path) -> None:
    files = of_flux("  namePrefix: a-\n")
    state = state_of(write(tmp_path, files))
    (made,) = (each for each in state.repository.objects if each.meta.name == "a-train")
    assert made.field.document.at(("metadata", "name")) == Location("clusters/c/apps.yaml", 0, ("spec", "namePrefix"))
