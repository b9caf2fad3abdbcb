"""Zones below each other, for narrow screens: arrows between zones run at the right, their labels stand in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.report.picture.layout import (
    LABEL_CHARS,
    LANE,
    MARGIN,
    PAD,
    TITLE,
    WIDTH,
    Layout,
    Line,
    Rect,
    Spread,
    bracket,
    clipped,
    column_title,
    height_of,
    moved,
    pool_rects,
    size_of,
    text_of,
)
from trainlint.report.picture.view import Arrow, View

__all__ = ["below"]

SPACE: Final = 8


def below(view: View) -> Layout:
    """The layout: the same for the same view, every time."""
    return _Below(view).layout()


class _Below:
    def __init__(self, view: View) -> None:
        self.view = view
        self.order = {column.key: number for number, column in enumerate(view.columns)}
        self.inside = [
            sorted((index for index, box in enumerate(view.boxes) if box.column == column.key), key=self._row)
            for column in view.columns
        ]
        self.labels: dict[int, Rect] = {}
        self.boxes: dict[int, Rect] = {}

    def _row(self, index: int) -> int:
        return self.view.boxes[index].row

    def layout(self) -> Layout:
        view = self.view
        columns, pools = [], []
        y = float(MARGIN)
        for number, column in enumerate(view.columns):
            top, y = y, y + TITLE
            rects = tuple(moved(rect, MARGIN + PAD, y) for rect in pool_rects(column))
            y = max((rect.bottom for rect in rects), default=y) + PAD
            for index in self.inside[number]:
                text = text_of(view.boxes[index])
                self.boxes[index] = Rect(MARGIN + PAD, y, WIDTH - 2 * PAD, height_of(text), text)
                y = self._room(self.boxes[index].bottom + SPACE, self._of_box(index))
            y += PAD - SPACE
            columns.append(Rect(MARGIN, top, WIDTH, y - top, (column_title(column),)))
            pools.append(rects)
            y = self._room(y + SPACE, self._of_gap(number)) + SPACE
        spread = Spread([end for arrow in view.arrows for end in self._ends(arrow)])
        lines = tuple(self._line(number, arrow, spread) for number, arrow in enumerate(view.arrows))
        right = max((each.right for each in self.labels.values()), default=0.0)
        return Layout(
            width=max(MARGIN + WIDTH + 14 + LANE * len(view.arrows), right) + MARGIN,
            height=y + MARGIN,
            columns=tuple(columns),
            pools=tuple(pools),
            boxes=tuple(self.boxes[index] for index in range(len(view.boxes))),
            lines=lines,
        )

    def _zones(self, arrow: Arrow) -> tuple[int, int]:
        one, other = (self.order[self.view.boxes[each].column] for each in (arrow.source, arrow.target))
        return min(one, other), max(one, other)

    def _of_box(self, index: int) -> list[int]:
        """The arrows whose labels stand below a box: those in its zone of which it is the upper end."""
        return [
            number
            for number, arrow in enumerate(self.view.arrows)
            if self._zones(arrow)[0] == self._zones(arrow)[1]
            and min(arrow.source, arrow.target, key=self._row) == index
        ]

    def _of_gap(self, zone: int) -> list[int]:
        """The arrows whose labels stand below a zone: those that lead out of it to one further down."""
        return [
            number
            for number, arrow in enumerate(self.view.arrows)
            if self._zones(arrow)[0] == zone != self._zones(arrow)[1]
        ]

    def _room(self, y: float, arrows: Sequence[int]) -> float:
        """Put the labels of arrows below each other; where the next thing may begin."""
        for number in arrows:
            lines = tuple(clipped(line, LABEL_CHARS) for line in self.view.arrows[number].lines)
            width, height = size_of(lines)
            self.labels[number] = Rect(MARGIN + WIDTH - PAD - width, y, width, height, lines)
            y += height + SPACE if lines else 0
        return y

    def _ends(self, arrow: Arrow) -> tuple[tuple[int, str], tuple[int, str]]:
        return (arrow.source, "right"), (arrow.target, "right")

    def _line(self, number: int, arrow: Arrow, spread: Spread) -> Line:
        x1, y1 = spread.point(arrow.source, "right", self.boxes[arrow.source])
        x2, y2 = spread.point(arrow.target, "right", self.boxes[arrow.target])
        if abs(y2 - y1) < 24:
            middle = (y1 + y2) / 2
            y1, y2 = (middle - 12, middle + 12) if y1 <= y2 else (middle + 12, middle - 12)
        return Line(bracket((x1, y1), (x2, y2), MARGIN + WIDTH + 14 + LANE * number), self.labels[number])
