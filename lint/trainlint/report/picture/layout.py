"""The parts of a picture as rectangles and paths, and what every way to arrange them shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern
from trainlint.report.picture.view import Box, Column

__all__ = [
    "GAP",
    "LABEL_CHARS",
    "LANE",
    "LINE",
    "MARGIN",
    "PAD",
    "ROW_GAP",
    "TITLE",
    "WIDTH",
    "Layout",
    "Line",
    "Rect",
    "Spread",
    "bracket",
    "clipped",
    "column_title",
    "free_place",
    "height_of",
    "moved",
    "pool_rects",
    "size_of",
    "text_of",
    "wrapped",
]

WIDTH: Final = 248
"""Of a zone, in pixels as everything here."""
GAP: Final = 48
"""Between zones that nothing connects."""
MARGIN: Final = 16
PAD: Final = 12
LINE: Final = 15
TITLE: Final = 26
ROW_GAP: Final = 26
TITLE_CHARS: Final = 22
CHARS: Final = 32
"""Characters that fit into a line of a box."""
LABEL_CHARS: Final = 26
BOX_LINES: Final = 4
LANE: Final = 12
CHAR: Final = 6.6
"""The width of a character of a label, more or less."""
ROUND: Final = 6
_SEPARATED: Final = lazy_pattern(r"[^/.=:,_-]*[/.=:,_-]|[^/.=:,_-]+")


@fact
class Rect:
    """A rectangle with the lines of text in it."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...] = ()

    @property
    def right(self) -> float:
        """The x of its right side, in pixels."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of its lower side, in pixels."""
        return self.y + self.height

    def meets(self, other: Rect) -> bool:
        """Whether the two share a point."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom


@fact
class Line:
    """An arrow: its path (SVG), and its label."""

    path: str
    label: Rect


@fact
class Layout:
    """The size of the picture, and the rectangles of its parts in their order; ``pools`` by column."""

    width: float
    height: float
    columns: tuple[Rect, ...]
    pools: tuple[tuple[Rect, ...], ...]
    boxes: tuple[Rect, ...]
    lines: tuple[Line, ...]


class Spread:
    """Spreads the arrows that meet one side of a box over it, in the order in which they ask."""

    def __init__(self, sides: Sequence[tuple[int, str]]) -> None:
        self._count = Counter(sides)
        self._used: Counter[tuple[int, str]] = Counter()

    def point(self, box: int, side: str, rect: Rect) -> tuple[float, float]:
        """Where the next arrow meets a side."""
        self._used[box, side] += 1
        part = self._used[box, side] / (self._count[box, side] + 1)
        if side in {"left", "right"}:
            return rect.x + (rect.width if side == "right" else 0), rect.y + rect.height * part
        return rect.x + rect.width * (0.1 + 0.4 * part), rect.y + (rect.height if side == "bottom" else 0)


def bracket(start: tuple[float, float], end: tuple[float, float], x: float) -> str:
    """A path out to ``x``, up or down, and back, with round corners."""
    (x1, y1), (x2, y2) = start, end
    turn = ROUND if y2 > y1 else -ROUND
    there, back = (ROUND if x > x1 else -ROUND), (ROUND if x > x2 else -ROUND)
    return (
        f"M{x1:.0f},{y1:.0f} H{x - there:.0f} Q{x:.0f},{y1:.0f} {x:.0f},{y1 + turn:.0f} "
        f"V{y2 - turn:.0f} Q{x:.0f},{y2:.0f} {x - back:.0f},{y2:.0f} H{x2:.0f}"
    )


def pool_rects(column: Column) -> Iterator[Rect]:
    """The small boxes of pools, from the top of the column's inside."""
    y = 0.0
    for pool in column.pools:
        lines = tuple(line for text in pool for line in wrapped(text, CHARS + 3, 2))
        yield Rect(0, y, WIDTH - 2 * PAD, len(lines) * (LINE - 2) + 8, lines)
        y += len(lines) * (LINE - 2) + 8 + 5


def moved(rect: Rect, x: float, y: float) -> Rect:
    """The rectangle so much further right and down."""
    return Rect(rect.x + x, rect.y + y, rect.width, rect.height, rect.lines)


def column_title(column: Column) -> str:
    """The title of a column, beside its answer if it has one."""
    return clipped(column.title, 28 if column.answer is None else 15)


def text_of(box: Box) -> tuple[str, ...]:
    """The lines of a box, its title first."""
    return (clipped(box.title, TITLE_CHARS), *(line for text in box.lines for line in wrapped(text, CHARS, BOX_LINES)))


def height_of(text: Sequence[str]) -> float:
    """The height of a box with so many lines."""
    return len(text) * LINE + 12


def size_of(lines: Sequence[str]) -> tuple[float, float]:
    """Width and height of a label."""
    return max(len(line) for line in lines) * CHAR + 10 if lines else 0, len(lines) * LINE + 4


def free_place(rect: Rect, taken: list[Rect]) -> Rect:
    """The nearest place above or below in which a label covers no other; it is taken then."""
    if not rect.lines:
        return rect
    found = rect
    for step in range(80):
        shift = (step + 1) // 2 * LINE * (1 if step % 2 else -1)
        found = Rect(max(rect.x, 2.0), max(rect.y + shift, 2.0), rect.width, rect.height, rect.lines)
        if not any(found.meets(other) for other in taken):
            break
    taken.append(found)
    return found


def wrapped(text: str, chars: int, lines: int) -> tuple[str, ...]:
    """The text in lines; what does not fit is cut, and marked so. Words that are too long break after a separator."""
    found = [""]
    for word in text.split():
        for number, piece in enumerate(_pieces(word, chars)):
            joint = "" if number or not found[-1] else " "
            if len(found[-1]) + len(joint) + len(piece) <= chars:
                found[-1] += joint + piece
            else:
                found.append(piece)
    found = found[1:] if not found[0] and len(found) > 1 else found
    kept = found[:lines]
    if len(found) > lines:
        kept[-1] = kept[-1][: chars - 1].rstrip() + "…"
    return tuple(kept)


def _pieces(word: str, chars: int) -> Iterator[str]:
    """A word in pieces, none of them longer than a line."""
    if len(word) <= chars:
        yield word
        return
    piece = ""
    for part in _SEPARATED.findall(word):
        if piece and len(piece) + len(part) > chars:
            yield piece
            piece = ""
        piece += part
        while len(piece) > chars:
            yield piece[:chars]
            piece = piece[chars:]
    if piece:
        yield piece


def clipped(text: str, chars: int) -> str:
    """The text in one line of so many characters."""
    return text if len(text) <= chars else text[: chars - 1] + "…"
