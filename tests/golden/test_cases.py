"""The whole report, with its repairs, on each case: one golden file for each case.

What a case must and must not find stands in its ``case.yaml``; here are the words in which it is said.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from tests.cases.runner import Outcome, run_case
from tests.golden.golden import HERE, agree, stale, told, written

from trainlint.engine.request import Repairs

CASES = HERE.parent / "cases"
GOLDEN = HERE / "cases"
FOLDERS = [file.parent for file in sorted(CASES.rglob("case.yaml"))]
TODAY = dt.date(2026, 11, 29)


def name(folder: Path) -> str:
    return f"{folder.relative_to(CASES)}.json"


def said(folder: Path) -> tuple[str, Outcome]:
    """The text of the case's golden file, and what its run missed or said too much."""
    outcome = run_case(folder, today=TODAY, repairs=Repairs.EACH)
    assert outcome.result is not None
    return written(told(outcome.result)), outcome


@pytest.mark.needs("git", "kustomize", "helm")
@pytest.mark.parametrize("folder", [pytest.param(folder, id=name(folder)) for folder in FOLDERS])
def test_a_case_is_told_as_the_golden_file_says(folder: Path, update: bool) -> None:
    agree(GOLDEN / name(folder), said(folder)[0], update=update)


def test_every_golden_file_is_of_a_case(update: bool) -> None:
    assert stale(GOLDEN, map(name, FOLDERS), update=update) == []
