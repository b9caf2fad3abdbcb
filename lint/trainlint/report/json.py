"""The report for programs: its schema is ``trainlint_schemas/report.json``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from trainlint import __version__
from trainlint.finding import Path, Severity, Span
from trainlint.report.needs_json import needs_data
from trainlint.report.options import Options
from trainlint.report.values import plain
from trainlint.result import Baseline, Comparison, GroupVerdict, Placed, PlacedRelated, PlacedUnknown, Result

__all__ = ["place_data", "render"]


def render(result: Result, options: Options) -> str:
    """The whole result, also the suppressed findings; keys in a fixed order; ASCII, so safe in any log."""
    return json.dumps(data(result), indent=2, allow_nan=False) + "\n"


def data(result: Result) -> dict[str, Any]:
    """The report as plain data."""
    comparison = {} if result.comparison is None else {"comparison": _comparison(result.comparison)}
    baseline = {} if result.baseline is None else {"baseline": _baseline(result.baseline)}
    return {
        "schema": 1,
        "trainlint": __version__,
        "analysed": result.analysed,
        "snapshots": [
            {"name": snapshot.name, "documents": snapshot.documents, "why": snapshot.why}
            for snapshot in result.snapshots
        ],
        "findings": [finding_data(placed) for placed in result.findings],
        "groups": [_group(group) for group in result.groups],
        "unknowns": [_unknown(unknown) for unknown in result.unknowns],
        "suppressed": [{**finding_data(placed), "reason": placed.reason} for placed in result.suppressed],
        "assumptions": list(result.assumptions),
        "failures": [{"rule": failure.rule, "message": failure.message} for failure in result.failures],
        **comparison,
        **baseline,
        **({} if result.repairs is None else _repairs(result)),
    }


def _repairs(result: Result) -> dict[str, Any]:
    from trainlint.fix.diff import unified  # noqa: PLC0415 (only where repairs were asked for)

    applied = bool(result.changes)
    return {
        "repairs": [
            {
                "steps": list(each.steps),
                "safety": str(each.safety),
                "applied": applied,
                "group": each.group,
                "snapshot": each.snapshot,
                "fixes": list(each.fixes),
                "opens": list(each.opens),
                "leaves": list(each.leaves),
                "changes": [
                    {
                        "file": change.file,
                        "edits": [{**_span(edit.span), "text": edit.text} for edit in change.edits],
                        "diff": unified(change.file, change.before, change.after),
                    }
                    for change in each.changes
                ],
            }
            for each in result.repairs or ()
        ],
        "unrepaired": [asdict(each) for each in result.unrepaired],
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "base": comparison.base,
        "commit": comparison.commit,
        "fixed": [finding_data(placed) for placed in comparison.fixed],
        "unchanged": comparison.unchanged,
    }


def _baseline(baseline: Baseline) -> dict[str, Any]:
    return {
        "file": baseline.file,
        "written": baseline.written,
        "accepted": [finding_data(placed) for placed in baseline.accepted],
        "stale": [asdict(entry) for entry in baseline.stale],
    }


def _span(span: Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def _place(file: str, span: Span, path: Path, *, base: bool) -> dict[str, Any]:
    return {
        "file": file,
        **_span(span),
        "path": list(path),
        **({"base": True} if base else {}),
    }


def finding_data(placed: Placed) -> dict[str, Any]:
    finding = placed.finding
    optional = {"counterexample": plain(finding.counterexample)} if finding.counterexample else {}
    return {
        "id": finding.id,
        "rule": finding.rule,
        "category": finding.category,
        "severity": str(finding.severity or Severity.ERROR),
        "certainty": str(finding.certainty),
        "message": finding.message,
        "remedy": finding.remedy,
        "snapshots": list(finding.snapshots),
        "location": _place(finding.at.file, placed.span, placed.path, base=placed.base),
        "related": [
            {
                "role": related.role,
                **_place(related.file, related.span, related.path, base=related.base),
                **({"cause": related.cause} if related.cause else {}),
            }
            for related in placed.related
        ],
        "evidence": plain(finding.evidence),
        **optional,
        "assumes": list(finding.assumes),
    }


def _group(group: GroupVerdict) -> dict[str, Any]:
    optional: dict[str, Any] = {"counterexample": plain(group.counterexample)} if group.counterexample else {}
    place = {"place": group.place} if group.place else {}
    return {
        "name": group.name,
        **place,
        "kind": group.kind,
        "snapshot": group.snapshot,
        "pods": group.pods,
        "exists": str(group.exists),
        "for_all": str(group.for_all),
        "viable_zones": list(group.viable_zones),
        "witness": plain(group.witness),
        **optional,
        "missing": list(group.missing),
        "notes": list(group.notes),
        "roles": [
            {
                "name": role.name,
                "pods": role.pods,
                "zones": None if role.zones is None else list(role.zones),
                "dependency": role.dependency,
            }
            for role in group.roles
        ],
        "flows": [
            {
                "source": flow.source,
                "target": flow.target,
                "ports": flow.ports,
                "denied": flow.denied,
                "cut": [list(pair) for pair in flow.cut],
            }
            for flow in group.flows
        ],
        "connections": str(group.connections),
        **({} if group.needs is None else {"needs": needs_data(group.needs)}),
    }


def _unknown(unknown: PlacedUnknown) -> dict[str, Any]:
    place = {} if unknown.file is None else {"file": unknown.file}
    line = {} if unknown.file is None or unknown.line is None else {"line": unknown.line}
    return {"subject": unknown.subject, "missing": unknown.missing, "remedy": unknown.remedy, **place, **line}


def place_data(placed: PlacedRelated) -> dict[str, Any]:
    """A place in the text, with its lines."""
    return {
        "file": placed.file,
        "line": placed.span.line,
        "column": placed.span.column,
        "end_line": placed.span.end_line,
        "end_column": placed.span.end_column,
        "path": list(placed.path),
        "source": list(placed.lines),
    }
