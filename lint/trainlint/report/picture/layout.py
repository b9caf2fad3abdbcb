"""Where the parts of a picture stand: zones are columns, roles are rows, and arrows run in the gaps between them."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.report.picture.view import Arrow, Box, Column, View

__all__ = ["LINE", "Label", "Layout", "Line", "Rect", "arrange", "clipped", "wrapped"]

WIDTH: Final = 248
"""Of a column, in pixels as everything here."""
GAP: Final = 210
MARGIN: Final = 16
PAD: Final = 12
LINE: Final = 15
TITLE: Final = 26
ROW_GAP: Final = 26
CHARS: Final = 32
"""Characters that fit into a line of a box."""
LABEL_CHARS: Final = 26
BOX_LINES: Final = 4
LANE: Final = 12
CHAR: Final = 6.6
"""The width of a character of a label, more or less."""


@fact
class Rect:
    """A rectangle with the lines of text in it."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...] = ()

    @property
    def middle(self) -> float:
        """Half of its height."""
        return self.y + self.height / 2

    def meets(self, other: Rect) -> bool:
        """Whether the two share a point."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )


@fact
class Label:
    """The text of an arrow, in a rectangle that covers nothing else."""

    rect: Rect


@fact
class Line:
    """An arrow: its path (SVG), and its label."""

    path: str
    label: Label


@fact
class Layout:
    """The size of the picture, and the rectangles of its parts in their order; ``pools`` by column."""

    width: float
    height: float
    columns: tuple[Rect, ...]
    pools: tuple[tuple[Rect, ...], ...]
    boxes: tuple[Rect, ...]
    lines: tuple[Line, ...]


def arrange(view: View) -> Layout:
    """The layout of a picture: the same for the same view, every time."""
    return _Arranger(view).layout()


def wrapped(text: str, chars: int, lines: int) -> tuple[str, ...]:
    """The text in lines; what does not fit is cut, and marked so."""
    found = textwrap.wrap(" ".join(text.split()), chars) or [""]
    kept = [clipped(line, chars) for line in found[:lines]]
    if len(found) > lines:
        kept[-1] = kept[-1][: chars - 1].rstrip() + "…"
    return tuple(kept)


def clipped(text: str, chars: int) -> str:
    """The text in one line of so many characters."""
    return text if len(text) <= chars else text[: chars - 1] + "…"


class _Arranger:
    def __init__(self, view: View) -> None:
        self.view = view
        self.x = {column.key: MARGIN + number * (WIDTH + GAP) for number, column in enumerate(view.columns)}
        self.order = {column.key: number for number, column in enumerate(view.columns)}
        self.rows = sorted({max(box.row, 0) for box in view.boxes})
        self.labels: list[Rect] = []
        self.used: Counter[tuple[int, str]] = Counter()
        self.lanes: Counter[object] = Counter()

    def layout(self) -> Layout:
        view = self.view
        pools = [tuple(self._pools(column)) for column in view.columns]
        top = MARGIN + TITLE + max((rects[-1].y + rects[-1].height for rects in pools if rects), default=0) + PAD
        texts = [self._text(box) for box in view.boxes]
        y = self._rows(top, texts)
        bottom = y[max(self.rows)][1] + PAD if self.rows else top
        boxes = tuple(
            Rect(self.x[box.column] + PAD, y[max(box.row, 0)][0], WIDTH - 2 * PAD, self._height(text), text)
            for box, text in zip(view.boxes, texts, strict=True)
        )
        columns = tuple(
            Rect(self.x[column.key], MARGIN, WIDTH, bottom - MARGIN, (clipped(column.title, 30),))
            for column in view.columns
        )
        sides = self._sides(boxes)
        lines = tuple(self._line(arrow, boxes, sides, y) for arrow in view.arrows)
        right = max([*(each.x + each.width for each in (*columns, *self.labels)), 0]) + MARGIN
        low = max([*(each.y + each.height for each in (*columns, *self.labels)), 0]) + MARGIN
        placed = tuple(
            tuple(
                Rect(self.x[column.key] + PAD, MARGIN + TITLE + rect.y, rect.width, rect.height, rect.lines)
                for rect in rects
            )
            for column, rects in zip(view.columns, pools, strict=True)
        )
        return Layout(right, low, columns, placed, boxes, lines)

    @staticmethod
    def _pools(column: Column) -> Iterator[Rect]:
        """The small boxes of pools, from the top of the column's inside."""
        y = 0.0
        for pool in column.pools:
            lines = tuple(line for text in pool for line in wrapped(text, CHARS + 3, 2))
            yield Rect(0, y, WIDTH - 2 * PAD, len(lines) * (LINE - 2) + 8, lines)
            y += len(lines) * (LINE - 2) + 8 + 5

    @staticmethod
    def _text(box: Box) -> tuple[str, ...]:
        lines = [line for text in box.lines for line in wrapped(text, CHARS, BOX_LINES)]
        return (clipped(box.title, 28), *lines)

    @staticmethod
    def _height(text: Sequence[str]) -> float:
        return len(text) * LINE + 12

    def _rows(self, top: float, texts: Sequence[tuple[str, ...]]) -> dict[int, tuple[float, float]]:
        """The top and bottom of each row; between two is room for the labels of the arrows there."""
        heights = dict.fromkeys(self.rows, 0.0)
        for box, text in zip(self.view.boxes, texts, strict=True):
            heights[max(box.row, 0)] = max(heights[max(box.row, 0)], self._height(text))
        found, y = {}, top
        for number, row in enumerate(self.rows):
            found[row] = (y, y + heights[row])
            y += heights[row] + max(ROW_GAP, self._labels_below(number))
        return found

    def _labels_below(self, number: int) -> float:
        """The room that labels of arrows between a row and the next one in the same column take."""
        boxes = self.view.boxes
        room = 0.0
        pair = set(self.rows[number : number + 2])
        for arrow in self.view.arrows:
            one, other = boxes[arrow.source], boxes[arrow.target]
            if one.column == other.column and {one.row, other.row} == pair and len(pair) == 2:
                room = max(room, len(arrow.lines) * LINE + 22)
        return room

    def _sides(self, boxes: Sequence[Rect]) -> dict[tuple[int, str], int]:
        """How many arrows begin or end at each side of each box."""
        sides: Counter[tuple[int, str]] = Counter()
        for arrow in self.view.arrows:
            for side in self._ends(arrow):
                sides[side] += 1
        return sides

    def _ends(self, arrow: Arrow) -> tuple[tuple[int, str], tuple[int, str]]:
        """The sides of the boxes at which an arrow begins and ends."""
        one, other = (self.view.boxes[each] for each in (arrow.source, arrow.target))
        first, last = self.order[one.column], self.order[other.column]
        if first != last:
            return (
                (arrow.source, "right" if first < last else "left"),
                (arrow.target, "left" if first < last else "right"),
            )
        if self._adjacent(one, other):
            down = one.row < other.row
            return ((arrow.source, "bottom" if down else "top"), (arrow.target, "top" if down else "bottom"))
        return ((arrow.source, "right"), (arrow.target, "right"))

    def _adjacent(self, one: Box, other: Box) -> bool:
        return abs(self.rows.index(max(one.row, 0)) - self.rows.index(max(other.row, 0))) == 1

    def _port(
        self, side: tuple[int, str], boxes: Sequence[Rect], sides: dict[tuple[int, str], int]
    ) -> tuple[float, float]:
        """The point at which the next arrow meets a side: they are spread over it."""
        rect, where = boxes[side[0]], side[1]
        self.used[side] += 1
        part = self.used[side] / (sides[side] + 1)
        if where in {"left", "right"}:
            return rect.x + (rect.width if where == "right" else 0), rect.y + rect.height * part
        return rect.x + rect.width * (0.15 + 0.5 * part), rect.y + (rect.height if where == "bottom" else 0)

    def _line(
        self,
        arrow: Arrow,
        boxes: Sequence[Rect],
        sides: dict[tuple[int, str], int],
        rows: dict[int, tuple[float, float]],
    ) -> Line:
        start, end = self._ends(arrow)
        x1, y1 = self._port(start, boxes, sides)
        x2, y2 = self._port(end, boxes, sides)
        one, other = (self.view.boxes[each] for each in (arrow.source, arrow.target))
        first, last = self.order[one.column], self.order[other.column]
        lines = tuple(clipped(line, LABEL_CHARS) for line in arrow.lines)
        if first == last and start[1] in {"top", "bottom"}:
            path = f"M{x1:.0f},{y1:.0f} C{x1:.0f},{(y1 + y2) / 2:.0f} {x2:.0f},{(y1 + y2) / 2:.0f} {x2:.0f},{y2:.0f}"
            return Line(path, self._label((x1 + x2) / 2 + 10, (y1 + y2) / 2, lines))
        if first == last:  # itself, or over other roles: around them in the gap at the right
            out = self.x[one.column] + WIDTH + 14 + LANE * self._lane(("right", first))
            if start == end:
                y1, y2 = y1 - 6, y2 + 6
                if y2 - y1 < 20:
                    y1, y2 = (y1 + y2) / 2 - 12, (y1 + y2) / 2 + 12
            path = f"M{x1:.0f},{y1:.0f} H{out - 6:.0f} Q{out:.0f},{y1:.0f} {out:.0f},{y1 + (6 if y2 > y1 else -6):.0f} "
            path += f"V{y2 - (6 if y2 > y1 else -6):.0f} Q{out:.0f},{y2:.0f} {out - 6:.0f},{y2:.0f} H{x2:.0f}"
            return Line(path, self._label(out + 8, (y1 + y2) / 2, lines))
        if abs(first - last) == 1:
            middle = (x1 + x2) / 2
            path = f"M{x1:.0f},{y1:.0f} C{middle:.0f},{y1:.0f} {middle:.0f},{y2:.0f} {x2:.0f},{y2:.0f}"
            return Line(path, self._label(middle, (y1 + y2) / 2, lines, centred=True))
        return self._around(one, (x1, y1), (x2, y2), lines, rows)

    def _around(
        self,
        box: Box,
        start: tuple[float, float],
        end: tuple[float, float],
        lines: tuple[str, ...],
        rows: dict[int, tuple[float, float]],
    ) -> Line:
        """Past the columns between, in the gap below the row where it begins."""
        (x1, y1), (x2, y2) = start, end
        sign = 1 if x1 < x2 else -1
        lane = self._lane(("below", box.row))
        near, far = x1 + sign * (30 + LANE * lane), x2 - sign * (30 + LANE * lane)
        channel = rows[max(box.row, 0)][1] + 8 + 6 * (lane % 4)
        path = f"M{x1:.0f},{y1:.0f} H{near:.0f} V{channel:.0f} H{far:.0f} V{y2:.0f} H{x2:.0f}"
        return Line(path, self._label(far - sign * 12, (y2 + channel) / 2, lines, centred=True))

    def _lane(self, key: object) -> int:
        self.lanes[key] += 1
        return self.lanes[key] - 1

    def _label(self, x: float, y: float, lines: tuple[str, ...], *, centred: bool = False) -> Label:
        """The nearest free place for a label: it moves up or down until it covers no other."""
        width = max(len(line) for line in lines) * CHAR + 10
        height = len(lines) * LINE + 4
        left = x - width / 2 if centred else x
        for step in range(60):
            shift = (step + 1) // 2 * LINE * (1 if step % 2 else -1)
            rect = Rect(max(left, 2.0), max(y - height / 2 + shift, 2.0), width, height, lines)
            if not any(rect.meets(other) for other in self.labels):
                break
        self.labels.append(rect)
        return Label(rect)
