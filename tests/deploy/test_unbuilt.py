"""Paths of deployers that do not build: nothing of them is applied, and nothing is judged from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.deploy.deployers import flux, job, sync
from tests.source.repositories import write

from trainlint.engine import check
from trainlint.finding import Severity
from trainlint.result import Placed, Result

URL = "https://git.example/team/fleet"
ROOT = {"clusters/c/s.yaml": sync("clusters/c", URL)}
MOVED = """{target: {kind: NetworkPolicy}, patch: '[{"op": "add", "path": "/metadata/namespace", "value": "ml"}]'}"""
POLICY = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p}\nspec: {podSelector: {}}\n"


def lint(root: Path, files: dict[str, str]) -> Result:
    write(root, files)
    return check([root])


def faults(result: Result) -> list[Placed]:
    return [each for each in result.findings if each.finding.rule == "path-does-not-build"]


def told(result: Result) -> list[tuple[str, int, Severity]]:
    return [(each.finding.at.file, each.span.line, each.finding.severity or Severity.ERROR) for each in faults(result)]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ("resources:\n- job.yaml\n- gone.yaml\n", 4),
        ("resources:\n- job.yaml\n- empty\n", 4),
        ("resources: [job.yaml]\npatches:\n- path: gone.yaml\n", 4),
        ("resources: [job.yaml]\ncomponents:\n- ../gone\n", 4),
        ("resources: [job.yaml]\nconfigMapGenerator:\n- {name: c, files: [gone.sh]}\n", 4),
    ],
)
def test_a_file_that_is_missing_is_told_where_it_is_named(
    tmp_path: Path, no_renderer: None, fields: str, line: int
) -> None:
    files = {"app/kustomization.yaml": f"namespace: ml\n{fields}", "app/job.yaml": job(), "app/empty/readme.json": "{}"}
    assert told(lint(tmp_path, files)) == [("app/kustomization.yaml", line, Severity.ERROR)]


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("https://example.com/o/r//d?ref=v1", {}),
        ("${CLUSTER}.yaml", {}),
        ("made.yaml", {".gitignore": "made.yaml\n"}),
        ("out/made.yaml", {"app/.gitignore": "/out/\n"}),
        (
            "modules/one/app",
            {".gitmodules": '[submodule "x"]\n\tpath = app/modules/one\n\turl = https://example.com/x\n'},
        ),
    ],
)
def test_what_comes_from_elsewhere_is_no_fault(tmp_path: Path, name: str, more: dict[str, str]) -> None:
    files = {"app/kustomization.yaml": f"resources: ['{name}', job.yaml]\n", "app/job.yaml": job(), **more}
    assert faults(lint(tmp_path, files)) == []


def test_several_files_that_one_kustomization_misses_are_one_finding(tmp_path: Path) -> None:
    (only,) = faults(lint(tmp_path, {"kustomization.yaml": "resources:\n- a.yaml\n- b.yaml\n- c.yaml\n"}))
    assert (only.span.line, [each.span.line for each in only.related]) == (2, [3, 4])


def test_what_no_deployer_names_is_a_note_where_deployers_say_what_is_deployed(tmp_path: Path) -> None:
    files = ROOT | {
        "clusters/c/a.yaml": flux("a", "apps", "  targetNamespace: ml\n"),
        "apps/kustomization.yaml": "resources: [one]\n",
        "apps/one/kustomization.yaml": "resources: [job.yaml]\n",
        "apps/one/job.yaml": job(),
        "apps/two/kustomization.yaml": "resources: [gone.yaml]\n",
    }
    assert told(lint(tmp_path, files)) == [("apps/two/kustomization.yaml", 1, Severity.NOTE)]


def test_a_deployer_above_is_told_with_the_fault_below(tmp_path: Path) -> None:
    files = ROOT | {
        "clusters/c/a.yaml": flux("a", "apps", "  targetNamespace: ml\n"),
        "apps/one/kustomization.yaml": "resources: [gone.yaml]\n",  # apps has none: Flux writes one
        "apps/two/job.yaml": job(),
    }
    result = lint(tmp_path, files)
    (only,) = faults(result)
    assert only.finding.severity is Severity.ERROR
    assert "Kustomization flux-system/a" in only.finding.message
    assert result.groups == ()


@pytest.mark.parametrize(
    ("files", "count"),
    [
        ({"a/kustomization.yaml": "resources: [p.yaml]\n"}, 1),
        ({}, 1),  # without a kustomization
        ({"a/kustomization.yaml": "namespace: ml\nresources: [p.yaml]\n"}, 0),
        ({"a/kustomization.yaml": "resources: [p.yaml]\ncomponents: [../c]\n"}, 0),
        ({"a/kustomization.yaml": f"resources: [p.yaml]\npatches: [{MOVED}]\n"}, 0),
        ({"a/kustomization.yaml": "resources: [p.yaml]\nconfigMapGenerator: [{name: c, literals: [a=b]}]\n"}, 1),
    ],
)
def test_objects_without_a_namespace(tmp_path: Path, files: dict[str, str], count: int) -> None:
    component = "kind: Component\nnamespace: ml\n"
    base = ROOT | {"clusters/c/a.yaml": flux("a", "a"), "a/p.yaml": POLICY, "c/kustomization.yaml": component}
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n"
    found = faults(lint(tmp_path, base | {"a/n.yaml": namespace} | files))
    assert [each.finding.at.file for each in found] == ["a/p.yaml"] * count


def test_argo_cd_gives_the_namespace_of_the_destination(tmp_path: Path) -> None:
    application = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\nspec:\n"
        f"  source: {{repoURL: '{URL}', path: a}}\n  destination: {{namespace: ml}}\n"
    )
    assert faults(lint(tmp_path, {"app.yaml": application, "a/p.yaml": POLICY})) == []


@pytest.mark.needs("kustomize")
def test_what_kustomize_refuses_of_a_deployed_path_is_an_error_and_is_not_judged(tmp_path: Path) -> None:
    patch = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: other}\nspec: {parallelism: 3}\n"
    files = ROOT | {
        "clusters/c/a.yaml": flux("a", "a", "  targetNamespace: ml\n"),
        "a/kustomization.yaml": "resources: [job.yaml]\npatches: [{path: patch.yaml}]\n",
        "a/job.yaml": job(),
        "a/patch.yaml": patch,
    }
    (only,) = faults(lint(tmp_path, files))
    assert only.finding.at.file == "a/kustomization.yaml"
    assert "no resource matches" in only.finding.message


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_kustomize_tells_the_versions_of_an_api_apart(tmp_path: Path, no_renderer: None, version: str) -> None:
    other = POLICY.replace("networking.k8s.io/v1", f"networking.k8s.io/{version}")
    files = {"kustomization.yaml": "resources: [a.yaml, b.yaml]\n", "a.yaml": POLICY, "b.yaml": other}
    rules = {each.finding.rule for each in lint(tmp_path, files).findings}
    assert rules >= ({"path-does-not-build"} if version == "v1" else {"duplicate-object"})
    assert len(rules & {"path-does-not-build", "duplicate-object"}) == 1


def test_an_object_twice_in_a_file_of_a_kustomization_is_one_finding(tmp_path: Path) -> None:
    files = {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": f"{POLICY}---\n{POLICY}"}
    assert [each.finding.rule for each in lint(tmp_path, files).findings] == ["path-does-not-build"]


def depends(on: str) -> dict[str, str]:
    """Two Kustomizations of Flux, of which the second waits for ``on``."""
    return ROOT | {
        "clusters/c/a.yaml": flux("train-config", "a", "  targetNamespace: ml\n"),
        "clusters/c/b.yaml": flux("train", "b", f"  targetNamespace: ml\n  dependsOn: [{on}]\n"),
        "a/p.yaml": POLICY,
        "b/job.yaml": job(),
    }


@pytest.mark.parametrize(
    ("on", "near"),
    [
        ("{name: train-conf}", "train-config"),
        ("{name: other}", "none"),
        ("{name: train-config, namespace: elsewhere}", "none"),
        ("{name: train-config}", None),
        ("{name: '${X}'}", None),
    ],
)
def test_what_a_kustomization_waits_for_and_nothing_brings(tmp_path: Path, on: str, near: str | None) -> None:
    found = [each for each in lint(tmp_path, depends(on)).findings if each.finding.rule == "dangling-reference"]
    assert [each.finding.evidence["nearest name"] for each in found] == ([] if near is None else [near])
    assert all(each.finding.at.file == "clusters/c/b.yaml" and each.finding.certainty == "likely" for each in found)


def test_another_repository_may_bring_what_a_kustomization_waits_for(tmp_path: Path) -> None:
    more = flux("more", "elsewhere").replace("name: flux-system}", "name: other}")
    source = (
        sync("x", "https://git.example/other/things").partition("---")[0].replace("name: flux-system", "name: other")
    )
    files = depends("{name: train-conf}") | {"clusters/c/more.yaml": f"{source}---\n{more}"}
    assert "dangling-reference" not in {each.finding.rule for each in lint(tmp_path, files).findings}


@pytest.mark.parametrize(("ours", "theirs"), [(2, 1), (1, 1)])
def test_without_a_remote_the_repository_that_most_paths_fit_is_this_one(
    tmp_path: Path, ours: int, theirs: int
) -> None:
    def application(name: str, url: str) -> str:
        return (
            f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\n"
            f"spec: {{source: {{repoURL: '{url}', path: {name}}}, destination: {{namespace: {name}}}}}\n"
        )

    apps = [application(f"a{number}", "https://git.example/me/one.git") for number in range(ours)]
    apps += [application(f"b{number}", "https://git.example/me/two.git") for number in range(theirs)]
    files = {f"{name}{number}/p.yaml": POLICY for name in "ab" for number in range(2)}
    result = lint(tmp_path, files | {"apps.yaml": "---\n".join(apps)})
    unknown = {each.subject for each in result.unknowns if "come from" in each.missing}
    assert unknown == {"Application argocd/b0"} | ({"Application argocd/a0"} if ours == theirs else set())
