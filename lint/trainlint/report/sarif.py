"""Findings in the Static Analysis Results Interchange Format 2.1.0, for code scanning and for viewers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote

from trainlint import __version__
from trainlint.finding import Path, Safety, Severity, Span
from trainlint.report.address import built_in, page_path, page_url
from trainlint.report.options import Options
from trainlint.report.rulepage import description, markdown_page
from trainlint.report.rules import page
from trainlint.report.terminal import escape
from trainlint.report.values import plain
from trainlint.result import Placed, PlacedUnknown, Result
from trainlint.rule import Rule, all_rules

__all__ = ["render"]

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
PROBLEMS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}
FINGERPRINT: Final = "trainlintFinding/v1"


def render(result: Result, options: Options) -> str:
    """All findings, also the suppressed ones (marked so); unknowns and rules that broke are notifications."""
    return json.dumps(log(result), indent=2, allow_nan=False) + "\n"


def log(result: Result) -> dict[str, Any]:
    """The log file as plain data."""
    accepted = result.baseline.accepted if result.baseline else ()
    shown = [
        *((placed, None) for placed in result.findings),
        *((placed, ("inSource", placed.reason)) for placed in result.suppressed),
        *((placed, ("external", "accepted by the baseline")) for placed in accepted),
    ]
    names = sorted({placed.finding.rule for placed, _ in shown})
    known = {rule.name: rule for rule in all_rules()}
    run = {
        "tool": {
            "driver": {
                "name": "trainlint",
                "version": __version__,
                "rules": [_rule(name, known.get(name)) for name in names],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "The root of the repository, or the directory that was linted."}}
        },
        "invocations": [_invocation(result)],
        "results": [_result(placed, names, hidden, _fixes(placed, result)) for placed, hidden in shown],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _invocation(result: Result) -> dict[str, Any]:
    failures = [
        {
            "level": "error",
            "associatedRule": {"id": failure.rule},
            "message": _message(f"This rule broke: {failure.message}"),
        }
        for failure in result.failures
    ]
    return {
        "executionSuccessful": not result.failures,
        "toolExecutionNotifications": failures,
        "toolConfigurationNotifications": [_unknown(unknown) for unknown in result.unknowns],
    }


def _unknown(unknown: PlacedUnknown) -> dict[str, Any]:
    help_ = f" ({unknown.remedy})" if unknown.remedy else ""
    found: dict[str, Any] = {
        "level": "note",
        "descriptor": {"id": "unknown"},
        "message": _message(f"Unknown, for {unknown.subject}: {unknown.missing}{help_}"),
    }
    if unknown.file is not None:
        physical = _physical(unknown.file, None)
        if unknown.line is not None:
            physical["region"] = {"startLine": unknown.line}
        found["locations"] = [{"physicalLocation": physical}]
    return found


def _rule(name: str, rule: Rule | None) -> dict[str, Any]:
    """What a viewer shows about a rule."""
    found: dict[str, Any] = {"id": name, "name": "".join(part.capitalize() for part in name.split("-"))}
    if rule is None:
        return found
    about = {"page": page_path(rule)} if built_in(rule) else {}
    link = {"helpUri": url} if (url := page_url(rule)) else {}
    return {
        **found,
        **link,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": description(rule)},
        "help": {"text": page(rule, Options()), "markdown": markdown_page(rule)},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": [rule.category], "problem.severity": PROBLEMS[rule.severity], **about},
    }


def _result(
    placed: Placed, names: list[str], hidden: tuple[str, str] | None, fixes: list[dict[str, Any]]
) -> dict[str, Any]:
    finding = placed.finding
    about = {
        "category": finding.category,
        "certainty": str(finding.certainty),
        "snapshots": list(finding.snapshots),
        "evidence": plain(finding.evidence),
        "counterexample": plain(finding.counterexample),
        "assumes": list(finding.assumes),
    }
    text = f"{finding.message}\nhelp: {finding.remedy}" if finding.remedy else finding.message
    found: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": names.index(finding.rule),
        "level": LEVELS[finding.severity or Severity.ERROR],
        "message": _message(text),
        "locations": [_location(finding.at.file, placed.span, placed.path, gone=placed.base)],
        "partialFingerprints": {FINGERPRINT: finding.id},
        "properties": {key: value for key, value in about.items() if value},
    }
    if placed.related:
        found["relatedLocations"] = [
            {
                "id": number,
                "message": _message(related.role),
                **_location(related.file, related.span, related.path, gone=related.base),
            }
            for number, related in enumerate(placed.related, 1)
        ]
    if fixes:
        found["fixes"] = fixes
    if hidden is not None:
        kind, reason = hidden
        found["suppressions"] = [{"kind": kind, **({"justification": reason} if reason else {})}]
    return found


def _fixes(placed: Placed, result: Result) -> list[dict[str, Any]]:
    """The repairs that a tool may apply: none that admits more traffic, none that was applied already."""
    repairs = () if result.changes else result.repairs or ()
    return [
        {
            "description": _message(f"{'; '.join(each.steps)} ({each.safety})"),
            "artifactChanges": [
                {
                    "artifactLocation": _physical(change.file, None)["artifactLocation"],
                    "replacements": [
                        {
                            "deletedRegion": _physical(change.file, edit.span)["region"],
                            "insertedContent": {"text": edit.text},
                        }
                        for edit in change.edits
                    ],
                }
                for change in each.changes
            ],
        }
        for each in repairs
        if placed.finding.id in each.fixes and each.safety is not Safety.OPENING
    ]


def _location(file: str, span: Span, path: Path, *, gone: bool) -> dict[str, Any]:
    """A place; what stood only in the base revision has no region in the files that a viewer has."""
    found: dict[str, Any] = {"physicalLocation": _physical(file, None if gone else span)}
    if path:
        found["logicalLocations"] = [{"fullyQualifiedName": _pointer(path)}]
    return found


def _physical(file: str, span: Span | None) -> dict[str, Any]:
    uri = quote(file.encode("utf-8", "surrogateescape"), safe="/")
    found: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}}
    if span is not None:
        found["region"] = {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }
    return found


def _pointer(path: Iterable[str | int]) -> str:
    return "/".join(str(step) for step in path)


def _message(text: str) -> dict[str, str]:
    """A message; its text is no place for links (section 3.11.6) that a manifest might want to smuggle in."""
    lines = "\n".join(escape(line) for line in text.split("\n"))
    return {"text": lines.replace("](", "\\](")}
