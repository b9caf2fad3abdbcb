"""``trainlint explain`` on the lab, against files that were read sentence by sentence, and for programs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from trainlint.cli.main import cli
from trainlint_schemas import schema

LAB = Path(__file__).parent
GOLDEN = LAB.parent / "report" / "golden"
GROUP = "vision/coordinator+workers"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lab by itself, outside of any Git repository."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    root = tmp_path / "lab"
    for part in ("before", "affinity", "after", "cluster"):
        shutil.copytree(LAB / part, root / part)
    monkeypatch.chdir(root)
    return root


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["explain", "--no-cache", *arguments], prog_name="trainlint")


def text(*arguments: str) -> str:
    outcome = explain(*arguments)
    assert outcome.exit_code == 0, outcome.output
    assert all(len(line) <= 80 for line in outcome.stdout.splitlines()), outcome.stdout
    return outcome.stdout


def data(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text_of_json(*arguments))
    Draft202012Validator(schema("explain")).validate(found)
    return found


def text_of_json(*arguments: str) -> str:
    outcome = explain("--output", "json", *arguments)
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def identity(rule: str) -> str:
    outcome = CliRunner().invoke(cli, ["check", "--no-cache", "--output", "json"], prog_name="trainlint")
    found = [each["id"] for each in json.loads(outcome.stdout)["findings"] if each["rule"] == rule]
    return str(found[0])


@pytest.mark.parametrize("state", ["before", "affinity", "after"])
def test_the_proof_of_each_state_is_what_the_golden_file_says(lab: Path, state: str) -> None:
    assert text(GROUP, "--snapshot", state) == (GOLDEN / f"explain-{state}.txt").read_text(encoding="utf-8")


def test_a_finding_is_explained_by_the_beginning_of_its_id(lab: Path) -> None:
    shown = text(identity("no-viable-zone")[:6])
    assert shown.startswith("error[no-viable-zone]")
    assert f"{GROUP} (Job) in before: exists refuted" in shown
    assert "in after" not in shown


def test_the_name_alone_is_enough_and_every_state_is_told(lab: Path) -> None:
    shown = text("coordinator+workers")
    assert [name for name in ("before", "affinity", "after") if f"(Job) in {name}:" in shown] == [
        "before",
        "affinity",
        "after",
    ]


def test_an_unknown_name_lists_the_groups_and_the_findings(lab: Path) -> None:
    outcome = explain("vision/coordinator+worker")
    assert outcome.exit_code == 2
    assert f"did you mean '{GROUP}'?" in outcome.output
    assert identity("no-viable-zone") in outcome.output


def test_a_beginning_that_several_findings_share_lists_them(lab: Path) -> None:
    outcome = explain("")
    assert outcome.exit_code == 2
    identities = [identity("no-viable-zone"), identity("flow-denied")]
    common = next((i for i in "0123456789abcdef" if sum(each.startswith(i) for each in identities) == 2), None)
    assert common is None or "may be any of" in explain(common).output


def test_an_unknown_snapshot_names_those_that_there_are(lab: Path) -> None:
    outcome = explain(GROUP, "--snapshot", "later")
    assert outcome.exit_code == 2
    assert "there is no snapshot 'later'; there are: affinity, after, before" in outcome.output


def test_programs_get_every_place_with_its_source(lab: Path) -> None:
    (group,) = data(GROUP, "--snapshot", "before")["groups"]
    assert (group["exists"], group["for_all"], group["snapshots"]) == ("refuted", "refuted", ["before"])
    forced = next(step for step in group["steps"] if step["title"] == "What forces it")
    sources = [
        place["source"][0].strip()
        for cause in forced["statements"]
        for each in cause["below"]
        for place in each["places"]
    ]
    assert "nodeSelector: {accelerator: a100}" in sources
    assert sources.count("taints: [{key: dedicated, value: gpu, effect: NoSchedule}]") == 2


def test_programs_get_the_finding_too(lab: Path) -> None:
    found = data(identity("flow-denied"))
    assert [each["rule"] for each in found["findings"]] == ["flow-denied"]
    assert [each["name"] for each in found["groups"]] == [GROUP]


def test_a_finding_about_no_group_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    root = tmp_path / "repository"
    root.mkdir()
    (root / "twice.yaml").write_text("kind: Service\napiVersion: v1\nkind: Service\nmetadata: {name: a}\n")
    monkeypatch.chdir(root)
    assert "this finding is about no group" in text(identity("duplicate-key"))
