"""What README.md shows is what happens."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from trainlint.cli import exit as codes
from trainlint.cli.main import COMMANDS, cli
from trainlint.engine import check
from trainlint.rule import all_rules

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DEMO = ROOT / "lint" / "trainlint" / "demo"
PAGES = sorted(page for pattern in ("*.md", "lint/*.md", "rules/*.md", "docs/*.md") for page in ROOT.glob(pattern))


def block(after: str) -> str:
    """The first fenced block behind some words."""
    match = re.search(r"```\w*\n(.*?)```", README[README.index(after) :], re.DOTALL)
    assert match is not None
    return match[1]


def test_the_output_that_is_shown_is_that_of_the_demo() -> None:
    output = iter(CliRunner().invoke(cli, ["demo"], prog_name="trainlint").output.splitlines())
    for line in block("From `trainlint demo`, shortened").splitlines():
        assert line == "..." or line in output, line  # `in` goes on where the last line was found


def test_the_picture_is_that_of_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made by ``trainlint graph speech/conductor+trainers broken cluster --output svg=FILE`` in its directory."""
    monkeypatch.chdir(DEMO)
    made = tmp_path / "demo.svg"
    asked = ["graph", "speech/conductor+trainers", "broken", "cluster", "--output", f"svg={made}", "--no-cache"]
    assert CliRunner().invoke(cli, asked, prog_name="trainlint").exit_code == 0
    assert made.read_text(encoding="utf-8") == (ROOT / "docs" / "demo.svg").read_text(encoding="utf-8")
    assert "](docs/demo.svg)" in README


def test_the_inventory_and_the_settings_that_are_shown_are_read(tmp_path: Path) -> None:
    (tmp_path / "inventory.yaml").write_text(block("or what they are meant to be"), encoding="utf-8")
    (tmp_path / "trainlint.yaml").write_text(block("`trainlint.yaml` at the root"), encoding="utf-8")
    manifest = (DEMO / "broken" / "training.yaml").read_text(encoding="utf-8")
    (tmp_path / "training.yaml").write_text(manifest, encoding="utf-8")
    result = check([tmp_path])
    assert "no-matching-node" in {each.finding.rule for each in result.findings}  # its nodes are none of the inventory
    assert result.unknowns == ()
    assert not [text for text in result.assumptions if "Kubernetes" in text]  # the settings state the version


def test_the_suppression_that_is_shown_suppresses_until_its_day(tmp_path: Path) -> None:
    (tmp_path / "inventory.yaml").write_text(block("or what they are meant to be"), encoding="utf-8")
    manifest = (DEMO / "broken" / "training.yaml").read_text(encoding="utf-8")
    line = block("One\nfinding is silenced where it stands")
    changed = manifest.replace("      nodeSelector: {gpu-model: h100}\n", line)
    assert changed != manifest
    (tmp_path / "training.yaml").write_text(changed, encoding="utf-8")
    before, after = (check([tmp_path], today=day) for day in (dt.date(2027, 5, 31), dt.date(2027, 6, 1)))
    assert [each.finding.rule for each in before.suppressed] == ["no-matching-node"]
    assert after.suppressed == ()
    assert "expired-suppression" in {each.finding.rule for each in after.findings}


def test_the_exit_codes_are_those_of_the_command() -> None:
    shown = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}
    known = {value for name, value in vars(codes).items() if name.isupper() and isinstance(value, int)}
    assert shown == known - {codes.INTERRUPTED}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_and_targets_that_are_named_are_there(page: Path) -> None:
    code = " ".join(re.findall(r"```.*?```|`[^`]+`", page.read_text(encoding="utf-8"), re.DOTALL))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(re.findall(r"\btrainlint ([a-z]+)", code)) <= set(COMMANDS)
    assert set(re.findall(r"\bmake ([a-z-]+)", code)) <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def test_every_rule_that_is_named_is_there() -> None:
    known = {rule.name for rule in all_rules()}
    assert set(re.findall(r"ignore\[([a-z-]+)\]", README)) <= known


def test_the_clusters_that_are_shown_are_read(tmp_path: Path) -> None:
    (tmp_path / "trainlint.yaml").write_text(block("Several clusters, where no deployer"), encoding="utf-8")
    inventory = block("or what they are meant to be")
    manifest = (DEMO / "broken" / "training.yaml").read_text(encoding="utf-8")
    for name, text in (("inventory/east", inventory), ("inventory/west", inventory), ("shared/job", manifest)):
        file = tmp_path / f"{name}.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for name in ("east", "west"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "namespace.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n")
    assert [each.name for each in check([tmp_path]).snapshots] == ["east", "west"]
