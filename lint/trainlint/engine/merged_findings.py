"""Findings about what one part of a change does to one group or several: one finding for each part."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from trainlint.finding import Finding, Location, one_after_the_other

__all__ = ["as_one"]

NAMED: Final = 5
"""Groups that are named."""


def as_one(findings: Iterable[Finding], rules: Collection[str]) -> list[Finding]:
    """The findings; of those of some rules that stand at one place, one for what is said of one group, and the first
    for all groups of which the same is said.
    """
    places: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        key = (finding.rule, finding.at, _answer(finding), finding.groups) if finding.rule in rules else number
        places.setdefault(key, []).append(finding)
    found: dict[object, list[Finding]] = {}
    for number, finding in enumerate(map(_merged, places.values())):
        found.setdefault(_kind(finding) if finding.rule in rules else number, []).append(finding)
    return [_joined(each) for each in found.values()]


def _merged(findings: list[Finding]) -> Finding:
    """The first finding, with what the others add; one that says nothing of its own leaves it as it is."""
    first, *others = findings
    added = dict.fromkeys(each.predicate for each in others if each.predicate and each.predicate != first.predicate)
    if not added:
        return first
    places = (place for each in findings for place in each.places)
    message = "; it ".join((first.message, *added))
    return replace(first, message=message, predicate="", related=tuple(dict.fromkeys(places)))


def _kind(finding: Finding) -> tuple[str, Location, str, str]:
    """The rule, the place, and what is said but for the group."""
    return finding.rule, finding.at, _answer(finding), finding.cause.removeprefix(", ".join(finding.groups))


def _answer(finding: Finding) -> str:
    """What the finding is about, as its evidence says."""
    return ", ".join(f"{name} {value}" for name, value in finding.evidence.items())


def _joined(findings: list[Finding]) -> Finding:
    first, *others = findings
    names = list(dict.fromkeys(name for each in others for name in each.groups if name not in first.groups))
    if not names:
        return first
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return replace(
        first,
        message=f"{first.message}; likewise {', '.join(names[:NAMED])}{more}",
        groups=(*first.groups, *names),
        related=one_after_the_other(*(each.related for each in findings)),
        snapshots=tuple(dict.fromkeys(name for each in findings for name in each.snapshots)),
    )
