"""Findings in test data: where they concern no training group, they are notes (decision 16)."""

from __future__ import annotations

from dataclasses import replace

from trainlint.engine.repository_state import State
from trainlint.finding import Finding, Location, Severity
from trainlint.source.examples import example_of

__all__ = ["of_test_data"]


def of_test_data(finding: Finding, state: State) -> Finding:
    """The finding; a note where it stands in a directory of tests, fixtures or examples and concerns no group."""
    if finding.severity is Severity.NOTE or not example_of(finding.at.file) or finding.at.base:
        return finding
    places = (finding.at, *(related.at for related in finding.places))
    if any(_is_of_group(place, state) for place in places):
        return finding
    return replace(finding, severity=Severity.NOTE)


def _is_of_group(place: Location, state: State) -> bool:
    return (place.file, place.document) in state.grouped
