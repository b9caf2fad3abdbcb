"""One finding as text, like a good compiler's message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.finding import Certainty, Severity, Span
from trainlint.report.address import url_of
from trainlint.report.excerpt import Frame, excerpt
from trainlint.report.terminal import Paint, escape, paragraphs, width, wrap
from trainlint.report.values import compact, listed
from trainlint.result import Placed

__all__ = ["diagnostic", "place"]

EXCERPTS: Final = 6
"""How many related places are shown with their source; the others get one line each."""

SNAPSHOTS: Final = 4
"""How many snapshots are named; the report in JSON names them all."""

SHORT: Final = 8
"""Characters of a finding's identity that are shown; it may be abbreviated further."""


def place(file: str, span: Span, *, base: bool = False) -> str:
    """``file:line:column``, as editors and terminals open it; ``base`` says that it is one of the base revision."""
    return f"{escape(file)}:{span.line}:{span.column}" + (" (in the base revision)" if base else "")


def diagnostic(placed: Placed, paint: Paint, columns: int, *, several_snapshots: bool = False) -> Iterator[str]:
    """The lines of one finding, none of them cut; only source lines longer than ``columns`` are, visibly."""
    finding = placed.finding
    severity = finding.severity or Severity.ERROR
    yield from _headline(f"{severity}[{finding.rule}]:", finding.message, severity, paint, columns)
    here = (finding.at.file, placed.span, placed.base)
    places = _merged(placed)
    last = max(span.line + max(len(lines), 1) - 1 for (_, span, _), (_, lines) in places.items())
    frame = Frame(last, paint, columns)
    pad = " " * frame.gutter

    yield f"{pad}{paint('frame', '-->')} {place(*here[:2], base=placed.base)}"
    roles, lines = places.pop(here)
    yield from excerpt(frame, lines, placed.span, severity, roles)
    for count, ((file, span, base), (roles, lines)) in enumerate(places.items()):
        yield f"{pad}{paint('frame', ':::')} {place(file, span, base=base)}"
        yield from excerpt(frame, lines if count < EXCERPTS else (), span, "frame", roles)
    yield frame.row()

    if finding.evidence:
        yield from _footer(frame, "values", _entries(finding.evidence), "bold")
    if finding.counterexample:
        yield from _footer(frame, "counterexample", _placement(finding.counterexample), "bold")
    if finding.certainty is not Certainty.PROVEN:
        yield from _footer(frame, "certainty", [f"{finding.certainty}: rests on experience, not on a proof"], "bold")
    if finding.remedy:
        yield from _footer(frame, "help", [finding.remedy], "help")
    if finding.id and any(related.cause for related in placed.related):
        yield from _footer(frame, "proof", [f"trainlint explain {finding.id[:SHORT]}"], "bold")
    if address := url_of(finding.rule):
        yield from _footer(frame, "page", [address], "bold")
    if finding.assumes:
        yield from _footer(frame, "assumes", list(finding.assumes), "bold")
    if several_snapshots and finding.snapshots:
        yield from _footer(frame, "snapshots", [listed(finding.snapshots, SNAPSHOTS)], "bold")
    if placed.reason:
        yield from _footer(frame, "suppressed", [placed.reason], "bold")


def _merged(placed: Placed) -> dict[tuple[str, Span, bool], tuple[str, tuple[str, ...]]]:
    """Each place once, that of the finding first, with all its roles and its source lines."""
    found: dict[tuple[str, Span, bool], tuple[dict[str, None], tuple[str, ...]]] = {
        (placed.finding.at.file, placed.span, placed.base): ({}, placed.lines)
    }
    for related in placed.related:
        here = (related.file, related.span, related.base)
        found.setdefault(here, ({}, related.lines))[0][related.role] = None
    return {here: ("; ".join(roles), lines) for here, (roles, lines) in found.items()}


def _headline(head: str, message: str, severity: Severity, paint: Paint, columns: int) -> Iterator[str]:
    first, *rest = wrap(f"{head} {message}", columns)
    colon = len(head)
    yield paint(severity, first[:colon]) + paint("bold", first[colon:])
    # Continuation lines are wrapped anew: they are indented, the first is not.
    if rest:
        yield from (f"  {paint('bold', line)}" for line in wrap(" ".join(rest), columns - 2))


def _entries(values: Mapping[str, Any]) -> list[str]:
    return [f"{key}: {compact(value)}" for key, value in values.items()]


def _placement(pods: Mapping[str, Any]) -> list[str]:
    return [f"{name} -> {_where(place)}" for name, place in pods.items()]


def _where(place: Any) -> str:
    # A name, several names, or how many pods are where.
    if isinstance(place, Mapping) and all(isinstance(count, int) for count in place.values()):
        return ", ".join(f"{count} in {domain}" for domain, count in place.items())
    return compact(place)


def _footer(frame: Frame, title: str, entries: list[str], style: str) -> Iterator[str]:
    indent = width(title) + 2
    head = frame.paint(style, f"{title}:") + " "
    for entry in entries:
        for count, line in enumerate(paragraphs(entry, frame.room - indent - 2)):
            hanging = "  " if count and not line.startswith(" ") else ""
            yield frame.row(head + line, bar="=") if head.strip() else " " * (frame.gutter + 3) + head + hanging + line
            head = " " * indent
