"""To install a renderer is advised where none was found, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import by_rule, lint

from trainlint.source.rendering_hint import rendering_hint

FILES = {
    "base/kustomization.yaml": "resources: [job.yaml]\nnamePrefix: x-\n",
    "base/job.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: ml}\n"
    "spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: 'a:1'}]}}}\n",
    "broken/kustomization.yaml": "resources: [job.yaml]\n"
    "patches: [{target: {kind: Job}, patch: '[{op: remove, path: /a/b}]'}]\n",
    "broken/job.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: k, namespace: ml}\n"
    "spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: 'a:1'}]}}}\n",
}


@pytest.mark.parametrize("engine", ["helm", "kustomize"])
def test_to_install_one_helps_where_none_was_found(engine: str) -> None:
    assert "install" in rendering_hint(engine, "x", missing=True)
    assert "install" not in rendering_hint(engine, "x", missing=False)
    assert "| trainlint check -" in rendering_hint(engine, "x", missing=False)


def test_a_world_without_a_renderer(tmp_path: Path, no_renderer: None) -> None:
    result = lint(tmp_path, {name: text for name, text in FILES.items() if name.startswith("base")})
    assert "install kustomize" in by_rule(result, "unrendered-template").finding.remedy
    assert any("install kustomize" in each.remedy for each in result.unknowns)


@pytest.mark.needs("kustomize")
def test_a_world_with_a_renderer_that_fails_on_one_kustomization(tmp_path: Path) -> None:
    result = lint(tmp_path, FILES)
    said = [each.finding.remedy for each in result.findings] + [each.remedy for each in result.unknowns]
    assert said
    assert not any("install" in each for each in said)
