"""A picture as SVG: every part with something to say is a link to the note that says it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.report.element import Child, Markup, element
from trainlint.report.picture.layout import LINE, Label, Layout, Rect, arrange
from trainlint.report.picture.view import Arrow, Box, Column, Note, View

__all__ = ["ANSWERS", "drawing"]

ANSWERS: Final = {Answer.PROVED: "takes the group", Answer.REFUTED: "does not take it", Answer.UNKNOWN: "not decided"}
MARKS: Final = {Answer.PROVED: "✓", Answer.REFUTED: "✕", Answer.UNKNOWN: "?"}
ARROWS: Final = {Permission.ALLOW: "good", Permission.DENY: "bad", Permission.UNKNOWN: "open"}


def drawing(view: View, key: str, *, title: str, link: bool) -> tuple[Markup, Layout]:
    """The inside of an ``svg`` element, and its layout. ``key`` begins the names of the notes to which parts link."""
    layout = arrange(view)
    painter = _Painter(view, key, link=link)
    parts: list[Child] = [element("title", title), _markers(key)]
    for column, rect, pools in zip(view.columns, layout.columns, layout.pools, strict=True):
        parts.append(painter.column(column, rect, pools))
    arrows = list(zip(view.arrows, layout.lines, strict=True))
    parts += [painter.box(box, rect) for box, rect in zip(view.boxes, layout.boxes, strict=True)]
    parts += [painter.arrow(arrow, line.path, line.label) for arrow, line in arrows]
    return Markup("".join(filter(None, parts))), layout


def _markers(key: str) -> Markup:
    """The heads of arrows: a tip for what arrives, a bar for what does not."""
    shapes = {"good": "M0,0 L8,4 L0,8 z", "open": "M0,0 L8,4 L0,8", "bad": "M6,0 V8"}
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
                orient="auto",
            )
            for tone, shape in shapes.items()
        ),
    )


class _Painter:
    def __init__(self, view: View, key: str, *, link: bool) -> None:
        self.view, self.key, self.linked = view, key, link

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

    def arrow(self, arrow: Arrow, path: str, label: Label) -> Markup:
        tone = ARROWS[arrow.answer]
        rect = label.rect
        number = self.view.notes[arrow.note].number
        return self._item(
            arrow.note,
            element("path", d=path, class_="hit"),
            element("path", d=path, class_=f"arrow {tone}", marker_end=f"url(#{self.key}-{tone})"),
            _rect(rect, f"label {tone}", 4),
            *_label_lines(rect, tone),
            _badge(rect.x - 6, rect.y + 9, number) if number else None,
        )

    def _item(self, index: int, *children: Child, hit: Rect | None = None) -> Markup:
        """A part that explains itself: a link to its note where there are notes, and a tool tip."""
        note = self.view.notes[index]
        tip = element("title", _tip(note))
        area = [] if hit is None else [_rect(hit, "hit", 6)]
        if not self.linked:
            return element("g", tip, *area, *children)
        return element("a", tip, *area, *children, href=f"#{self.key}-{index}", class_="item", aria_label=_tip(note))


def _tip(note: Note) -> str:
    return ". ".join((f"{note.number}: {note.title}" if note.number else note.title, *note.texts))


def _rect(rect: Rect, name: str, radius: int) -> Markup:
    return element("rect", x=rect.x, y=rect.y, width=rect.width, height=rect.height, rx=radius, class_=name)


def _words(x: float, y: float, said: str, name: str, anchor: str | None = None) -> Markup:
    return element("text", said, x=x, y=y, class_=name, text_anchor=anchor)


def _pool_lines(rect: Rect) -> Iterator[Markup]:
    for number, line in enumerate(rect.lines):
        yield _words(rect.x + 8, rect.y + 15 + (LINE - 2) * number, line, "pool-name" if number == 0 else "pool-line")


def _label_lines(rect: Rect, tone: str) -> Iterator[Markup]:
    for number, line in enumerate(rect.lines):
        name = "verdict" if number == 1 else "ports" if number == 0 else "where"
        yield _words(rect.x + 6, rect.y + 13 + LINE * number, line, f"label-line {name} {tone}")


def _badge(x: float, y: float, number: int) -> Markup:
    return element(
        "g",
        element("circle", cx=x, cy=y, r=9, class_="badge"),
        _words(x, y + 4, str(number), "badge-number", "middle"),
    )
