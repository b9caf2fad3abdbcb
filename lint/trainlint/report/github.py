"""Annotations of a pull request, by the workflow commands that GitHub's runner reads from standard output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from trainlint.finding import Severity, Span
from trainlint.report.options import Options
from trainlint.report.terminal import escape
from trainlint.result import Placed, Result

__all__ = ["render"]

LIMIT: Final = 10
"""How many annotations of one kind GitHub shows for a step."""

COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(result: Result, options: Options) -> str:
    """The most severe findings as annotations, as many as GitHub shows; the rest is counted in a notice."""
    return "".join(f"{line}\n" for line in _lines(result))


def _lines(result: Result) -> Iterator[str]:
    room = dict.fromkeys(Severity, LIMIT)
    for failure in result.failures:
        room[Severity.ERROR] -= 1
        if room[Severity.ERROR] >= 0:
            text = f"rule {failure.rule} broke: {failure.message}. What it would have found is missing."
            yield _command("error", {"title": "trainlint: internal error"}, text)
    found = Counter(_severity(placed) for placed in result.findings)
    if any(found[severity] > max(0, room[severity]) for severity in Severity):
        room[Severity.NOTE] -= 1  # for the notice that counts the rest
    left: Counter[Severity] = Counter()
    for placed in sorted(result.findings, key=lambda placed: _severity(placed).rank):
        severity = _severity(placed)
        if room[severity] > 0:
            room[severity] -= 1
            yield _annotation(placed, severity)
        else:
            left[severity] += 1
    if left:
        counts = ", ".join(f"{left[each]} {each}{'' if left[each] == 1 else 's'}" for each in Severity if left[each])
        text = f"and {counts} more: GitHub shows {LIMIT} of a kind for one step; the job's log or summary has them all"
        yield _command("notice", {"title": "trainlint"}, text)


def _severity(placed: Placed) -> Severity:
    return placed.finding.severity or Severity.ERROR


def _annotation(placed: Placed, severity: Severity) -> str:
    finding = placed.finding
    properties: dict[str, str] = {}
    text = finding.message
    if placed.base:
        text = f"{text} (it stood in {finding.at.file}:{placed.span.line} of the base revision)"
    else:
        properties = {"file": finding.at.file, **_range(placed.span)}
    if finding.remedy:
        text += f"\nhelp: {finding.remedy}"
    return _command(COMMANDS[severity], {**properties, "title": finding.rule}, text)


def _range(span: Span) -> dict[str, str]:
    """Columns only within one line: GitHub refuses them for several."""
    last = span.end_line if span.end_column > 1 else max(span.line, span.end_line - 1)
    if last != span.line:
        return {"line": str(span.line), "endLine": str(last)}
    end = span.end_column - 1 if span.end_line == span.line else span.column
    return {"line": str(span.line), "col": str(span.column), "endColumn": str(max(span.column, end))}


def _command(name: str, properties: dict[str, str], text: str) -> str:
    """One command in one line; what steers commands is escaped as the runner unescapes it."""
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {given}::{_data(text)}"


def _data(text: str) -> str:
    lines = [escape(line) for line in text.split("\n")]
    return "%0A".join(line.replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
