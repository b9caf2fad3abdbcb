"""Findings about what one part of a change does to several groups: one finding for each part."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from trainlint.finding import Finding, Location, one_after_the_other

__all__ = ["as_one"]

NAMED: Final = 5
"""Groups that are named."""


def as_one(findings: Iterable[Finding], rules: Collection[str]) -> list[Finding]:
    """The findings; of those of some rules that stand at one place and say the same of several groups, the first for
    all of them.
    """
    found: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        found.setdefault(_kind(finding) if finding.rule in rules else number, []).append(finding)
    return [_joined(each) for each in found.values()]


def _kind(finding: Finding) -> tuple[str, Location, str, str]:
    """The rule, the place, and what is said but for the group."""
    said = ", ".join(f"{name} {value}" for name, value in finding.evidence.items())
    return finding.rule, finding.at, said, finding.cause.removeprefix(", ".join(finding.groups))


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
