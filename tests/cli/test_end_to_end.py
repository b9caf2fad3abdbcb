"""The command line on real files, through the real engine and the real rules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from trainlint.cli.main import cli
from trainlint_schemas import schema

Lint = Callable[..., Result]

LABEL = "lane: east}"
TOLERATION = """      tolerations:
        - {key: reserved-for, operator: Equal, value: accelerators, effect: NoSchedule}
"""
AFFINITY_FIRST, AFFINITY_LAST = "      affinity:", "values: [east]}\n"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the bundled lab, outside of Git, as current directory."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    world = tmp_path / "lab"
    shutil.copytree(Path(str(files("trainlint.demo"))), world, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    monkeypatch.chdir(world)
    return world


def lint(*arguments: str, **options: Any) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments], prog_name="trainlint", **options)


def report(*arguments: str) -> dict[str, Any]:
    outcome = lint(*arguments, "--output", "json")
    loaded: dict[str, Any] = json.loads(outcome.stdout)
    Draft202012Validator(schema("report")).validate(loaded)
    return loaded


def only(lab: Path, state: str) -> None:
    shutil.rmtree(lab / ({"broken", "fixed"} - {state}).pop())


def rules(found: dict[str, Any]) -> list[tuple[str, str]]:
    return sorted((finding["severity"], finding["rule"]) for finding in found["findings"])


def verdicts(found: dict[str, Any]) -> list[tuple[str, str, str, list[str]]]:
    return [(each["name"], each["exists"], each["for_all"], each["viable_zones"]) for each in found["groups"]]


def test_the_broken_state_has_no_viable_zone_and_a_denied_flow_and_nothing_else(lab: Path) -> None:
    only(lab, "broken")
    found = report()
    assert rules(found) == [("error", "flow-denied"), ("error", "no-viable-zone")]
    assert verdicts(found) == [("speech/conductor+trainers", "refuted", "refuted", [])]
    places = {finding["rule"]: finding["location"] for finding in found["findings"]}
    assert {place["file"] for place in places.values()} == {"broken/training.yaml"}
    related = {(each["file"], finding["rule"]) for finding in found["findings"] for each in finding["related"]}
    assert ("cluster/pools.yaml", "no-viable-zone") in related
    assert ("cluster/lanes.yaml", "flow-denied") in related


def test_the_fixed_state_is_proved_and_nothing_is_reported(lab: Path) -> None:
    only(lab, "fixed")
    found = report()
    assert (found["findings"], found["suppressed"], found["unknowns"], found["failures"]) == ([], [], [], [])
    assert verdicts(found) == [("speech/conductor+trainers", "proved", "proved", ["east"])]
    assert lint("--strict", "--fail-on", "note").exit_code == 0


def test_both_states_together_are_two_snapshots_that_share_the_cluster(lab: Path) -> None:
    found = report()
    assert [(each["name"], each["documents"]) for each in found["snapshots"]] == [("broken", 7), ("fixed", 7)]
    assert {tuple(finding["snapshots"]) for finding in found["findings"]} == {("broken",)}
    assert [each[1:] for each in verdicts(found)] == [("refuted", "refuted", []), ("proved", "proved", ["east"])]


@pytest.mark.parametrize(
    ("change", "expected", "verdict"),
    [
        # Without the label both lanes refuse the trainers, wherever the pods land.
        (lambda text: text.replace(LABEL, "lane: west}", 1), ("error", "flow-denied"), ("refuted", "refuted")),
        # Without the toleration the conductor, bound to east, fits on no node.
        (lambda text: text.replace(TOLERATION, "", 1), ("error", "untolerated-taint"), ("refuted", "refuted")),
        # Without the affinity the scheduler may put it into west: permitted by its label, but another zone.
        (
            lambda text: text.replace(
                text[text.index(AFFINITY_FIRST) : text.index(AFFINITY_LAST) + len(AFFINITY_LAST)], ""
            ),
            ("warning", "split-across-zones"),
            ("proved", "refuted"),
        ),
    ],
    ids=["label", "toleration", "affinity"],
)
def test_each_of_the_three_changes_is_needed(
    lab: Path, change: Callable[[str], str], expected: tuple[str, str], verdict: tuple[str, str]
) -> None:
    only(lab, "fixed")
    manifest = lab / "fixed" / "training.yaml"
    text = manifest.read_text()
    changed = change(text)
    assert changed != text
    manifest.write_text(changed)
    found = report()
    assert expected in rules(found)
    assert [each[1:3] for each in verdicts(found)] == [verdict]


def test_the_demo_shows_both_states_and_ends_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", "")
    outcome = CliRunner().invoke(cli, ["demo"], prog_name="trainlint")
    assert outcome.exit_code == 0
    failing, _, rest = outcome.stdout.partition("== what fixes it ==")
    _, _, fixed = rest.partition("== the fixed state ==")
    assert "error[no-viable-zone]: " in failing
    assert "error[flow-denied]: " in failing
    assert "2 errors; 1 group: 1 cannot run" in failing
    assert "no findings; 1 group: 1 proved" in fixed


def test_exit_codes_on_real_files(lab: Path) -> None:
    assert lint().exit_code == 1
    assert lint("--select", "flow-denied").exit_code == 1
    assert lint("--select", "topology", "--ignore", "no-viable-zone").exit_code == 0
    assert lint("--ignore", "policy,topology").exit_code == 0
    assert lint("--select", "no-such-rule").exit_code == 2
    assert lint("no-such-directory").exit_code == 2


@pytest.mark.needs("bash")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_streams_that_are_closed_change_neither_verdict_nor_exit_code(lab: Path, closed: str) -> None:
    command = [sys.executable, "-m", "trainlint", "check", "--no-cache", "--output", "json=report.json"]
    ran = subprocess.run(["bash", "-c", f'exec "$@" {closed}', "bash", *command], check=False, capture_output=True)
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert json.loads(Path("report.json").read_text())["findings"]


def test_an_empty_directory_is_nothing_to_analyse(lab: Path) -> None:
    empty = lab.parent / "empty"
    empty.mkdir()
    outcome = lint(str(empty))
    assert outcome.exit_code == 0
    assert "nothing to analyse" in outcome.stdout
    assert lint(str(empty), "--strict").exit_code == 4


def test_without_an_inventory_the_group_runs_where_the_cluster_has_what_it_needs(lab: Path) -> None:
    only(lab, "fixed")
    (lab / "cluster" / "pools.yaml").unlink()
    found = report()
    assert [each[1:3] for each in verdicts(found)] == [("conditional", "conditional")]
    assert found["findings"] == []
    (group,) = found["groups"]
    assert {role["role"]: role["pods"] for role in group["needs"]["roles"]} == {
        role["name"]: role["pods"] for role in group["roles"]
    }
    assert lint("--strict").exit_code == 0
    assert "can run if the cluster has what it needs" in lint().stdout


def test_standard_input_is_a_file_like_others(lab: Path) -> None:
    broken = b"apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {b: c}\n"
    outcome = lint("-", "--output", "json", input=broken)
    found = json.loads(outcome.stdout)
    assert outcome.exit_code == 1
    assert [(each["rule"], each["location"]["file"]) for each in found["findings"]] == [("syntax-error", "<stdin>")]


def test_a_broken_manifest_gives_file_line_and_what_is_wrong(lab: Path) -> None:
    (lab / "broken.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {x: y\n")
    outcome = lint("broken.yaml")
    assert outcome.exit_code == 1
    assert "error[syntax-error]: " in outcome.stdout
    assert "--> broken.yaml:" in outcome.stdout
    assert "Traceback" not in outcome.output


def test_a_wrong_configuration_names_file_and_key(lab: Path) -> None:
    (lab / "trainlint.yaml").write_text("clustrs: []\n")
    outcome = lint()
    assert outcome.exit_code == 2
    assert "trainlint.yaml" in outcome.stderr
    assert "clustrs" in outcome.stderr
    assert "clusters" in outcome.stderr


def test_names_in_a_manifest_cannot_steer_the_terminal(lab: Path) -> None:
    manifest = lab / "broken" / "training.yaml"
    manifest.write_text(manifest.read_text().replace("name: trainers", 'name: "tr\\e[2Jainers"'))
    assert "\x1b" not in lint().output


def test_reports_name_files_relative_to_the_root_of_the_repository(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "-q", str(lab)], check=True, env=environment)
    monkeypatch.chdir(lab / "broken")
    found = report("training.yaml")
    assert {finding["location"]["file"] for finding in found["findings"]} == {"broken/training.yaml"}


def test_the_rules_have_pages(lab: Path) -> None:
    table = CliRunner().invoke(cli, ["rule"]).output
    assert "untolerated-taint" in table
    page = CliRunner().invoke(cli, ["rule", "untolerated-taint"]).output
    assert page.startswith("untolerated-taint (placement, error)\n")
    assert "  bad:\n" in page
