"""One finding as text, like a good compiler's message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.finding import Certainty, Severity, Span
from trainlint.report.excerpt import Frame, excerpt
from trainlint.report.terminal import Paint, escape, paragraphs, width, wrap
from trainlint.report.values import compact
from trainlint.result import Placed

__all__ = ["diagnostic", "place"]

EXCERPTS: Final = 6
"""How many related places are shown with their source; the others get one line each."""


def place(file: str, span: Span) -> str:
    """``file:line:column``, as editors and terminals open it."""
    return f"{escape(file)}:{span.line}:{span.column}"


def diagnostic(placed: Placed, paint: Paint, columns: int, *, several_snapshots: bool = False) -> Iterator[str]:
    """The lines of one finding, none of them cut; only source lines longer than ``columns`` are, visibly."""
    finding = placed.finding
    severity = finding.severity or Severity.ERROR
    yield from _headline(f"{severity}[{finding.rule}]:", finding.message, severity, paint, columns)
    numbers = [placed.span.line, *(related.span.line for related in placed.related)]
    lengths = [len(placed.lines), *(len(related.lines) for related in placed.related)]
    frame = Frame(max(line + max(count, 1) - 1 for line, count in zip(numbers, lengths, strict=True)), paint, columns)
    pad = " " * frame.gutter

    yield f"{pad}{paint('frame', '-->')} {place(finding.at.file, placed.span)}"
    yield from excerpt(frame, placed.lines, placed.span, severity)
    for count, related in enumerate(placed.related):
        yield f"{pad}{paint('frame', ':::')} {place(related.file, related.span)}"
        yield from excerpt(frame, related.lines if count < EXCERPTS else (), related.span, "frame", related.role)
    yield frame.row()

    if finding.evidence:
        yield from _footer(frame, "values", _entries(finding.evidence, ": "), "bold")
    if finding.counterexample:
        yield from _footer(frame, "counterexample", _entries(finding.counterexample, " -> "), "bold")
    if finding.certainty is not Certainty.PROVEN:
        yield from _footer(frame, "certainty", [f"{finding.certainty}: rests on experience, not on a proof"], "bold")
    if finding.remedy:
        yield from _footer(frame, "help", [finding.remedy], "help")
    if finding.assumes:
        yield from _footer(frame, "assumes", list(finding.assumes), "bold")
    if several_snapshots and finding.snapshots:
        yield from _footer(frame, "snapshots", [", ".join(finding.snapshots)], "bold")
    if placed.reason:
        yield from _footer(frame, "suppressed", [placed.reason], "bold")


def _headline(head: str, message: str, severity: Severity, paint: Paint, columns: int) -> Iterator[str]:
    first, *rest = wrap(f"{head} {message}", columns)
    colon = len(head)
    yield paint(severity, first[:colon]) + paint("bold", first[colon:])
    # Continuation lines are wrapped anew: they are indented, the first is not.
    if rest:
        yield from (f"  {paint('bold', line)}" for line in wrap(" ".join(rest), columns - 2))


def _entries(values: Mapping[str, Any], joint: str) -> list[str]:
    return [f"{key}{joint}{compact(value)}" for key, value in values.items()]


def _footer(frame: Frame, title: str, entries: list[str], style: str) -> Iterator[str]:
    indent = width(title) + 2
    head = frame.paint(style, f"{title}:") + " "
    for entry in entries:
        for count, line in enumerate(paragraphs(entry, frame.room - indent - 2)):
            hanging = "  " if count and not line.startswith(" ") else ""
            yield frame.row(head + line, bar="=") if head.strip() else " " * (frame.gutter + 3) + head + hanging + line
            head = " " * indent
