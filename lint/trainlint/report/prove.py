"""Proofs for people, as tables: text for a terminal, and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.model.known import Answer
from trainlint.questions.table import GroupTable, Row, ZoneRow
from trainlint.report.markup import cell, code, prose
from trainlint.report.options import Options
from trainlint.report.table import table
from trainlint.report.terminal import Paint, wrap

__all__ = ["proof_markdown", "proof_text"]

HEADER: Final = ("pods", "role", "pool", "zone", "nodes", "GPUs", "reaches")
LACKS: Final = 12
"""Reasons of one zone that are shown; the others are counted."""


def proof_text(groups: Sequence[GroupTable], options: Options) -> str:
    """Every group, one after the other."""
    if not groups:
        return "there are no groups: nothing to prove\n"
    several = len({each.snapshot for each in groups}) > 1
    pages = (_Page(each, Paint(options.color), options.width).lines(several=several) for each in groups)
    return "\n".join("\n".join(page) + "\n" for page in pages)


class _Page:
    """One group as text."""

    def __init__(self, group: GroupTable, paint: Paint, columns: int) -> None:
        self.group, self.paint, self.columns = group, paint, columns

    def lines(self, *, several: bool) -> Iterator[str]:
        """The page; ``several`` snapshots are told apart."""
        group = self.group
        where = f" in {group.snapshot}" if several else ""
        title = f"{group.group} ({group.kind}){where}: exists {group.exists}, for all {group.for_all}"
        yield from (self.paint("bold", line) for line in wrap(title, self.columns))
        if group.witness:
            yield from self._text("a placement that works")
            yield from self._placement(group.witness)
        if group.counterexample:
            yield from self._text(f"a placement that the scheduler may choose: {group.why_bad}")
            yield from self._placement(group.counterexample)
        if group.zones:
            yield from self._text("zones")
            rows = [(zone.name, str(zone.answer), _lacks(zone, group)) for zone in group.zones]
            header = ("zone", "answer", "what is missing")
            yield from (f"    {line}" for line in table(header, rows, self.paint, self.columns - 4, flexible=2))
        if group.blamed:
            yield from self._text(f"see the findings of {', '.join(group.blamed)}")
        for text in group.needs:
            yield from self._text(f"needs: {text}")
        for text in group.missing:
            yield from self._text(f"unknown: {text}")
        for text in group.notes:
            yield from self._text(f"note: {text}")

    def _text(self, text: str) -> Iterator[str]:
        yield from (f"  {line}" for line in wrap(text, self.columns - 2))

    def _placement(self, rows: Sequence[Row]) -> Iterator[str]:
        shown = [_cells(row) for row in rows]
        yield from (f"    {line}" for line in table(HEADER, shown, self.paint, self.columns - 4, flexible=6))


def _cells(row: Row) -> tuple[str, ...]:
    parts = [", ".join(row.reaches)]
    parts += [f"not {', '.join(row.cut)}"] if row.cut else []
    parts += [f"perhaps {', '.join(row.unsure)}"] if row.unsure else []
    return (
        row.pods,
        row.role,
        row.pool or "any",
        row.zone,
        str(row.nodes or "-"),
        "?" if row.gpus is None else str(row.gpus),
        "; ".join(filter(None, parts)) or "-",
    )


def _lacks(zone: ZoneRow, group: GroupTable) -> str:
    """What is missing in a zone; a group may be refuted for something that no zone could change."""
    more = f"; and {len(zone.lacks) - LACKS} more" if len(zone.lacks) > LACKS else ""
    nothing = "nothing in the zone: see the findings" if group.exists is Answer.REFUTED else "nothing"
    return "; ".join(zone.lacks[:LACKS]) + more or nothing


def proof_markdown(groups: Sequence[GroupTable]) -> str:
    """Every group as a section with tables."""
    if not groups:
        return "There are no groups: nothing to prove.\n"
    return "\n".join("\n".join(_section(each)) + "\n" for each in groups)


def _section(group: GroupTable) -> Iterator[str]:
    yield f"### {code(group.group)}: exists {group.exists}, for all {group.for_all}"
    yield ""
    yield prose(f"{group.kind} in snapshot {group.snapshot}")
    for title, rows in (
        ("A placement that works", group.witness),
        (f"A placement that the scheduler may choose: {group.why_bad}", group.counterexample),
    ):
        if rows:
            yield from ("", prose(title), "")
            yield from _rows(HEADER, [_cells(row) for row in rows])
    if group.zones:
        yield from ("", "Zones", "")
        zones = [(zone.name, str(zone.answer), _lacks(zone, group)) for zone in group.zones]
        yield from _rows(("zone", "answer", "what is missing"), zones)
    remarks = [f"see the findings of {', '.join(group.blamed)}"] if group.blamed else []
    remarks += [f"unknown: {text}" for text in group.missing]
    remarks += [f"note: {text}" for text in group.notes]
    if remarks:
        yield ""
        yield from (f"- {prose(remark)}" for remark in remarks)


def _rows(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(cell(each) for each in row)} |"
