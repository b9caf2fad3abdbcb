"""``trainlint config``: the settings in force and where each comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from trainlint.cli.main import cli

FILE = """\
clusters:
  - name: lab
    kubernetes: "1.36"
    cni:
      name: cilium
      version: "1.18.5"
      options: {enable-host-firewall: true}
groups:
  ml/train: {cross_zone: allowed}
rules:
  ignore: [split-across-zones]
  severity: {flow-denied: warning, untolerated-taint: off}
ignore:
  - {paths: [old/], rules: [policy], reason: moves}
fail_on: warning
"""
POLICY = """\
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: all, namespace: ml}
spec: {endpointSelector: {}, ingress: [{}]}
"""


@pytest.fixture(autouse=True)
def _world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["config", *arguments], prog_name="trainlint")


def settings(*arguments: str) -> dict[str, tuple[object, str, str]]:
    outcome = run("--output", "json", *arguments)
    assert outcome.exit_code == 0, outcome.output
    return {each["name"]: (each["value"], each["origin"], each["detail"]) for each in json.loads(outcome.stdout)}


def test_without_a_file_everything_is_a_default() -> None:
    found = settings()
    assert found["configuration"] == ("none", "default", "there is no trainlint.yaml")
    assert {origin for _, origin, _ in found.values()} == {"default"}
    assert found["fail_on"][0] == "error"
    assert found["rules.select"][0] == "all"


def test_what_the_file_says_has_its_line() -> None:
    Path("trainlint.yaml").write_text(FILE)
    found = settings()
    assert found["clusters.lab.kubernetes"] == ("1.36", "file", "trainlint.yaml:3")
    assert found["clusters.lab.profile"] == ("generic", "default", "")
    assert found["clusters.lab.cni.name"] == ("cilium", "file", "trainlint.yaml:5")
    assert found["clusters.lab.cni.version"] == ("1.18.5", "file", "trainlint.yaml:6")
    assert found["clusters.lab.cni.options.enable-host-firewall"] == ("true", "file", "trainlint.yaml:7")
    assert found["groups.ml/train.cross_zone"] == ("allowed", "file", "trainlint.yaml:9")
    assert found["rules.ignore"] == (["split-across-zones"], "file", "trainlint.yaml:11")
    assert found["rules.severity.flow-denied"] == ("warning", "file", "trainlint.yaml:12")
    assert found["rules.severity.untolerated-taint"] == ("off", "file", "trainlint.yaml:12")
    assert found["ignore.0"] == (["policy", "in", "old/"], "file", "trainlint.yaml:14")
    assert found["fail_on"] == ("warning", "file", "trainlint.yaml:15")
    assert found["require_reason"] == (False, "default", "")


def test_options_win_over_the_file() -> None:
    Path("trainlint.yaml").write_text(FILE)
    found = settings("--fail-on", "note", "--require-reason", "--select", "policy")
    assert found["fail_on"] == ("note", "option", "--fail-on")
    assert found["require_reason"] == (True, "option", "--require-reason")
    assert found["rules.select"] == (["policy"], "option", "--select")


def test_what_the_repository_tells_is_marked() -> None:
    Path("policy.yaml").write_text(POLICY)
    found = settings()
    assert found["cluster.cni.name"] == ("cilium", "repository", "its Cilium policies")
    assert found["cluster.cni.version"][1] == "default"


def test_a_file_that_is_named_is_an_option() -> None:
    Path("other.yaml").write_text("fail_on: note\n")
    found = settings("--config", "other.yaml")
    assert found["configuration"] == ("other.yaml", "option", "--config")
    assert found["fail_on"] == ("note", "file", "other.yaml:1")


def test_people_see_one_setting_a_line_within_80_columns() -> None:
    Path("trainlint.yaml").write_text(FILE)
    lines = run().stdout.splitlines()
    assert "fail_on: warning  # file: trainlint.yaml:15" in lines
    assert all(len(line) <= 80 for line in lines)


def test_markdown_is_a_table() -> None:
    lines = run("--output", "markdown").stdout.splitlines()
    assert lines[:2] == ["| setting | value | from |", "| --- | --- | --- |"]
    assert "| `fail_on` | `error` | `default` |" in lines


def test_a_wrong_file_is_wrong_usage_with_a_line_for_each_mistake() -> None:
    Path("trainlint.yaml").write_text("fail_on: warn\nclustrs: []\n")
    outcome = run()
    assert outcome.exit_code == 2
    places = sorted(line.partition(": configuration")[0] for line in outcome.stderr.splitlines())
    assert places == ["trainlint: trainlint.yaml:1:1", "trainlint: trainlint.yaml:2:1"]


def test_a_report_can_go_to_a_file_besides() -> None:
    outcome = run("--output", "json=settings.json")
    assert json.loads(Path("settings.json").read_text())[0]["name"] == "configuration"
    assert outcome.stdout.startswith("configuration: none")
