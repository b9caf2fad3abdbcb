"""A Code Quality report for GitLab's merge requests."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from trainlint.finding import Severity
from trainlint.report.options import Options
from trainlint.report.terminal import escape
from trainlint.result import Placed, Result

__all__ = ["render"]

SEVERITIES: Final = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.NOTE: "info"}


def render(result: Result, options: Options) -> str:
    """The findings as a JSON list; a rule that broke is an entry too, as such a report has no other place for it."""
    entries = [_entry(placed) for placed in result.findings]
    entries += [
        {
            "description": f"trainlint is broken: rule {failure.rule}: {escape(failure.message)}",
            "check_name": "internal-error",
            "fingerprint": _hash("internal-error", failure.rule),
            "severity": "blocker",
            "location": {"path": ".", "lines": {"begin": 1}},
        }
        for failure in result.failures
    ]
    return json.dumps(entries, indent=2) + "\n"


def _entry(placed: Placed) -> dict[str, Any]:
    finding = placed.finding
    return {
        "description": escape(" ".join(finding.message.split())),
        "check_name": finding.rule,
        # GitLab keeps one of two entries with one fingerprint, and alternatives define one object in several files.
        "fingerprint": _hash(finding.id, finding.at.file),
        "severity": SEVERITIES[finding.severity or Severity.ERROR],
        "location": {"path": finding.at.file, "lines": {"begin": placed.span.line}},
    }


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
