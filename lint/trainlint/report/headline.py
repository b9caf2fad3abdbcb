"""What happened, in a line or two of Markdown."""

from __future__ import annotations

from collections import Counter
from typing import Final

from trainlint.finding import Severity
from trainlint.model.known import Answer
from trainlint.model.root import Root
from trainlint.report.concern import groups_of
from trainlint.report.markup import clipped, code
from trainlint.report.values import listed
from trainlint.result import GroupVerdict, Placed, Result
from trainlint.result.answers import decided
from trainlint.rule import told_by

__all__ = ["NAME", "compared", "count", "headline", "severity_of"]

NAME: Final = 120
"""How long a name may be."""


PLACEMENT: Final = "placement"
"""The category of rules whose errors mean that a group runs nowhere; others may stand beside a slow placement."""

NOWHERE: Final = (Root.CONNECTION, Root.DNS, Root.EXCLUSIVE_TOPOLOGY, Root.PORTS, Root.ZONES)
"""Roots of which errors in other categories mean the same."""


def headline(result: Result) -> str:
    """What happened, in a few words."""
    if result.failures:
        return "trainlint itself broke: nothing is proved"
    new = "new " if result.comparison else ""
    stuck = _stuck(result)
    if stuck:
        return f"trainlint: {listed([code(clipped(name, NAME)) for name in stuck], 2)} cannot run"
    if result.findings:
        counts = Counter(severity_of(placed) for placed in result.findings)
        return "trainlint: " + ", ".join(count(counts[each], f"{new}{each}") for each in Severity if counts[each])
    if not result.analysed:
        return "trainlint: nothing to analyse"
    proved = sum(group.answer is Answer.PROVED for group in result.groups)
    if proved == len(result.groups):
        return f"trainlint: no {new}findings, every group is proved" if proved else f"trainlint: no {new}findings"
    return f"trainlint: no {new}findings; {count(len(result.groups), 'group')}: {decided(result.groups)}"


def compared(result: Result) -> str:
    """What the change did, and what a baseline hides."""
    said = []
    if result.comparison:
        fixed = [code(placed.finding.rule) for placed in result.comparison.fixed]
        which = f" ({listed(list(dict.fromkeys(fixed)), 5)})" if fixed else ""
        said.append(
            f"Compared with {code(clipped(result.comparison.base, NAME))}: {len(result.findings)} new, "
            f"{len(fixed)} fixed{which}, {result.comparison.unchanged} unchanged."
        )
    if result.baseline:
        stale = f", {len(result.baseline.stale)} stale" if result.baseline.stale else ""
        said.append(f"Accepted by {code(clipped(result.baseline.file, NAME))}: {len(result.baseline.accepted)}{stale}.")
    return " ".join(said)


def _stuck(result: Result) -> list[str]:
    """The groups with an error that no placement can run."""
    found: dict[str, None] = {}
    fatal = {told_by().get(root, PLACEMENT) for root in NOWHERE} | {PLACEMENT}
    for placed in result.findings:
        if severity_of(placed) is Severity.ERROR and {placed.finding.rule, placed.finding.category} & fatal:
            about: tuple[GroupVerdict, ...] = groups_of(placed, result.groups)
            found.update((group.name, None) for group in about if group.exists is Answer.REFUTED)
    return list(found)


def count(number: int, noun: str) -> str:
    """``1 error``, ``2 errors``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def severity_of(placed: Placed) -> Severity:
    """The severity of a finding, with the default that rules have."""
    return placed.finding.severity or Severity.ERROR
