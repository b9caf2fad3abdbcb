"""Text for a terminal: nothing in it can steer the terminal, and its width is known."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact

__all__ = ["Paint", "cells", "escape", "paragraphs", "shown_on", "width", "wrap"]

TAB_STOP: Final = 4

_SHORT: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
# Control, format (bidirectional overrides, zero-width and tag characters), surrogate and separator characters are
# written as escapes: a manifest must neither steer the terminal nor hide what it says. So are spaces other than " ",
# a frequent and invisible fault in YAML, and variation selectors, whose width no two terminals agree on.
_HIDDEN: Final = {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp", "Zs"}

_STYLES: Final = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "frame": "1;34",
    "bold": "1",
    "dim": "2",
    "good": "32",
    "bad": "31",
    "open": "33",
    "help": "1;32",
}


@fact
class Paint:
    """Colours, or none; ``screen``: what is shown as it is written must be escaped, for a terminal reads it."""

    color: bool
    screen: bool = False

    def __call__(self, style: str, text: str) -> str:
        """``text`` in one of the named styles; as it is without colour."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.color and text else text


def _visible(char: str) -> str:
    if " " <= char <= "~":
        return char
    code = ord(char)
    if unicodedata.category(char) not in _HIDDEN and not 0xFE00 <= code <= 0xFE0F and not 0xE0100 <= code <= 0xE01EF:
        return char
    if short := _SHORT.get(char):
        return short
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shown_on(text: str, paint: Paint) -> str:
    """A line that is shown as it is written, tabs and all, but for what would steer a terminal."""
    return "\t".join(map(escape, text.split("\t"))) if paint.screen else text


def escape(text: str) -> str:
    """``text`` in one line, with all that is invisible or dangerous in it written as ``\\x1b`` or ``\\u202e``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text))


def width(text: str) -> int:
    """How many columns an escaped text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(char) in {"Mn", "Me"} else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def cells(line: str) -> list[tuple[str, int]]:
    """What is shown for each character of a source line, and at which column (from 0) it begins.

    One more entry than characters: the last says where the line ends. Tabs become spaces.
    """
    shown: list[tuple[str, int]] = []
    column = 0
    for char in line:
        text = " " * (TAB_STOP - column % TAB_STOP) if char == "\t" else _visible(char)
        shown.append((text, column))
        column += width(text)
    shown.append(("", column))
    return shown


def wrap(text: str, columns: int) -> list[str]:
    """``text`` (escaped here) in lines of at most ``columns``, broken at spaces only: names and paths stay whole."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        shown = escape(word)
        if line and width(line) + 1 + width(shown) > columns:
            lines.append(line)
            line = shown
        else:
            line = f"{line} {shown}" if line else shown
    return [*lines, line] if line else lines


def paragraphs(text: str, columns: int) -> Iterator[str]:
    """The lines of a longer text: wrapped, but indented lines (a snippet of a manifest) stay as they are."""
    lines = [line.expandtabs(TAB_STOP).rstrip() for line in text.split("\n")]
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.startswith(" ")), default=0)
    for line in lines:
        if line.startswith(" "):
            yield "  " + escape(line[indent:])
        else:
            yield from wrap(line, columns)
