"""Lines and columns of a text."""

from __future__ import annotations

import re
from bisect import bisect_right

from trainlint.finding import Span

__all__ = ["Lines"]


class Lines:
    """Turns the index of a character of a text into line and column, both from 1."""

    def __init__(self, text: str, first: int = 1) -> None:
        self._text = text
        self._first = first
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def span(self, start: int, end: int) -> Span:
        """The span from one index to another (exclusive)."""
        return Span(*self._position(start), *self._position(max(start, end)))

    def head(self, start: int, end: int) -> Span:
        """The part of a span that is on its first line."""
        stop = self._text.find("\n", start, end)
        return self.span(start, end if stop < 0 else stop)

    def _position(self, index: int) -> tuple[int, int]:
        row = bisect_right(self._starts, index) - 1
        return self._first + row, index - self._starts[row] + 1
