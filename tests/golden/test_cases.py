"""The whole report, with its repairs, on each case: one golden file for each case.

What a case must and must not find stands in its ``case.yaml``; here are the words in which it is said.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
from pathlib import Path

import pytest
from tests.golden.golden import HERE, agree, commit, stale, told, written

from trainlint.engine import check
from trainlint.engine.check import Repairs
from trainlint.result import Result

CASES = HERE.parent / "cases"
GOLDEN = HERE / "cases"
FOLDERS = [file.parent for file in sorted(CASES.rglob("case.yaml"))]
TODAY = dt.date(2026, 11, 29)


def name(folder: Path) -> str:
    return f"{folder.relative_to(CASES)}.json"


def run(folder: Path, root: Path) -> Result:
    if not ((folder / "base").is_dir() and (folder / "head").is_dir()):
        shutil.copytree(folder, root, ignore=shutil.ignore_patterns("case.yaml"))
        return check([root], today=TODAY, repairs=Repairs.EACH)
    shutil.copytree(folder / "base", root)
    commit(root)
    for entry in root.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(folder / "head", root, dirs_exist_ok=True)
    return check([root], today=TODAY, base="HEAD", repairs=Repairs.EACH)


@pytest.mark.needs("git", "kustomize", "helm")
@pytest.mark.parametrize("folder", [pytest.param(folder, id=name(folder)) for folder in FOLDERS])
def test_a_case_is_told_as_the_golden_file_says(
    folder: Path, tmp_path: Path, update: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path))
    agree(GOLDEN / name(folder), written(told(run(folder, tmp_path / "repository"))), update=update)


def test_every_golden_file_is_of_a_case(update: bool) -> None:
    assert stale(GOLDEN, map(name, FOLDERS), update=update) == []
