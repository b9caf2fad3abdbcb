"""Source lines with the marked range underlined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.finding import Span
from trainlint.report.terminal import Paint, cells, width, wrap

__all__ = ["Frame", "excerpt"]

CUT: Final = "..."
LONG: Final = 4096
"""Characters of a longer line that are looked at: a line may hold megabytes."""
NEAR: Final = 1024
"""How many of them stand before the mark."""
CONTEXT: Final = 16
"""How many columns before a mark stay visible where a long line is cut."""


class Frame:
    """The left edge of a finding: a gutter for line numbers, as wide as the longest of them."""

    def __init__(self, last_line: int, paint: Paint, columns: int) -> None:
        self.paint = paint
        self.gutter = max(2, len(str(last_line)))
        self.room = max(24, columns - self.gutter - 3)

    def row(self, text: str = "", number: int | None = None, bar: str = "|") -> str:
        """One line behind the edge, with a line number or without; ``text`` may hold colours."""
        head = f"{'' if number is None else number:>{self.gutter}} {bar}"
        return self.paint("frame", head) + (f" {text}" if text else "")


def excerpt(frame: Frame, lines: Sequence[str], span: Span, style: str, label: str = "") -> Iterator[str]:
    """The source lines of ``span``, underlined (carets for a finding, dashes for what belongs to it), and ``label``."""
    if not lines:
        if label:
            yield from (frame.row(text, bar="=") for text in wrap(label, frame.room))
        return
    if _last(span) == span.line:
        yield from _line(frame, lines[0], span, style, label)
    else:
        yield from _block(frame, lines, span, style, label)


def _last(span: Span) -> int:
    """The last line that holds a character of the span (its end is exclusive)."""
    return span.end_line if span.end_column > 1 else max(span.line, span.end_line - 1)


def _line(frame: Frame, source: str, span: Span, style: str, label: str) -> Iterator[str]:
    start = span.column - 1
    end = span.end_column - 1 if span.end_line == span.line else len(source.rstrip())
    text, column, length = _window(source, start, end, frame.room)
    yield frame.row()
    yield frame.row(text, span.line)
    yield from _label(frame, " " * column + frame.paint(style, _mark(style) * length), column + length, style, label)


def _block(frame: Frame, lines: Sequence[str], span: Span, style: str, label: str) -> Iterator[str]:
    edge = frame.paint(style, "|")
    room = frame.room - 2
    last = _last(span)
    yield frame.row()
    for offset, source in enumerate(lines[: last - span.line + 1]):
        text, _, _ = _window(source, 0, 0, room)
        yield frame.row(f"{frame.paint(style, '/') if offset == 0 else edge} {text}".rstrip(), span.line + offset)
    if span.line + len(lines) - 1 < last:
        yield frame.row(f"{edge} {CUT}")
    yield from _label(frame, frame.paint(style, "|_" + _mark(style)), 3, style, label)


def _mark(style: str) -> str:
    return "-" if style == "frame" else "^"


def _label(frame: Frame, marks: str, used: int, style: str, label: str) -> Iterator[str]:
    shown = wrap(label, frame.room)
    if len(shown) == 1 and used + 1 + width(shown[0]) <= frame.room:
        yield frame.row(f"{marks} {frame.paint(style, shown[0])}")
        return
    yield frame.row(marks)
    yield from (frame.row(frame.paint(style, text)) for text in shown)


def _window(source: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """The part of a line that is shown, and where in it the mark begins and how many columns it takes."""
    source = source.rstrip()
    before = max(0, start - NEAR) if len(source) > LONG else 0
    behind = len(source) > before + LONG
    shown = cells(source[before : before + LONG])
    start, end = start - before, end - before
    count = len(shown) - 1
    start = min(max(start, 0), count)
    end = min(max(end, start), count)
    first, stop = 0, count
    if shown[count][1] > room:
        if shown[end][1] > room - len(CUT):
            first = next(i for i, (_, column) in enumerate(shown) if column >= shown[start][1] - CONTEXT)
        used = len(CUT) if first or before else 0
        limit = room - used + shown[first][1]
        if shown[count][1] > limit:
            stop = next(i for i in range(count, -1, -1) if shown[i][1] <= limit - len(CUT))
    head, tail = CUT if first or before else "", CUT if stop < count or behind else ""
    text = head + "".join(part for part, _ in shown[first:stop]) + tail
    column = len(head) + shown[min(start, stop)][1] - shown[first][1]
    length = shown[min(end, stop)][1] - shown[min(start, stop)][1]
    return text, column, max(1, length)
