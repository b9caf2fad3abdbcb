"""Every case, through the real pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cases.runner import run_case

CASES = sorted(path.parent for path in Path(__file__).parent.glob("*/*/case.yaml"))


OVERLAYS = [case for case in CASES if any(case.rglob("kustomization.yaml"))]


@pytest.mark.parametrize("case", OVERLAYS, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_case_with_overlays_where_nothing_renders_them(case: Path, no_renderer: None) -> None:
    """What no kustomization changes is judged as ever; of the rest nothing is claimed, and an unknown says so."""
    outcome = run_case(case)
    assert outcome.result is not None
    unrendered = any("kustomization " in each.subject for each in outcome.result.unknowns)
    assert (outcome.false if unrendered else outcome.problems) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_case(case: Path) -> None:
    assert run_case(case).problems == []
