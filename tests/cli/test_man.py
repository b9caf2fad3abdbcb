"""``trainlint man``: the page that ``man trainlint`` shows, from the commands themselves."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from trainlint.cli.main import COMMANDS, cli

PAGE = Path(__file__).parents[2] / "man" / "trainlint.1"


def shown(*command: str) -> str:
    """The page as a formatter shows it, without what makes letters bold."""
    done = subprocess.run([*command, str(PAGE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return re.sub(r".\x08|\x1b\[\d*m", "", done.stdout).replace("\u2010", "-").replace("\u2212", "-")


def test_the_command_prints_the_page_that_is_shipped() -> None:
    outcome = CliRunner().invoke(cli, ["man"], prog_name="trainlint")
    assert outcome.exit_code == 0
    assert outcome.output == PAGE.read_text(encoding="utf-8")


@pytest.mark.needs("mandoc")
def test_mandoc_has_nothing_to_say_but_that_it_has_no_date() -> None:
    done = subprocess.run(["mandoc", "-Tlint", "-W", "warning", str(PAGE)], capture_output=True, text=True, check=False)
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []


@pytest.mark.needs("groff")
def test_groff_formats_it_without_a_warning() -> None:
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", str(PAGE)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.needs("mandoc")
def test_every_command_is_there_with_every_option() -> None:
    text = " ".join(shown("mandoc", "-Tutf8").split())
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)  # type: ignore[attr-defined]
        assert f"trainlint {name}" in text
        for param in command.params:
            for option in param.opts if isinstance(param, click.Option) and not param.hidden else ():
                assert option in text, (name, option)
    for words in ("EXIT STATUS", "ENVIRONMENT", "NO_COLOR", "trainlint.yaml", "70 An internal error"):
        assert words in text
