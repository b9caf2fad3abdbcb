"""Every case, through the real pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cases.runner import run_case

CASES = sorted(path.parent for path in Path(__file__).parent.glob("*/*/case.yaml"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_case(case: Path) -> None:
    assert run_case(case).problems == []
