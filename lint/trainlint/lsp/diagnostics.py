"""Findings as diagnostics, by file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lsprotocol.types import Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location

from trainlint.engine.observation import Observation
from trainlint.finding import Severity
from trainlint.lsp.positions import Texts
from trainlint.result import Placed

__all__ = ["SOURCE", "diagnostics"]

SOURCE: Final = "trainlint"
SEVERITIES: Final[Mapping[Severity, DiagnosticSeverity]] = {
    Severity.ERROR: DiagnosticSeverity.Error,
    Severity.WARNING: DiagnosticSeverity.Warning,
    Severity.NOTE: DiagnosticSeverity.Information,
}


def diagnostics(seen: Observation, texts: Texts) -> dict[str, list[Diagnostic]]:
    """The diagnostics of every file that has some, by URI."""
    found: dict[str, list[Diagnostic]] = {}
    for placed in seen.findings:
        found.setdefault(texts.uri(placed.finding.at.file), []).append(_diagnostic(placed, texts))
    return found


def _diagnostic(placed: Placed, texts: Texts) -> Diagnostic:
    finding = placed.finding
    parts = [finding.message]
    parts += [f"help: {finding.remedy}"] if finding.remedy else []
    parts += [f"in {', '.join(finding.snapshots)}"] if finding.snapshots not in ((), (".",)) else []
    related = [
        DiagnosticRelatedInformation(Location(texts.uri(each.file), texts.range(each.file, each.span)), each.role)
        for each in placed.related
    ]
    return Diagnostic(
        range=texts.range(finding.at.file, placed.span),
        severity=SEVERITIES[finding.severity or Severity.ERROR],
        code=finding.rule,
        source=SOURCE,
        message="\n".join(parts),
        related_information=related or None,
        data={"id": finding.id},
    )
