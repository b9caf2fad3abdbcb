"""``--base``, ``--baseline`` and ``--write-baseline`` on real repositories, through the real engine and rules."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from tests.source.repositories import commit, fingerprint, git, repository

from trainlint.cli.main import cli
from trainlint_schemas import schema

LAB = Path(__file__).parent.parent / "lab"
SELECT = ("--select", "flow-denied,no-viable-zone,spread-used-as-colocation")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lab's fixed state, committed, as current directory: two warnings (tests/lab/README.md)."""
    root = repository(tmp_path / "ä repository")
    for part in ("after", "cluster"):
        shutil.copytree(LAB / part, root / part)
    commit(root)
    monkeypatch.chdir(root)
    return root


def lint(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *SELECT, *arguments], prog_name="trainlint")


def report(*arguments: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(lint(*arguments, "--output", "json").stdout)
    Draft202012Validator(schema("report")).validate(loaded)
    return loaded


def break_policy(root: Path) -> None:
    policy = root / "cluster/zone-boundary.yaml"
    old = "- fromEndpoints: [{matchLabels: {net-zone: zone-a}}]"
    assert old in policy.read_text()
    policy.write_text(policy.read_text().replace(old, "- fromEndpoints: [{matchLabels: {net-zone: x}}]"))


def fix(root: Path) -> None:
    shutil.copy(LAB / "after/training.yaml", root / "after")
    text = (root / "after/training.yaml").read_text()
    (root / "after/training.yaml").write_text(
        text.replace("whenUnsatisfiable: DoNotSchedule", "whenUnsatisfiable: ScheduleAnyway")
    )


def test_the_story_of_a_pull_request(root: Path) -> None:
    clean = lint("--base", "HEAD")
    assert clean.exit_code == 0
    assert "0 new, 0 fixed, 2 unchanged" in clean.stdout
    git(root, "checkout", "-q", "-b", "change")
    break_policy(root)
    commit(root)
    broken = lint("--base", "main")
    assert broken.exit_code == 1
    assert "--> cluster/zone-boundary.yaml:8:" in broken.stdout
    assert "1 new error" in broken.stdout
    git(root, "revert", "--no-edit", "HEAD")
    assert lint("--base", "main").exit_code == 0
    fixed = lint("--base", "HEAD~1")
    assert (fixed.exit_code, "0 new, 1 fixed, 2 unchanged" in fixed.stdout) == (0, True)


def test_the_report_for_programs_says_what_became_of_every_finding(root: Path) -> None:
    fix(root)
    break_policy(root)
    found = report("--base", "HEAD")
    assert [each["rule"] for each in found["findings"]] == ["flow-denied"]
    comparison = found["comparison"]
    assert comparison["base"] == "HEAD"
    assert comparison["commit"] == git(root, "rev-parse", "HEAD")
    assert [each["rule"] for each in comparison["fixed"]] == ["spread-used-as-colocation"] * 2
    assert comparison["unchanged"] == 0


def test_a_report_without_a_base_has_no_comparison(root: Path) -> None:
    assert {"comparison", "baseline"}.isdisjoint(report())


@pytest.mark.parametrize("revision", ["nowhere", "-x", ""])
def test_a_revision_that_is_not_there_is_wrong_usage(root: Path, revision: str) -> None:
    outcome = lint("--base", revision)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("trainlint: --base")


def test_a_written_baseline_accepts_what_is_there_and_nothing_else(root: Path) -> None:
    written = lint("--write-baseline", "known.json")
    assert written.exit_code == 0
    assert "known.json: written, 2 findings accepted" in written.stdout
    assert lint("--fail-on", "warning").exit_code == 1
    accepted = lint("--fail-on", "warning", "--baseline", "known.json")
    assert accepted.exit_code == 0
    assert "2 findings accepted" in accepted.stdout
    break_policy(root)
    new = report("--baseline", "known.json")
    assert [each["rule"] for each in new["findings"]] == ["flow-denied"]
    assert [each["rule"] for each in new["baseline"]["accepted"]] == ["spread-used-as-colocation"] * 2
    assert new["baseline"]["stale"] == []


def test_a_baseline_is_plain_and_a_change_of_it_can_be_read(root: Path) -> None:
    lint("--write-baseline", "known.json")
    lines = (root / "known.json").read_text().splitlines()
    data = json.loads("\n".join(lines))
    assert data["baseline"] == 1
    assert len(lines) == len(data["findings"]) + 5  # one line for each finding
    assert lines[3:5] == sorted(lines[3:5], key=lambda line: json.loads(line.strip(" ,"))["path"])
    assert all("spread-used-as-colocation" in line and "after/training.yaml" in line for line in lines[3:5])
    before = (root / "known.json").read_bytes()
    text = (root / "after/training.yaml").read_text()
    (root / "after/training.yaml").write_text(f"# lines move\n{text}")
    lint("--write-baseline", "known.json")
    assert (root / "known.json").read_bytes() == before


def test_stale_entries_are_named_until_the_baseline_is_written_anew(root: Path) -> None:
    lint("--write-baseline", "known.json")
    fix(root)
    outcome = lint("--baseline", "known.json")
    assert outcome.exit_code == 0
    assert "2 entries are stale" in " ".join(outcome.stdout.split())
    assert [each["file"] for each in report("--baseline", "known.json")["baseline"]["stale"]] == [
        "after/training.yaml"
    ] * 2
    lint("--baseline", "known.json", "--write-baseline")
    assert json.loads((root / "known.json").read_text()) == {"baseline": 1, "findings": []}
    assert report("--baseline", "known.json")["baseline"]["stale"] == []


def test_what_a_run_did_not_look_at_is_not_stale_and_stays(root: Path) -> None:
    lint("--write-baseline", "known.json")
    before = (root / "known.json").read_bytes()
    for arguments in (("cluster",), ("cluster/nodes.yaml",), ("--ignore", "spread-used-as-colocation")):
        assert report("--baseline", "known.json", *arguments)["baseline"]["stale"] == []
        lint("--baseline", "known.json", *arguments, "--write-baseline")
        assert (root / "known.json").read_bytes() == before


def test_the_file_to_write_may_be_named_by_either_option_and_paths_may_follow(root: Path) -> None:
    assert lint("--baseline", "a.json", "--write-baseline", ".").exit_code == 0
    assert lint("--write-baseline", "b.json", ".").exit_code == 0
    assert (root / "a.json").read_bytes() == (root / "b.json").read_bytes() != b""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "no JSON"),
        ("[]", 'no object with the member "baseline"'),
        ('{"baseline": 2, "findings": []}', "its format is 2"),
        ('{"baseline": 1}', '"findings" is no list'),
        ('{"baseline": 1, "findings": [3]}', "findings[0] is no object"),
        ('{"baseline": 1, "findings": [{"id": "x"}]}', 'findings[0] has no text "rule"'),
        ("\0", "no JSON"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_a_file_that_is_no_baseline_is_wrong_usage_and_is_not_overwritten(
    root: Path, content: str, message: str
) -> None:
    (root / "known.json").write_text(content)
    for arguments in (("--baseline", "known.json"), ("--write-baseline", "known.json")):
        outcome = lint(*arguments)
        assert outcome.exit_code == 2
        assert "known.json" in outcome.stderr
        assert message in outcome.stderr
        assert (root / "known.json").read_text() == content


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--baseline", "nowhere.json"), "cannot read nowhere.json"),
        (("--write-baseline",), "name the file"),
        (("--write-baseline", "x.json", "--base", "HEAD"), "use one of them"),
        (("--baseline", "x.json", "--write-baseline", "y.json"), "another file"),
        (("--write-baseline", "no/such/directory.json"), "--write-baseline: cannot write"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(root: Path, arguments: tuple[str, ...], message: str) -> None:
    outcome = lint(*arguments)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_base_and_baseline_together_leave_what_is_new_and_not_accepted(root: Path) -> None:
    break_policy(root)
    lint("--write-baseline", "known.json")
    found = report("--base", "HEAD", "--baseline", "known.json")
    assert found["findings"] == []
    assert len(found["baseline"]["accepted"]) == 3
    assert found["comparison"]["fixed"] == []


def test_a_run_with_a_base_leaves_no_trace(root: Path) -> None:
    break_policy(root)
    before = fingerprint(root)
    lint("--base", "HEAD", "--baseline", "nowhere.json")
    lint("--base", "HEAD")
    assert fingerprint(root) == before
