"""``trainlint lsp`` where its extra is not installed, and ``trainlint`` where it is not wanted."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from trainlint.cli.main import cli


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("trainlint.lsp", "pygls", "lsprotocol"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    outcome = CliRunner().invoke(cli, ["lsp"], prog_name="trainlint")
    assert outcome.exit_code == 2
    assert "pip install 'trainlint[lsp]'" in outcome.output


def test_other_commands_load_nothing_of_it() -> None:
    code = (
        "import sys, trainlint.cli.check, trainlint.engine\n"
        "print([name for name in sys.modules if name.startswith(('pygls', 'lsprotocol', 'trainlint.lsp', 'asyncio'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
