"""Exit codes."""

from __future__ import annotations

from typing import Final

from trainlint.finding import Severity
from trainlint.model.known import Answer
from trainlint.result import Result

__all__ = ["CLEAN", "FINDINGS", "INTERNAL", "INTERRUPTED", "NOTHING", "UNKNOWN", "USAGE", "exit_code"]

CLEAN: Final = 0
FINDINGS: Final = 1
USAGE: Final = 2
UNKNOWN: Final = 3
NOTHING: Final = 4
INTERNAL: Final = 70
INTERRUPTED: Final = 130


def exit_code(result: Result, *, fail_on: Severity, strict: bool, usage_error: bool = False) -> int:
    """The exit code: the first that applies of 70 (a rule broke), 2 (wrong usage), 1 (findings at or above
    ``fail_on``), 3 and 4 (if strict).
    """
    if result.failures:
        return INTERNAL
    if usage_error:
        return USAGE
    if any((placed.finding.severity or Severity.ERROR).rank <= fail_on.rank for placed in result.findings):
        return FINDINGS
    if strict and (result.unknowns or any(group.answer is Answer.UNKNOWN for group in result.groups)):
        return UNKNOWN
    return NOTHING if strict and not result.analysed else CLEAN
