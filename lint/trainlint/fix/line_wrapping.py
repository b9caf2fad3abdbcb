"""Collections in brackets that would grow too wide for a line, on lines of their own instead."""

from __future__ import annotations

from typing import Any, Final

from trainlint.finding import Path
from trainlint.fix.editable_nodes import entry_of, resolve
from trainlint.fix.layout import Piece, column_of, line_end, line_start
from trainlint.fix.snippet import Style
from trainlint.fix.surrounding_style import Writer
from trainlint.source.correspondence import value_at
from trainlint.source.yaml_tree import Entry, TextNode

__all__ = ["is_wide", "unfolded"]

WIDEST: Final = 110
"""Columns up to which a line that was shorter may grow."""
_SPECIAL: Final = ("#", "&", "*", "!", "<<")


def is_wide(before: str, after: str) -> bool:
    """Whether an edit made a line too wide that was not there before."""
    old = set(before.split("\n"))
    return any(len(line) > WIDEST and line not in old for line in after.split("\n"))


def unfolded(text: str, top: TextNode, path: Path, data: Any, style: Style) -> Piece | None:
    """The outermost collection in brackets around a place, as ``data`` has it, on lines of its own.

    ``None`` where it is no entry of an indented mapping on one line, or holds a comment, an anchor, an alias or a tag.
    """
    if style.json:
        return None
    for length in range(1, len(path) + 1):
        node, holder = resolve(top, path[:length]), resolve(top, path[: length - 1])
        if node is None or holder is None:
            return None
        if node.flow and node.entries:
            break
    else:
        return None
    entry = entry_of(holder, path[length - 1])
    written = text[node.start : node.end]
    if entry is None or entry.key is None or holder.flow or node.decorated:
        return None
    if "\n" in written or any(each in written for each in _SPECIAL):
        return None
    if text[node.end : line_end(text, node.end)].strip():
        return None
    return _piece(text, entry, node, value_at(data, path[:length]), style)


def _piece(text: str, entry: Entry, node: TextNode, value: Any, style: Style) -> Piece | None:
    if entry.key is None or line_start(text, entry.key.start) != line_start(text, node.start):
        return None
    column = column_of(text, entry.key.start)
    colon = text.find(":", entry.key.end) + 1
    lines = Writer(style, brackets=True).broken(value, column)
    return Piece(colon, node.end, "".join(f"\n{line}" for line in lines))
