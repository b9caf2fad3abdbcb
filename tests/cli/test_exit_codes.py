"""The exit codes: 0, 1, 2, 3, 4 and 70, the first that applies of 70, 2, 1, 3, 4."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest
from click.testing import Result as Run
from tests.cli.conftest import FakeEngine

from trainlint.cli.exit import exit_code
from trainlint.finding import Finding, Location, Severity, Span, UsageError
from trainlint.model.known import Answer
from trainlint.result import Failure, GroupVerdict, Placed, PlacedUnknown, Result


def found(*severities: Severity | None) -> Result:
    return Result(
        "/",
        findings=tuple(
            Placed(Finding("harm", Location("a.yaml", 0), severity=severity, rule="r"), Span(1, 1, 1, 2))
            for severity in severities
        ),
    )


CLEAN = Result("/")
NOTHING = Result("/", analysed=False)
MISSING = Result("/", unknowns=(PlacedUnknown("s", "m"),))
UNDECIDED = Result("/", groups=(GroupVerdict("a/b", "Job", "", 2, Answer.PROVED, Answer.UNKNOWN),))
REFUTED = Result("/", groups=(GroupVerdict("a/b", "Job", "", 2, Answer.REFUTED, Answer.UNKNOWN),))
BROKEN = Result("/", failures=(Failure("r", "m"),))


@pytest.mark.parametrize(
    ("result", "fail_on", "strict", "code"),
    [
        (CLEAN, "error", False, 0),
        (CLEAN, "note", True, 0),
        (NOTHING, "error", False, 0),
        (NOTHING, "error", True, 4),
        (MISSING, "note", False, 0),
        (MISSING, "error", True, 3),
        (UNDECIDED, "error", False, 0),
        (UNDECIDED, "error", True, 3),
        # A refuted group is no unknown, even if one of its answers is.
        (REFUTED, "error", True, 0),
        (found(Severity.ERROR), "error", False, 1),
        (found(None), "error", False, 1),
        (found(Severity.WARNING), "error", False, 0),
        (found(Severity.WARNING), "warning", False, 1),
        (found(Severity.NOTE), "warning", False, 0),
        (found(Severity.NOTE), "note", False, 1),
        (found(Severity.NOTE, Severity.ERROR), "error", False, 1),
        (BROKEN, "error", False, 70),
        (Result("/", suppressed=found(Severity.ERROR).findings), "note", True, 0),
    ],
)
def test_each_exit_code(result: Result, fail_on: str, strict: bool, code: int) -> None:
    assert exit_code(result, fail_on=Severity(fail_on), strict=strict) == code


def test_the_first_that_applies_of_70_2_1_3_4() -> None:
    for broke, wrong, finds, unknown, nothing in itertools.product([True, False], repeat=5):
        result = replace(
            Result("/"),
            failures=BROKEN.failures if broke else (),
            findings=found(Severity.ERROR).findings if finds else (),
            unknowns=MISSING.unknowns if unknown else (),
            analysed=not nothing,
        )
        expected = 70 if broke else 2 if wrong else 1 if finds else 3 if unknown else 4 if nothing else 0
        assert exit_code(result, fail_on=Severity.ERROR, strict=True, usage_error=wrong) == expected


@pytest.mark.parametrize(
    ("result", "arguments", "code"),
    [
        (CLEAN, (), 0),
        (found(Severity.ERROR), (), 1),
        (found(Severity.WARNING), (), 0),
        (found(Severity.WARNING), ("--fail-on", "warning"), 1),
        (MISSING, ("--strict",), 3),
        (NOTHING, ("--strict",), 4),
        (BROKEN, (), 70),
        (UsageError("trainlint.yaml:3: no such key"), (), 2),
        (ValueError("unexpected"), (), 70),
        (RecursionError("too deep"), (), 70),
        (KeyboardInterrupt(), (), 130),
        (BrokenPipeError(), (), 0),
    ],
)
def test_the_command_ends_with_the_code_of_its_result(
    run: Callable[..., Run], engine: FakeEngine, result: Result | BaseException, arguments: tuple[str, ...], code: int
) -> None:
    engine.result = result
    outcome = run("check", *arguments)
    assert outcome.exit_code == code
    assert "Traceback" not in outcome.output


def test_wrong_configuration_is_told_on_standard_error(run: Callable[..., Run], engine: FakeEngine) -> None:
    engine.result = UsageError("trainlint.yaml:3: no such key 'clustrs'")
    outcome = run("check")
    assert outcome.stderr == "trainlint: trainlint.yaml:3: no such key 'clustrs'\n"
    assert outcome.stdout == ""


def test_an_internal_error_is_one_paragraph_and_debug_shows_where(run: Callable[..., Run], engine: FakeEngine) -> None:
    engine.result = ZeroDivisionError("division\nby zero")
    short = run("check").stderr
    assert short.startswith("trainlint: internal error: ZeroDivisionError: division by zero\n")
    assert "report it" in short
    assert "--debug" in short
    assert "Traceback" not in short
    long = run("check", "--debug").stderr
    assert "Traceback (most recent call last)" in long
    assert long.endswith(short)
