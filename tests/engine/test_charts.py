"""Charts in a repository: what is found in them, at which lines, and what is said where nothing renders them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import by_rule, found, lint, write
from tests.source.charts import CHART, JOB, TRAIN
from tests.source.repositories import commit, repository

needs_helm = pytest.mark.needs("helm")

HALF = """\
# what training needs
workers: 4
image: {repository: registry.example/train, tag: v1}
resources:
  limits:
    nvidia.com/gpu: 0.5
"""
BROKEN = {**TRAIN, "charts/train/values.yaml": HALF}
"""Half a GPU: the API server takes whole numbers of extended resources only (S 1.3)."""


@needs_helm
def test_a_finding_points_at_the_value_to_change(tmp_path: Path) -> None:
    result = lint(tmp_path, BROKEN)
    placed = by_rule(result, "invalid-extended-resource")
    assert (placed.finding.at.file, placed.span.line) == ("charts/train/values.yaml", 4)
    assert placed.lines == ("resources:",)
    assert "train" in placed.finding.message


@needs_helm
def test_a_finding_in_a_template_points_at_its_line(tmp_path: Path) -> None:
    written = JOB.replace("{{- toYaml .Values.resources | nindent 12 }}", "limits:\n              nvidia.com/gpu: 0.5")
    placed = by_rule(lint(tmp_path, {**TRAIN, "charts/train/templates/job.yaml": written}), "invalid-extended-resource")
    assert (placed.finding.at.file, placed.span.line) == ("charts/train/templates/job.yaml", 14)
    assert placed.lines == ("          resources:",)


@needs_helm
def test_a_key_that_is_wrong_stands_in_the_template_although_its_value_does_not(tmp_path: Path) -> None:
    written = JOB.replace("  parallelism:", "  paralelism:")
    files = {**TRAIN, "charts/train/templates/job.yaml": written}
    placed = by_rule(lint(tmp_path, files, ignore=frozenset({"fabric"})), "misplaced-field")
    assert (placed.finding.at.file, placed.span.line) == ("charts/train/templates/job.yaml", 7)
    assert placed.lines == ("  paralelism: {{ .Values.workers }}",)


@needs_helm
def test_values_files_beside_a_chart_are_snapshots_of_their_own(tmp_path: Path) -> None:
    result = lint(
        tmp_path, {**TRAIN, "charts/train/values-prod.yaml": "workers: 8\nresources:\n  limits:\n    x.io/gpu: 0.1\n"}
    )
    assert [each.name for each in result.snapshots] == ["charts/train/Chart.yaml", "charts/train/values-prod.yaml"]
    assert "installed with one of its values files at a time" in result.snapshots[0].why
    placed = by_rule(result, "invalid-extended-resource")
    assert (placed.finding.at.file, placed.span.line) == ("charts/train/templates/job.yaml", 14)
    assert placed.finding.snapshots == ("charts/train/values-prod.yaml",)


@needs_helm
def test_what_was_rendered_is_no_template_any_more_and_says_what_was_assumed(tmp_path: Path) -> None:
    result = lint(tmp_path, TRAIN)
    assert (found(result), result.unknowns) == ([], ())
    assert result.analysed
    assert any("charts that no deployer installs" in each for each in result.assumptions)


@needs_helm
def test_objects_outside_a_chart_meet_those_that_it_makes(tmp_path: Path) -> None:
    job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, namespace: default}\nspec:\n  parallelism: 1\n"
    result = lint(tmp_path, {**TRAIN, "jobs/train.yaml": job + "  template: {spec: {restartPolicy: Never}}\n"})
    assert len(result.snapshots) == 2  # one name, defined differently: alternatives


@needs_helm
@pytest.mark.parametrize("place", ["values", "template"])
def test_a_comment_suppresses_in_a_values_file_and_in_a_template(tmp_path: Path, place: str) -> None:
    comment = "# trainlint: ignore[invalid-extended-resource] the webhook sets the limit"
    files = dict(BROKEN)
    if place == "values":
        files["charts/train/values.yaml"] = HALF.replace("resources:", f"resources:  {comment}")
    else:
        written = JOB.replace("{{- toYaml .Values.resources | nindent 12 }}", "limits:\n              a.io/b: 0.1")
        written = written.replace("resources:", f"resources:  {comment}")
        files["charts/train/templates/job.yaml"] = written
    result = lint(tmp_path, files)
    assert found(result) == []
    assert [each.reason for each in result.suppressed] == ["the webhook sets the limit"]


@needs_helm
def test_a_chart_that_does_not_render_says_why_at_the_line_of_the_template(tmp_path: Path) -> None:
    template = JOB.replace("{{ .Values.workers }}", '{{ required "how many workers?" .Values.workers }}')
    files = {**TRAIN, "charts/train/templates/job.yaml": template, "charts/train/values.yaml": "image: {}\n"}
    result = lint(tmp_path, files)
    (unknown,) = result.unknowns
    assert (unknown.file, unknown.line) == ("charts/train/templates/job.yaml", 7)
    assert unknown.missing.endswith("how many workers?")
    note = by_rule(result, "unrendered-template")
    assert (note.finding.at.file, note.span.line) == ("charts/train/templates/job.yaml", 7)
    assert "how many workers?" in note.finding.message


@needs_helm
def test_the_configuration_may_leave_charts_alone(tmp_path: Path) -> None:
    result = lint(tmp_path, {**BROKEN, "trainlint.yaml": "render:\n  helm: never\n"})
    assert [rule for rule, _ in found(result)] == ["unrendered-template"]


@pytest.mark.usefixtures("no_renderer")
def test_without_a_renderer_templates_are_unknown_and_the_extra_is_named(tmp_path: Path) -> None:
    result = lint(tmp_path, BROKEN)
    assert [rule for rule, _ in found(result)] == ["unrendered-template"]
    (unknown,) = result.unknowns
    assert "trainlint[helm]" in unknown.remedy
    assert "trainlint[helm]" in by_rule(result, "unrendered-template").finding.remedy


@needs_helm
@pytest.mark.needs("git")
def test_a_change_of_a_value_brings_in_what_it_breaks(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", dict(TRAIN))
    write(root, {"charts/train/values.yaml": HALF})
    result = lint(root, base="HEAD")
    assert found(result) == [("invalid-extended-resource", "charts/train/values.yaml:4")]
    assert result.comparison is not None
    commit(root)
    unchanged = lint(root, {"charts/train/values.yaml": f"\n{HALF}"}, base="HEAD")
    assert found(unchanged) == []
    assert unchanged.comparison is not None
    assert unchanged.comparison.unchanged == 1


@needs_helm
@pytest.mark.needs("git")
def test_a_change_of_a_helper_alone_brings_in_what_it_breaks(tmp_path: Path) -> None:
    template = JOB.replace("{{- toYaml .Values.resources | nindent 12 }}", '{{- include "gpus" . | nindent 12 }}')
    helper = '{{ define "gpus" }}limits: {nvidia.com/gpu: %s}{{ end }}'
    files = {**TRAIN, "charts/train/templates/job.yaml": template, "charts/train/templates/_gpus.tpl": helper % 8}
    root = repository(tmp_path / "r", files)
    result = lint(root, {"charts/train/templates/_gpus.tpl": helper % 0.5}, base="HEAD")
    assert found(result) == [("invalid-extended-resource", "charts/train/templates/job.yaml:14")]


@needs_helm
def test_a_second_run_starts_no_helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINLINT_CACHE_DIR", str(tmp_path / "cache"))
    root = write(tmp_path / "r", BROKEN)
    first = found(lint(root, cache=True))

    def refuse(*_: object) -> None:
        raise AssertionError("it was started")

    monkeypatch.setattr("trainlint.source.helm.renderer.Worker._start", refuse)
    assert found(lint(root, cache=True)) == first != []


@needs_helm
def test_a_chart_that_is_not_installed_may_bring_what_is_missing(tmp_path: Path) -> None:
    claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default}\nspec:\n"
        "  containers: [{name: c, image: i}]\n"
        "  volumes: [{name: v, persistentVolumeClaim: {claimName: other}}]\n"
    )
    files = {"c/Chart.yaml": CHART.format("c"), "c/templates/claim.yaml": claim, "pod.yaml": pod}
    assert found(lint(tmp_path, files)) == []


SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: train, namespace: argocd}
spec:
  generators: [{list: {elements: [{cluster: east}, {cluster: west}]}}]
  template:
    metadata: {name: "train-{{cluster}}"}
    spec:
      source: {repoURL: "https://git.example/team/ml", path: charts/train, helm: {valuesObject: {workers: 2}}}
      destination: {name: "{{cluster}}", namespace: ml}
"""

APPLICATION = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {0}, namespace: argocd}}
spec:
  source: {{repoURL: https://git.example/team/fleet, path: charts/train, targetRevision: {1}}}
  destination: {{server: https://kubernetes.default.svc, namespace: ml}}
"""


@needs_helm
def test_a_chart_in_two_clusters_defines_nothing_twice(tmp_path: Path) -> None:
    result = lint(tmp_path, {**TRAIN, "sets/train.yaml": SET})
    assert {each.name for each in result.snapshots} == {"east", "west"}
    assert found(result) == []


@needs_helm
def test_two_sets_of_values_from_one_place_are_two_releases(tmp_path: Path) -> None:
    written = SET.replace("cluster: east", "cluster: east, workers: '2'").replace("west", "west, workers: '3'")
    result = lint(tmp_path, {**TRAIN, "sets/train.yaml": written.replace("workers: 2", 'workers: "{{workers}}"')})
    assert {each.name for each in result.snapshots} == {"east", "west"}
    assert found(result) == []


@needs_helm
def test_a_chart_that_one_application_installs_in_two_clusters_is_no_duplicate_of_itself(tmp_path: Path) -> None:
    # one.yaml and two.yaml cannot stand in one cluster, so there are two, and shared.yaml is in both of them
    files = {
        "apps/one.yaml": APPLICATION.format("either", "main"),
        "apps/two.yaml": APPLICATION.format("either", "next"),
        "apps/shared.yaml": APPLICATION.format("shared", "main"),
    }
    result = lint(tmp_path, {**TRAIN, **files})
    assert [each.documents for each in result.snapshots] == [
        4,
        4,
    ]  # two Applications, and what the chart makes for each
    assert "duplicate-object" not in {each.finding.rule for each in result.findings}


@needs_helm
def test_a_chart_that_fails_is_told_once_with_its_parts_and_without_advice_to_install_helm(tmp_path: Path) -> None:
    part = "charts/train/charts/part"
    needs = 'metadata: {name: {{ required "say a name" .Values.title }}}'
    files = {
        **TRAIN,
        "charts/train/templates/map.yaml": f"apiVersion: v1\nkind: Service\n{needs}\n",
        f"{part}/Chart.yaml": CHART.format("part"),
        f"{part}/templates/b.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}-b}\n",
    }
    result = lint(tmp_path, files)
    note = by_rule(result, "unrendered-template")
    assert note.finding.at.file == "charts/train/templates/map.yaml"
    (unknown,) = result.unknowns
    assert unknown.subject == "chart charts/train"
    assert "trainlint[helm]" not in unknown.remedy
