"""What follows the findings: snapshots, the verdict on each group, unknowns, assumptions, and the last line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.finding import Severity
from trainlint.report.table import table
from trainlint.report.terminal import Paint, paragraphs, wrap
from trainlint.result import Baseline, Comparison, PlacedUnknown, Result
from trainlint.result.answers import can_run, connections, decided, every_placement, worst_first

__all__ = ["overview", "summary"]

NEEDS: Final = "`trainlint needs` says what the cluster must have, and writes it as an Inventory"
FOLDED: Final = 6
"""Kinds of unknowns, and assumptions, that are shown where they are folded."""
NO_REMEDY: Final = "write the value in Git, or run on the rendered manifests"
"""What helps where an unknown names nothing better."""
SUBJECTS: Final = 5
"""How many subjects of one kind of unknown are named; the others are counted."""


def overview(result: Result, paint: Paint, columns: int, *, verbose: bool = True) -> Iterator[str]:
    """The lines of all sections that have something to say, an empty line after each. Without ``verbose``, of many
    unknowns and assumptions the first are shown and the others counted.
    """
    for lines in (
        _snapshots(result, paint, columns),
        _groups(result, paint, columns),
        _unknowns(result.unknowns, paint, columns, verbose=verbose),
        _assumptions(result.assumptions, paint, columns, verbose=verbose),
        _failures(result, paint, columns),
        _comparison(result.comparison, len(result.findings), paint, columns),
        _baseline(result.baseline, paint, columns),
    ):
        section = list(lines)
        if section:
            yield from section
            yield ""


def summary(result: Result, paint: Paint, columns: int) -> Iterator[str]:
    """The last line: how many findings, how many groups proved."""
    counts = Counter(placed.finding.severity or Severity.ERROR for placed in result.findings)
    new = "new " if result.comparison else ""
    found = ", ".join(_count(counts[severity], f"{new}{severity}") for severity in Severity if counts[severity])
    found = found or f"no {new}findings"
    if result.suppressed:
        found += f" ({len(result.suppressed)} suppressed)"
    said = decided(result.groups)
    parts = [found, _count(len(result.groups), "group") + (f": {said}" if said else "")]
    if result.unknowns:
        parts.append(_count(len(result.unknowns), "unknown fact"))
    if result.failures:
        parts.append(_count(len(result.failures), "rule") + " failed")
    if not result.analysed:
        documents = _count(sum(snapshot.documents for snapshot in result.snapshots), "document")
        parts.append(f"nothing to analyse: no training workload was found in {documents}")
    worst = min(counts, key=lambda severity: severity.rank, default=None)
    yield from (paint(worst or "good", line) for line in wrap("; ".join(parts), columns))


def _title(text: str, paint: Paint) -> str:
    return paint("bold", text)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _item(text: str, columns: int, mark: str = "- ") -> Iterator[str]:
    for line in wrap(text, columns - len(mark)):
        yield mark + line
        mark = " " * len(mark)


def _snapshots(result: Result, paint: Paint, columns: int) -> Iterator[str]:
    if len(result.snapshots) < 2:
        return
    yield _title("snapshots", paint)
    rows = [(snapshot.name, str(snapshot.documents), snapshot.why) for snapshot in result.snapshots]
    for line in table(("name", "documents", "why"), rows, paint, columns - 2, flexible=2):
        yield f"  {line}"


def _groups(result: Result, paint: Paint, columns: int) -> Iterator[str]:
    if not result.groups:
        return
    several = len(result.snapshots) > 1
    yield _title("groups", paint)
    header = ("name", *(("snapshot",) if several else ()), "pods", "can run", "every placement", "connections")
    rows = [
        (
            group.shown,
            *((group.snapshot,) if several else ()),
            "?" if group.pods is None else str(group.pods),
            can_run(group),
            every_placement(group),
            connections(group),
        )
        for group in worst_first(result.groups)
    ]
    for line in table(header, rows, paint, columns - 2, flexible=3 if several else 2):
        yield f"  {line}"
    if any(group.needs is not None for group in result.groups):
        head = f"{paint('help', 'help:')} "
        for line in wrap(NEEDS, columns - 8):
            yield f"  {head}{line}"
            head = " " * 6
    for (mark, text), names in _by_remark(result, several=several).items():
        yield from (f"  {line}" for line in _item(f"{', '.join(names)}: {text}", columns - 2, f"{mark}: "))


def _by_remark(result: Result, *, several: bool) -> dict[tuple[str, str], list[str]]:
    remarks: dict[tuple[str, str], list[str]] = {}
    for group in result.groups:
        told = {unknown.missing for unknown in result.unknowns if group.name in unknown.subject}
        missing = tuple(text for text in group.missing if text not in told)
        name = f"{group.name} ({group.snapshot})" if several else group.name
        for mark, texts in (("unknown", missing), ("note", group.notes)):
            for text in texts:
                names = remarks.setdefault((mark, text), [])
                if name not in names:
                    names.append(name)
    return remarks


def _unknowns(unknowns: Iterable[PlacedUnknown], paint: Paint, columns: int, *, verbose: bool) -> Iterator[str]:
    grouped: dict[tuple[str, str], dict[str, int]] = {}
    for unknown in unknowns:
        where = unknown.subject
        if unknown.file is not None:
            where += f" ({unknown.file}{'' if unknown.line is None else f':{unknown.line}'})"
        subjects = grouped.setdefault((unknown.missing, unknown.remedy), {})
        subjects[where] = subjects.get(where, 0) + 1
    if not grouped:
        return
    yield _title("unknown", paint)
    shown = len(grouped) if verbose or len(grouped) <= FOLDED else FOLDED
    for (missing, remedy), subjects in list(grouped.items())[:shown]:
        number = sum(subjects.values())
        yield from _item(missing + (f" ({number} times)" if number > 1 else ""), columns, "  - ")
        named = list(subjects)[:SUBJECTS]
        for subject in named:
            yield from _item(subject, columns, "      ")
        if len(subjects) > len(named):
            yield f"      and {len(subjects) - len(named)} more"
        head = f"{paint('help', 'help:')} "
        for line in paragraphs(remedy or NO_REMEDY, columns - 12):
            yield f"      {head}{line}"
            head = " " * 6
    yield from _folded(len(grouped) - shown, columns)


def _assumptions(assumptions: Iterable[str], paint: Paint, columns: int, *, verbose: bool) -> Iterator[str]:
    texts = list(dict.fromkeys(assumptions))
    if not texts:
        return
    shown = len(texts) if verbose or len(texts) <= FOLDED else FOLDED
    yield _title("assumed", paint)
    for text in texts[:shown]:
        yield from _item(text, columns, "  - ")
    yield from _folded(len(texts) - shown, columns)


def _folded(number: int, columns: int) -> Iterator[str]:
    """How many are not shown."""
    if number > 0:
        yield from _item(f"and {number} more: --verbose shows all of them", columns, "  ")


def _comparison(comparison: Comparison | None, new: int, paint: Paint, columns: int) -> Iterator[str]:
    if comparison is not None:
        commit = f" ({comparison.commit[:12]})" if comparison.commit else " (no commit yet)"
        text = f"{new} new, {len(comparison.fixed)} fixed, {comparison.unchanged} unchanged"
        yield _title("compared", paint)
        yield from _item(f"with {comparison.base}{commit}: {text}", columns, "  ")


def _baseline(baseline: Baseline | None, paint: Paint, columns: int) -> Iterator[str]:
    if baseline is None:
        return
    yield _title("baseline", paint)
    written = "written, " if baseline.written else ""
    yield from _item(f"{baseline.file}: {written}{_count(len(baseline.accepted), 'finding')} accepted", columns, "  ")
    if baseline.stale and not baseline.written:
        number = len(baseline.stale)
        gone = (
            "1 entry is stale: its finding is gone" if number == 1 else f"{number} entries are stale: no such finding"
        )
        yield from _item(f"{gone}; write it anew with --write-baseline", columns, "  ")
        for entry in baseline.stale[:SUBJECTS]:
            yield from _item(f"{entry.rule} in {entry.file}: {entry.message}", columns, "  - ")
        if number > SUBJECTS:
            yield f"    and {number - SUBJECTS} more"


def _failures(result: Result, paint: Paint, columns: int) -> Iterator[str]:
    if not result.failures:
        return
    yield paint("error", "internal errors")
    for failure in result.failures:
        yield from _item(f"rule {failure.rule} broke: {failure.message}", columns, "  - ")
    text = "What these rules would have found is missing above. This is a fault of trainlint: please report it."
    yield from _item(text, columns, "  ")
