"""The lab is fixed by the repairs that are printed: before/ by one, affinity/ by another."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from trainlint.cli.main import cli
from trainlint.engine.check import check
from trainlint.engine.request import Repairs
from trainlint.fix.diff import unified
from trainlint.model.known import Answer
from trainlint.result import Repair

LAB = Path(__file__).parents[1] / "lab"
GROUP = "vision/coordinator+workers"
CRLF = ("\n", "\r\n")


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    root = tmp_path / "lab"
    shutil.copytree(LAB, root, ignore=shutil.ignore_patterns("*.py", "*.md", "__pycache__"))
    return root


def run(root: Path, *arguments: str) -> Result:
    here = Path.cwd()
    os.chdir(root)
    try:
        return CliRunner().invoke(cli, ["check", *arguments], prog_name="trainlint")
    finally:
        os.chdir(here)


def repair_of(root: Path, snapshot: str) -> Repair:
    (repair,) = (each for each in check([root], repairs=Repairs.EACH).repairs or () if each.snapshot == snapshot)
    return repair


@pytest.mark.parametrize(
    ("state", "rules", "steps"),
    [
        ("before", {"no-viable-zone", "flow-denied"}, 3),
        ("affinity", {"affinity-deadlock", "zone-label-contradicts-placement"}, 2),
    ],
)
def test_the_printed_repair_alone_fixes_a_state(lab: Path, state: str, rules: set[str], steps: int) -> None:
    repair = repair_of(lab, state)
    assert (repair.group, len(repair.steps)) == (GROUP, steps)
    assert [change.file for change in repair.changes] == [f"{state}/training.yaml"]
    before = check([lab])
    assert {each.finding.rule for each in before.findings if each.finding.id in repair.fixes} == rules
    for change in repair.changes:
        (lab / change.file).write_bytes(change.after)
    after = check([lab])
    answers = {each.snapshot: (each.exists, each.for_all) for each in after.groups}
    assert answers[state] == (Answer.PROVED, Answer.PROVED)
    assert not [each for each in after.findings if f"{state}/training.yaml" == each.finding.at.file]


def test_the_coordinator_goes_to_the_workers_and_not_the_workers_to_it(lab: Path) -> None:
    """Only zone-a has the GPUs of the workers (README of the lab): whatever is fixed, the coordinator must move."""
    for state in ("before", "affinity"):
        text = "".join(unified(each.file, each.before, each.after) for each in repair_of(lab, state).changes)
        added = [line for line in text.splitlines() if line.startswith("+") and not line.startswith("+++")]
        assert any("topology.kubernetes.io/zone: zone-a" in line for line in added)
        assert any("dedicated" in line for line in added)
        assert "@@ -4" not in text  # the workers' Job begins at line 33: nothing there changes


def test_a_policy_that_is_of_no_use_any_more_is_named_in_the_repair(lab: Path) -> None:
    """The policy for zone-b selects the coordinator of before/ only; afterwards it selects no pod."""
    assert [text.partition(" ")[0] for text in repair_of(lab, "before").leaves] == ["warning[policy-selects-nothing]"]
    assert repair_of(lab, "affinity").leaves == ()


@pytest.mark.needs("git")
def test_git_applies_what_diff_prints(lab: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=lab, check=True)
    shown = run(lab, "--diff")
    assert shown.exit_code == 1
    assert "three edits in one file fix group vision/coordinator+workers (before)" in " ".join(
        line.removeprefix("# ") for line in shown.stdout.splitlines()
    )
    subprocess.run(["git", "apply"], cwd=lab, input=shown.stdout.encode(), check=True)
    after = check([lab])
    assert {each.answer for each in after.groups} == {Answer.PROVED}
    assert {each.finding.rule for each in after.findings} == {"policy-selects-nothing"}


def test_fix_alone_leaves_the_lab_as_it_is(lab: Path) -> None:
    before = {path: path.read_bytes() for path in lab.rglob("*.yaml")}
    done = run(lab, "--fix", "--output", "concise")
    assert done.exit_code == 1
    assert "nothing was fixed; trainlint check --diff shows what could be" in done.stderr
    assert before == {path: path.read_bytes() for path in lab.rglob("*.yaml")}


def test_unsafe_fixes_fix_the_lab_and_say_what_was_done(lab: Path) -> None:
    file = lab / "before/training.yaml"
    file.chmod(0o640)
    done = run(lab, "--fix", "--unsafe-fixes", "--output", "concise")
    assert done.exit_code == 0  # what is left is a warning
    assert "4 repairs in 3 files: 6 findings fixed" in done.stderr
    assert "3 groups: 3 proved" in done.stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    again = run(lab, "--fix", "--unsafe-fixes", "--output", "concise")
    assert (again.exit_code, "fixed" in again.stderr.replace("nothing was fixed", "")) == (0, False)


def test_line_ends_and_the_byte_order_mark_stay(lab: Path) -> None:
    file = lab / "before/training.yaml"
    text = file.read_text()
    file.write_bytes(b"\xef\xbb\xbf" + text.replace(*CRLF).encode())
    done = run(lab, "--fix", "--unsafe-fixes", "--output", "concise")
    assert done.exit_code == 0
    content = file.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    assert content.count(b"\n") == content.count(b"\r\n") > text.count("\n")
