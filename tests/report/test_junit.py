"""JUnit's XML, read back by a library that reads it for a living."""

from __future__ import annotations

from dataclasses import replace

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase
from tests.report.samples import everything, evil, many

from trainlint.finding import Severity
from trainlint.model.known import Answer
from trainlint.report import Options, reporter
from trainlint.result import GroupVerdict, Result


def suites(result: Result, options: Options = Options()) -> dict[str, list[TestCase]]:  # noqa: B008 (frozen)
    parsed = JUnitXml.fromstring(reporter("junit")(result, options).encode())
    assert isinstance(parsed, JUnitXml)
    found = {suite.name: list(suite) for suite in parsed}
    for suite in parsed:
        counted = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        assert counted == (suite.tests, suite.failures, suite.errors, suite.skipped)
    return found


def outcome(case: TestCase) -> type | None:
    (first, *more) = case.result or [None]
    assert not more
    return None if first is None else type(first)


def test_a_finding_that_fails_the_run_is_a_failure_and_a_milder_one_is_skipped() -> None:
    assert [outcome(case) for case in suites(many(1, 1, 1))["findings"]] == [Skipped, Skipped, Failure]
    strict = suites(many(1, 1, 1), Options(fail_on=Severity.NOTE))
    assert [outcome(case) for case in strict["findings"]] == [Failure, Failure, Failure]


def test_groups_are_tests() -> None:
    cases = suites(everything())["groups"]
    assert [(case.name, outcome(case)) for case in cases] == [
        ("speech/leader+trainers (broken)", Failure),
        ("speech/leader+trainers (fixed)", None),
        ("lab/elastic (fixed)", Skipped),
    ]


def test_a_refuted_group_is_never_a_passed_test() -> None:
    group = GroupVerdict("a/b", "Job", "", 2, Answer.PROVED, Answer.REFUTED)
    (case,) = suites(Result("/", groups=(group,)))["groups"]
    assert outcome(case) is Skipped


def test_no_findings_is_one_passed_test() -> None:
    assert [outcome(case) for case in suites(Result("/"))["findings"]] == [None]


def test_a_rule_that_broke_is_an_error() -> None:
    assert [outcome(case) for case in suites(evil())["findings"]] == [Error, Failure]


def test_a_suppressed_finding_is_skipped_if_it_is_shown_at_all() -> None:
    assert len(suites(everything())["findings"]) == 1
    shown = suites(everything(), Options(show_suppressed=True))["findings"]
    assert [outcome(case) for case in shown] == [Failure, Skipped]


@pytest.mark.parametrize("text", ["\x00", "\x1b[31m", "\ufffe", "\udcff", "]]>", "<!-- -->", "&lt;", "\u202e"])
def test_whatever_stands_in_a_manifest_the_xml_is_well_formed(text: str) -> None:
    result = everything()
    placed = result.findings[0]
    at = replace(placed.finding.at, file=text)
    finding = replace(placed.finding, message=f"a{text}b", at=at, remedy=text)
    found = suites(replace(result, findings=(replace(placed, finding=finding, lines=(text,)),)))
    (first, *_) = found["findings"]
    assert outcome(first) is Failure
