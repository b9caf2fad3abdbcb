"""Findings that a comment suppresses."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable

from trainlint.engine.place import Places
from trainlint.finding import Finding
from trainlint.suppression import Suppression, read_suppressions

__all__ = ["apply"]

Suppressed = tuple[Finding, str]
"""A finding and the reason that the comment gives."""


def apply(
    findings: Iterable[Finding], places: Places, known: frozenset[str], today: dt.date
) -> tuple[list[Finding], list[Suppressed], list[Suppression]]:
    """The findings that stay, those that a comment suppresses, and all comments with what they were used for."""
    by_line: dict[tuple[str, int], list[Suppression]] = defaultdict(list)
    comments: list[Suppression] = []
    for reading in places.readings.values():
        if reading.suppression_lines:
            documents = [(document.index, document.line) for document in reading.documents]
            for each in read_suppressions(
                reading.file, reading.suppression_lines, list(places.lines(reading.file)), documents
            ):
                comments.append(each)
                by_line[each.at.file, each.applies_to].append(each)
    kept: list[Finding] = []
    suppressed: list[Suppressed] = []
    for finding in findings:
        by = _suppressor(finding, places, by_line, known, today) if by_line else None
        if by is None:
            kept.append(finding)
        else:
            suppressed.append((finding, by.reason))
    return kept, suppressed, comments


def _suppressor(
    finding: Finding,
    places: Places,
    by_line: dict[tuple[str, int], list[Suppression]],
    known: frozenset[str],
    today: dt.date,
) -> Suppression | None:
    span = finding.span or places.locate(finding.at)[1]
    here = by_line.get((finding.at.file, span.line), [])
    whole = [each for each in by_line.get((finding.at.file, 0), []) if each.at.document == finding.at.document]
    chosen: Suppression | None = None
    for each in (*here, *whole):
        for name in each.names:
            if name in known and name in {finding.rule, finding.category} and not each.expired(today):
                each.used.add(name)
                chosen = chosen or each
    return chosen
