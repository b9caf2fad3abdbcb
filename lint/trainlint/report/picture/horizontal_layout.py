"""Zones beside each other, for wide screens: roles are rows, and arrows run in the gaps between the zones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trainlint.report.picture.layout import (
    GAP,
    LABEL_CHARS,
    LANE,
    LINE,
    MARGIN,
    PAD,
    ROW_GAP,
    TITLE,
    WIDTH,
    Layout,
    Line,
    Rect,
    Spread,
    bracket,
    clipped,
    column_title,
    free_place,
    height_of,
    moved,
    pool_rects,
    size_of,
    text_of,
)
from trainlint.report.picture.view import Arrow, Box, View

__all__ = ["beside"]

ROOM = 52
"""What arrows need beside their labels to be seen."""


def beside(view: View) -> Layout:
    """The layout: the same for the same view, every time."""
    return _Beside(view).layout()


class _Beside:
    def __init__(self, view: View) -> None:
        self.view = view
        self.order = {column.key: number for number, column in enumerate(view.columns)}
        self.rows = sorted({max(box.row, 0) for box in view.boxes})
        self.texts = [text_of(box) for box in view.boxes]
        self.spread = Spread([end for arrow in view.arrows for end in self._ends(arrow)])
        self.left = self._lefts()
        self.labels: list[Rect] = []
        self.lanes: Counter[tuple[str, int]] = Counter()

    def layout(self) -> Layout:
        view = self.view
        pools = [tuple(pool_rects(column)) for column in view.columns]
        top = MARGIN + TITLE + max((rects[-1].bottom for rects in pools if rects), default=0) + PAD
        self.y = self._rows(top)
        bottom = max((low for _, low in self.y.values()), default=top) + PAD
        self.boxes = [
            Rect(self._x(box.column) + PAD, self.y[max(box.row, 0)][0], WIDTH - 2 * PAD, height_of(text), text)
            for box, text in zip(view.boxes, self.texts, strict=True)
        ]
        columns = tuple(
            Rect(self._x(column.key), MARGIN, WIDTH, bottom - MARGIN, (column_title(column),))
            for column in view.columns
        )
        self.labels += self.boxes
        lines = tuple(self._line(arrow) for arrow in view.arrows)
        return Layout(
            width=max(each.right for each in (*columns, *self.labels)) + MARGIN + LANE,
            height=max(each.bottom for each in (*columns, *self.labels)) + MARGIN,
            columns=columns,
            pools=tuple(
                tuple(moved(rect, self._x(column.key) + PAD, MARGIN + TITLE) for rect in rects)
                for column, rects in zip(view.columns, pools, strict=True)
            ),
            boxes=tuple(self.boxes),
            lines=lines,
        )

    def _x(self, column: str) -> float:
        return self.left[self.order[column]]

    def _lefts(self) -> list[float]:
        """The left sides of the columns: between two is room for the labels of the arrows there, and no more."""
        last = len(self.view.columns) - 1
        gaps = [float(GAP)] * last
        for arrow in self.view.arrows:
            one, other = sorted(self.order[self.view.boxes[each].column] for each in (arrow.source, arrow.target))
            width = size_of([clipped(line, LABEL_CHARS) for line in arrow.lines])[0] + ROOM
            for gap in range(one, max(other, one + 1)):
                if gap < last:
                    gaps[gap] = max(gaps[gap], width)
        return [MARGIN + number * WIDTH + sum(gaps[:number]) for number in range(last + 1)]

    def _rows(self, top: float) -> dict[int, tuple[float, float]]:
        """The top and bottom of each row; between two is room for the labels of the arrows there."""
        heights = dict.fromkeys(self.rows, 0.0)
        for box, text in zip(self.view.boxes, self.texts, strict=True):
            heights[max(box.row, 0)] = max(heights[max(box.row, 0)], height_of(text))
        found, y = {}, top
        for number, row in enumerate(self.rows):
            found[row] = (y, y + heights[row])
            y += heights[row] + max(ROW_GAP, self._labels_below(number))
        return found

    def _labels_below(self, number: int) -> float:
        """The room that labels of arrows between a row and the next one in the same column take."""
        boxes = self.view.boxes
        room: Counter[str] = Counter()
        pair = set(self.rows[number : number + 2])
        for arrow in self.view.arrows:
            one, other = boxes[arrow.source], boxes[arrow.target]
            if one.column == other.column and {one.row, other.row} == pair and len(pair) == 2:
                room[one.column] += len(arrow.lines) * LINE + 8
        return max(room.values(), default=0) + 14

    def _ends(self, arrow: Arrow) -> tuple[tuple[int, str], tuple[int, str]]:
        """The sides of the boxes at which an arrow begins and ends."""
        one, other = (self.view.boxes[each] for each in (arrow.source, arrow.target))
        first, last = self.order[one.column], self.order[other.column]
        if first != last:
            sides = ("right", "left") if first < last else ("left", "right")
        elif self._adjacent(one, other):
            sides = ("bottom", "top") if one.row < other.row else ("top", "bottom")
        else:
            sides = ("right", "right")
        return (arrow.source, sides[0]), (arrow.target, sides[1])

    def _adjacent(self, one: Box, other: Box) -> bool:
        return abs(self.rows.index(max(one.row, 0)) - self.rows.index(max(other.row, 0))) == 1

    def _line(self, arrow: Arrow) -> Line:
        one, other = (self.view.boxes[each] for each in (arrow.source, arrow.target))
        (start, side), (end, entry) = self._ends(arrow)
        x1, y1 = self.spread.point(start, side, self.boxes[start])
        x2, y2 = self.spread.point(end, entry, self.boxes[end])
        first, last = self.order[one.column], self.order[other.column]
        lines = [clipped(line, LABEL_CHARS) for line in arrow.lines]
        middle = (y1 + y2) / 2
        if side in {"top", "bottom"}:
            path = f"M{x1:.0f},{y1:.0f} C{x1:.0f},{middle:.0f} {x2:.0f},{middle:.0f} {x2:.0f},{y2:.0f}"
            return Line(path, self._label((x1 + x2) / 2 + 10, middle, lines))
        if first == last:  # itself, or over other roles: around them in the gap at the right
            out = self._x(one.column) + WIDTH + 14 + LANE * self._lane("right", first)
            if abs(y2 - y1) < 24:
                y1, y2 = (middle - 12, middle + 12) if y1 <= y2 else (middle + 12, middle - 12)
            return Line(bracket((x1, y1), (x2, y2), out), self._label(out + 8, middle, lines))
        if abs(first - last) == 1:
            half = (x1 + x2) / 2
            path = f"M{x1:.0f},{y1:.0f} C{half:.0f},{y1:.0f} {half:.0f},{y2:.0f} {x2:.0f},{y2:.0f}"
            return Line(path, self._label(half - size_of(lines)[0] / 2, middle, lines))
        return self._around(one, (x1, y1), (x2, y2), lines)

    def _around(self, box: Box, start: tuple[float, float], end: tuple[float, float], lines: Sequence[str]) -> Line:
        """Past the columns between, in the gap below the row where it begins."""
        (x1, y1), (x2, y2) = start, end
        sign = 1 if x1 < x2 else -1
        lane = self._lane("below", box.row)
        near, far = x1 + sign * (30 + LANE * lane), x2 - sign * (30 + LANE * lane)
        channel = self.y[max(box.row, 0)][1] + 8 + 6 * (lane % 4)
        path = f"M{x1:.0f},{y1:.0f} H{near:.0f} V{channel:.0f} H{far:.0f} V{y2:.0f} H{x2:.0f}"
        return Line(path, self._label(far - sign * 12 - size_of(lines)[0] / 2, (y2 + channel) / 2, lines))

    def _lane(self, where: str, number: int) -> int:
        self.lanes[where, number] += 1
        return self.lanes[where, number] - 1

    def _label(self, x: float, y: float, lines: Sequence[str]) -> Rect:
        width, height = size_of(lines)
        return free_place(Rect(x, y - height / 2, width, height, tuple(lines)), self.labels)
