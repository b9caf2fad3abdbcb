"""A tool that is missing skips a test here, and fails it under CI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

INNER = """
import pytest

@pytest.mark.needs("git")
def test_inner() -> None:
    pass
"""


@pytest.mark.parametrize(("ci", "code", "outcome"), [("", 0, "1 skipped"), ("true", 1, "1 error")])
def test_a_missing_tool_skips_locally_and_fails_under_ci(tmp_path: Path, ci: str, code: int, outcome: str) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_inner.py").write_text(INNER, encoding="utf-8")
    environment = {**os.environ, "CI": ci, "PATH": str(tmp_path), "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert outcome in done.stdout
    assert "git is needed and not on this machine: apt-get install git" in done.stdout
