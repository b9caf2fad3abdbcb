"""`trainlint init` and `trainlint config` name the clusters that deployers make."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.deploy.deployers import flux, job, sync
from tests.engine.worlds import write

from trainlint.cli.main import cli
from trainlint.config.load import configuration_document, load_configuration

FILES = {
    "clusters/east/flux-system/gotk-sync.yaml": sync("clusters/east"),
    "clusters/east/a.yaml": flux("a", "apps"),
    "clusters/no/flux-system/gotk-sync.yaml": sync("clusters/no"),
    "clusters/no/a.yaml": flux("a", "apps"),
    "apps/job.yaml": job(namespace="ml"),
}


def test_init_writes_an_entry_for_each_and_the_schema_first(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    result = CliRunner().invoke(cli, ["init", str(tmp_path)])
    assert result.exit_code == 0
    assert "clusters: east, no" in result.output
    text = (tmp_path / "trainlint.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=")
    settings = load_configuration(configuration_document("trainlint.yaml", text.encode())).settings
    assert {each.cluster for each in settings} == {"east", "no"}  # a name that YAML reads as false is quoted


def test_config_shows_what_is_stated_of_a_cluster_and_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stated = "clusters:\n  - name: east\n    namespace: research\n    closed: [PriorityClass]\n"
    write(tmp_path, {**FILES, "trainlint.yaml": stated})
    monkeypatch.chdir(tmp_path)
    lines = CliRunner().invoke(cli, ["config"]).output.splitlines()
    assert "clusters.east.namespace: research  # file: trainlint.yaml:3" in lines
    assert "clusters.east.closed: PriorityClass  # file: trainlint.yaml:4" in lines
    assert any(line.startswith("clusters.no.kubernetes: ") for line in lines)
