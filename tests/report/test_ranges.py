"""Places in reports for machines: GitHub's ranges and limits, and what a viewer of SARIF gets of each place."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from trainlint.finding import Finding, Location, Severity, Span
from trainlint.report import Options, reporter
from trainlint.result import Baseline, Failure, Placed, PlacedRelated, PlacedUnknown, Result

HERE = Span(3, 5, 3, 8)


def placed(span: Span = HERE, severity: Severity | None = Severity.ERROR, **more: Any) -> Placed:
    finding = Finding(message="harm", at=Location("a b.yaml", 0), rule="some-rule", severity=severity, id="i1")
    return replace(Placed(finding, span), **more)


def github(*findings: Placed, **more: Any) -> list[str]:
    return reporter("github")(Result(root="/", findings=findings, **more), Options()).splitlines()


@pytest.mark.parametrize(
    ("span", "where"),
    [
        (Span(3, 5, 3, 8), "line=3,col=5,endColumn=7"),
        (Span(3, 5, 3, 6), "line=3,col=5,endColumn=5"),
        (Span(3, 5, 3, 5), "line=3,col=5,endColumn=5"),
        (Span(3, 5, 4, 1), "line=3,col=5,endColumn=5"),
        (Span(3, 5, 4, 2), "line=3,endLine=4"),
        (Span(3, 1, 6, 1), "line=3,endLine=5"),
    ],
)
def test_the_range_of_an_annotation(span: Span, where: str) -> None:
    assert github(placed(span)) == [f"::error file=a b.yaml,{where},title=some-rule::harm"]


@pytest.mark.parametrize(
    ("severity", "command"),
    [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.NOTE, "notice"), (None, "error")],
)
def test_the_command_of_a_severity(severity: Severity | None, command: str) -> None:
    assert github(placed(severity=severity))[0].startswith(f"::{command} ")


def test_a_remedy_and_a_place_that_is_gone() -> None:
    finding = replace(placed().finding, remedy="change it: 50%")
    assert github(placed(finding=finding))[0].endswith("::harm%0Ahelp: change it: 50%25")
    assert github(placed(base=True)) == ["::error title=some-rule::harm (it stood in a b.yaml:3 of the base revision)"]


@pytest.mark.parametrize(("number", "left"), [(10, 0), (11, 1), (12, 2)])
@pytest.mark.parametrize("severity", [Severity.ERROR, Severity.WARNING])
def test_ten_of_a_kind_are_shown(number: int, left: int, severity: Severity) -> None:
    lines = github(*[placed(severity=severity)] * number)
    assert sum(line.startswith(f"::{severity.value} ") for line in lines) == 10
    counted = [line for line in lines if line.startswith("::notice title=trainlint::")]
    plural = "s" if left > 1 else ""
    said = f"and {left} {severity.value}{plural} more: GitHub shows 10 of a kind for one step"
    text = f"{said}; the job's log or summary has them all"
    assert counted == ([f"::notice title=trainlint::{text}"] if left else [])


def test_the_notice_that_counts_takes_the_place_of_a_note() -> None:
    assert len(github(*[placed(severity=Severity.NOTE)] * 10)) == 10
    assert len(github(*[placed(severity=Severity.NOTE)] * 11)) == 10
    mixed = github(*[placed(severity=Severity.NOTE)] * 10, *[placed()] * 11)
    assert sum(line.startswith("::error ") for line in mixed) == 10
    assert sum(line.startswith("::notice file") for line in mixed) == 9
    assert "and 1 error, 1 note more" in mixed[-1]


def test_rules_that_broke_take_places_of_errors() -> None:
    lines = github(*[placed()] * 10, failures=(Failure("r", "m"),))
    assert lines[0] == (
        "::error title=trainlint%3A internal error::rule r broke: m. What it would have found is missing."
    )
    assert sum("title=some-rule" in line for line in lines) == 9
    assert len(github(failures=(Failure("r", "m"),) * 11)) == 10


def sarif(**result: Any) -> Any:
    (run,) = json.loads(reporter("sarif")(Result(root="/", **result), Options()))["runs"]
    return run


def test_a_place_in_sarif() -> None:
    related = PlacedRelated("why", "b.yaml", Span(1, 2, 3, 4), ("spec", 0), base=True)
    (made,) = sarif(findings=(placed(path=("spec", "a", 0), related=(related,)),))["results"]
    assert made["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a%20b.yaml", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 8},
            },
            "logicalLocations": [{"fullyQualifiedName": "spec/a/0"}],
        }
    ]
    assert made["relatedLocations"] == [
        {
            "id": 1,
            "message": {"text": "why"},
            "physicalLocation": {"artifactLocation": {"uri": "b.yaml", "uriBaseId": "%SRCROOT%"}},
            "logicalLocations": [{"fullyQualifiedName": "spec/0"}],
        }
    ]
    (bare,) = sarif(findings=(placed(),))["results"]
    assert "relatedLocations" not in bare
    assert "logicalLocations" not in bare["locations"][0]
    assert "suppressions" not in bare
    assert "fixes" not in bare
    assert bare["properties"] == {"certainty": "proven"}
    assert (bare["ruleIndex"], bare["level"]) == (0, "error")


def test_suppressed_and_accepted_findings_in_sarif() -> None:
    run = sarif(
        findings=(placed(),),
        suppressed=(placed(reason="known"), placed()),
        baseline=Baseline("b.json", accepted=(placed(),)),
    )
    assert [each.get("suppressions") for each in run["results"]] == [
        None,
        [{"kind": "inSource", "justification": "known"}],
        [{"kind": "inSource"}],
        [{"kind": "external", "justification": "accepted by the baseline"}],
    ]


def test_what_sarif_tells_of_the_run() -> None:
    unknowns = (
        PlacedUnknown("s", "m", "r", "a.yaml", 3),
        PlacedUnknown("s", "m", file="a.yaml"),
        PlacedUnknown("s", "m"),
    )
    (made,) = sarif(unknowns=unknowns, failures=(Failure("r", "m"),))["invocations"]
    assert made["executionSuccessful"] is False
    assert made["toolExecutionNotifications"] == [
        {"level": "error", "associatedRule": {"id": "r"}, "message": {"text": "This rule broke: m"}}
    ]
    place = {"artifactLocation": {"uri": "a.yaml", "uriBaseId": "%SRCROOT%"}}
    notes = made["toolConfigurationNotifications"]
    assert [each["message"]["text"] for each in notes] == [
        "Unknown, for s: m (r)",
        "Unknown, for s: m",
        "Unknown, for s: m",
    ]
    assert [each.get("locations") for each in notes] == [
        [{"physicalLocation": {**place, "region": {"startLine": 3}}}],
        [{"physicalLocation": place}],
        None,
    ]
    assert sarif()["invocations"][0]["executionSuccessful"] is True
