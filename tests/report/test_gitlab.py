"""The Code Quality report: the members that GitLab documents, and fingerprints that keep their meaning."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from jsonschema import Draft202012Validator
from tests.report.samples import everything, evil, many

from trainlint.finding import Span
from trainlint.report import Options, reporter
from trainlint.result import Result

# GitLab's documentation, "Code Quality report format": all members are required, lines.begin or positions.begin.line.
ENTRY = {
    "type": "object",
    "required": ["description", "check_name", "fingerprint", "severity", "location"],
    "additionalProperties": False,
    "properties": {
        "description": {"type": "string", "minLength": 1},
        "check_name": {"type": "string", "minLength": 1},
        "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
        "location": {
            "type": "object",
            "required": ["path", "lines"],
            "properties": {
                "path": {"type": "string", "not": {"pattern": "^(/|\\./)"}},
                "lines": {"required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}},
            },
        },
    },
}


def entries(result: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(reporter("gitlab")(result, Options()))
    Draft202012Validator({"type": "array", "items": ENTRY}).validate(found)
    return found


def test_every_finding_is_an_entry() -> None:
    assert [each["severity"] for each in entries(many(1, 1, 1))] == ["info", "major", "critical"]
    (entry,) = entries(everything())
    assert entry["location"] == {"path": "broken/training.yaml", "lines": {"begin": 17}}


def test_fingerprints_survive_moved_lines_and_tell_files_apart() -> None:
    result = everything()
    placed = result.findings[0]
    moved = replace(placed, span=Span(99, 1, 99, 2))
    at = replace(placed.finding.at, file="fixed/training.yaml")
    copied = replace(placed, finding=replace(placed.finding, at=at))
    prints = [each["fingerprint"] for each in entries(replace(result, findings=(placed, moved, copied)))]
    assert prints[0] == prints[1] != prints[2]


def test_no_findings_is_an_empty_list() -> None:
    assert entries(Result("/")) == []


def test_a_rule_that_broke_is_an_entry_too() -> None:
    assert [each["check_name"] for each in entries(evil())] == ["flow-denied", "internal-error"]
