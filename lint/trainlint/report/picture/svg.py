"""A picture as SVG: every part with something to say is a link to the note that says it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from trainlint.model.known import Answer
from trainlint.report.element import Child, Markup, element, joined
from trainlint.report.picture.layout import LINE, Layout, Rect
from trainlint.report.picture.view import Arrow, Box, Column, View

__all__ = ["ANSWERS", "drawing"]

ANSWERS: Final = {
    Answer.PROVED: "takes the group",
    Answer.REFUTED: "does not take it",
    Answer.CONDITIONAL: "may take the group",
    Answer.UNKNOWN: "not decided",
}
MARKS: Final = {Answer.PROVED: "✓", Answer.REFUTED: "✕", Answer.CONDITIONAL: "◇", Answer.UNKNOWN: "?"}


def drawing(view: View, layout: Layout, key: str, *, notes: str = "", title: str) -> Markup:
    """The inside of an ``svg`` element. ``key`` begins its own names; ``notes`` those of the notes that parts link to
    (empty: they link to nothing).
    """
    painter = _Painter(view, key, notes)
    parts: list[Child] = [element("title", title), _markers(key, {arrow.tone for arrow in view.arrows})]
    for column, rect, pools in zip(view.columns, layout.columns, layout.pools, strict=True):
        parts.append(painter.column(column, rect, pools))
    arrows = list(zip(view.arrows, layout.lines, strict=True))
    parts += [painter.box(box, rect) for box, rect in zip(view.boxes, layout.boxes, strict=True)]
    parts += [painter.line(arrow, line.path) for arrow, line in arrows if arrow.lines]
    parts += [painter.arrow(arrow, line.path, line.label) for arrow, line in arrows]
    return joined(parts)


def _markers(key: str, tones: Collection[str]) -> Markup:
    """The heads of arrows: a tip for what arrives, a bar for what does not."""
    tip = "M0,0 L8,4 L0,8 z"
    shapes = {"good": tip, "slow": tip, "open": "M0,0 L8,4 L0,8", "bad": "M6,0 V8"}
    return element(
        "defs",
        *(
            element(
                "marker",
                element("path", d=shape, class_=f"head {tone}"),
                id=f"{key}-{tone}",
                viewBox="0 0 8 8",
                refX=7,
                refY=4,
                markerWidth=9,
                markerHeight=9,
                markerUnits="userSpaceOnUse",
                orient="auto-start-reverse",
            )
            for tone, shape in shapes.items()
            if tone in tones
        ),
    )


class _Painter:
    def __init__(self, view: View, key: str, notes: str) -> None:
        self.view, self.key, self.notes = view, key, notes

    def column(self, column: Column, rect: Rect, pools: tuple[Rect, ...]) -> Markup:
        tone = "" if column.answer is None else f" {column.answer}"
        mark = "" if column.answer is None else f"{MARKS[column.answer]} {ANSWERS[column.answer]}"
        head = [
            _words(rect.x + 12, rect.y + 19, rect.lines[0], "zone-name"),
            _words(rect.x + rect.width - 12, rect.y + 19, mark, f"zone-answer{tone}", "end"),
        ]
        return element(
            "g",
            _rect(rect, f"zone{tone}", 10),
            self._item(column.note, *head, hit=Rect(rect.x, rect.y, rect.width, 28)),
            *(part for pool in pools for part in (_rect(pool, "pool", 4), *_pool_lines(pool))),
        )

    def box(self, box: Box, rect: Rect) -> Markup:
        lines = [_words(rect.x + 10, rect.y + 18, rect.lines[0], "role-name")]
        lines += [
            _words(rect.x + 10, rect.y + 18 + LINE * number, line, "role-line")
            for number, line in enumerate(rect.lines[1:], 1)
        ]
        number = self.view.notes[box.note].number
        badge = _badge(rect.x + rect.width - 15, rect.y + 14, number) if number else None
        return self._item(box.note, _rect(rect, f"role {box.state}", 6), *lines, badge)

    def line(self, arrow: Arrow, path: str) -> Markup:
        """The line of an arrow, below all labels; who chooses it chooses the label, which alone is told of."""
        drawn = self._path(arrow, path)
        if not self.notes:
            return drawn
        return element("a", drawn, href=f"#{self.notes}-{arrow.note}", class_="line", tabindex=-1, aria_hidden="true")

    def _path(self, arrow: Arrow, path: str) -> Markup:
        head = f"url(#{self.key}-{arrow.tone})"
        start = head if arrow.both else None
        return element("path", d=path, class_=f"arrow {arrow.tone}", marker_end=head, marker_start=start)

    def arrow(self, arrow: Arrow, path: str, rect: Rect) -> Markup:
        """The label of an arrow; the line itself where it has none."""
        if not arrow.lines:
            return self._item(arrow.note, self._path(arrow, path))
        number = self.view.notes[arrow.note].number
        return self._item(
            arrow.note,
            _rect(rect, f"label {arrow.tone}", 4),
            *_label_lines(rect, arrow.tone, arrow.verdict),
            _badge(rect.x - 6, rect.y + 9, number) if number else None,
        )

    def _item(self, index: int, *children: Child, hit: Rect | None = None) -> Markup:
        """A part that explains itself: a link to its note where there are notes, and a tool tip."""
        note = self.view.notes[index]
        tip = element("title", f"{note.number}: {note.title}" if note.number else note.title)
        area = [] if hit is None else [_rect(hit, "hit", 6)]
        if not self.notes:
            return element("g", tip, *area, *children)
        return element("a", tip, *area, *children, href=f"#{self.notes}-{index}", class_="item")


def _rect(rect: Rect, name: str, radius: int) -> Markup:
    x, y, width, height = (round(each) for each in (rect.x, rect.y, rect.width, rect.height))
    return element("rect", x=x, y=y, width=width, height=height, rx=radius, class_=name)


def _words(x: float, y: float, words: str, name: str, anchor: str | None = None) -> Markup:
    return element("text", words, x=round(x), y=round(y), class_=name, text_anchor=anchor)


def _pool_lines(rect: Rect) -> Iterator[Markup]:
    for number, line in enumerate(rect.lines):
        yield _words(rect.x + 8, rect.y + 15 + (LINE - 2) * number, line, "pool-name" if number == 0 else "pool-line")


def _label_lines(rect: Rect, tone: str, verdict: int) -> Iterator[Markup]:
    for number, line in enumerate(rect.lines):
        name = "verdict" if number == verdict else "ports" if number < verdict else "where"
        yield _words(rect.x + 6, rect.y + 13 + LINE * number, line, f"label-line {name} {tone}")


def _badge(x: float, y: float, number: int) -> Markup:
    return element(
        "g",
        element("circle", cx=x, cy=y, r=9, class_="badge"),
        _words(x, y + 4, str(number), "badge-number", "middle"),
    )
