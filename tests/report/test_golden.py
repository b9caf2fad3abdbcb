"""Every format, on one result, against files that were read by people who know the format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.report.samples import everything

from trainlint import __version__
from trainlint.finding import Severity
from trainlint.report import FORMATS, Options, reporter

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
FILES = {path.stem: path.name for path in sorted(GOLDEN.iterdir()) if path.stem in FORMATS}
"""The golden file of each format, which bears its name."""


@dataclass(frozen=True)
class FakeRule:
    name: str = "no-viable-zone"
    category: str = "topology"
    severity: Severity = Severity.ERROR
    page: str = "No zone takes it.\n\nWhy that is bad,\nin two lines.\n\n```yaml bad\nkind: Job  # expect\n```"
    summary: str = "No zone takes it."
    package: str = "trainlint_rules"


@pytest.mark.parametrize(("form", "file"), FILES.items())
def test_a_report_is_what_the_golden_file_says(form: str, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainlint.report.sarif.all_rules", lambda: (FakeRule(),), raising=False)
    text = reporter(form)(everything(), Options(show_suppressed=True))
    assert text == (GOLDEN / file).read_text(encoding="utf-8").replace("VERSION", __version__)


def test_every_format_has_a_golden_file_or_a_test_of_its_own() -> None:
    assert len(FILES) > 3
    assert [form for form in FORMATS if form not in FILES and not any(HERE.glob(f"test_{form}*.py"))] == []


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_ends_with_one_line_end_and_is_the_same_every_time(form: str) -> None:
    first, second = (reporter(form)(everything(), Options()) for _ in range(2))
    assert first == second
    assert first.endswith("\n")
    assert not first.endswith("\n\n")
