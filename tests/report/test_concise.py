"""One line for each finding."""

from __future__ import annotations

import re

import pytest
from tests.report.samples import everything, evil, many

from trainlint.finding import Severity
from trainlint.report import Options, reporter
from trainlint.result import Result

LINE = re.compile(
    r"(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<severity>error|warning|note)\[(?P<rule>\S+)\] .+"
)
"""What editors and `problemMatcher`s split lines by."""


def render(result: Result, **options: bool) -> list[str]:
    return reporter("concise")(result, Options(**options)).splitlines()  # type: ignore[arg-type]


def test_every_finding_is_one_line_that_an_editor_understands() -> None:
    lines = render(many(2, 1, 1), quiet=True)
    matches = [LINE.fullmatch(line) for line in lines]
    assert [(match["severity"], match["line"]) for match in matches if match] == [
        ("note", "1"),
        ("warning", "2"),
        ("error", "3"),
        ("error", "4"),
    ]
    assert {severity.value for severity in Severity} == {match["severity"] for match in matches if match}


def test_suppressed_findings_are_marked_and_only_shown_when_asked_for() -> None:
    shown = [line for line in render(everything(), show_suppressed=True) if "soft-colocation" in line]
    assert len(shown) == 1
    assert shown[0].endswith("(suppressed: measured, fast enough)")
    assert not any("soft-colocation" in line for line in render(everything()))


def test_quiet_leaves_the_summary_out_unless_a_rule_broke() -> None:
    assert len(render(everything(), quiet=True)) == 1
    assert any("internal error: rule flow-denied broke" in line for line in render(evil(), quiet=True))


def test_a_message_of_several_lines_stays_one_line_and_steers_no_terminal() -> None:
    lines = render(evil(), show_suppressed=True)
    assert len(lines) == 4
    assert not any(line.startswith("::") for line in lines)
    assert "\x1b" not in "".join(lines)
    assert "\u202e" not in "".join(lines)


@pytest.mark.parametrize("color", [True, False])
def test_colour_is_used_if_asked_for(*, color: bool) -> None:
    assert ("\x1b[" in "\n".join(render(everything(), color=color))) is color
