"""Tables that stay readable on a narrow terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.report.terminal import Paint, escape, width, wrap

__all__ = ["table"]

GAP: Final = "  "
NARROWEST: Final = 12
STYLES: Final = {
    "proved": "good",
    "yes": "good",
    "ok": "good",
    "refuted": "bad",
    "no": "bad",
    "denied": "bad",
    "unknown": "open",
}
"""Words of a cell that have a colour of their own."""


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], paint: Paint, columns: int, *, flexible: int
) -> Iterator[str]:
    """Lines of a table that takes at most ``columns``: column ``flexible`` wraps, then the header does; then the first
    column gets its own line.
    """
    rows = [[escape(cell) for cell in row] for row in rows]
    widths = [max(width(cell) for cell in column) for column in zip(header, *rows, strict=True)]
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - columns
    if excess > 0:
        words = max((width(word) for row in rows for word in row[flexible].split()), default=0)
        needed = max(min(words, columns), min(NARROWEST, widths[flexible]), width(header[flexible]))
        widths[flexible], excess = max(needed, widths[flexible] - excess), 0
        excess = sum(widths) + len(GAP) * (len(widths) - 1) - columns
    if excess > 0:
        for i, title in enumerate(header):
            longest = max(width(word) for word in title.split())
            widths[i] = min(widths[i], max(longest, *(width(row[i]) for row in rows))) if i != flexible else widths[i]
        excess = sum(widths) + len(GAP) * (len(widths) - 1) - columns
    stacked = excess > 0 and len(header) > 1
    yield from _row(header, widths, paint, flexible, style="bold", stacked=stacked)
    for row in rows:
        yield from _row(row, widths, paint, flexible, stacked=stacked)


def _row(
    row: Sequence[str], widths: Sequence[int], paint: Paint, flexible: int, *, style: str = "", stacked: bool
) -> Iterator[str]:
    if stacked:
        yield paint(style, row[0]) if style else row[0]
        row = ["", *row[1:]]
        widths = [2, *widths[1:]]
    wraps = [bool(i == flexible or (style and cell)) for i, cell in enumerate(row)]
    parts = [wrap(cell, widths[i]) if wraps[i] else [cell] for i, cell in enumerate(row)]
    for level in range(max(1, *(len(part) for part in parts))):
        line: list[str] = []
        for i, part in enumerate(parts):
            text = part[level] if level < len(part) else ""
            space = " " * (widths[i] - width(text))
            line.append(paint(style or STYLES[text], text) + space if style or text in STYLES else text + space)
        yield GAP.join(line).rstrip()
