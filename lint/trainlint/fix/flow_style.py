"""Edits inside brackets: ``{a: 1}``, ``[a, b]``, and JSON."""

from __future__ import annotations

import json
from typing import Any

from trainlint.fix.editable_nodes import NotEditableError
from trainlint.fix.layout import Piece, column_of, line_start, only_blanks
from trainlint.fix.snippet import Style, flow, scalar
from trainlint.source.yaml_tree import Entry, TextNode

__all__ = ["add_text", "add_value", "in_order_of", "remove"]


def add_value(text: str, holder: TextNode, key: str | None, value: Any, style: Style) -> Piece:
    """One more entry (or element, without a key) at the end."""
    indent = _own_lines(text, holder)
    if style.json and indent is not None:
        inner = json.dumps(value, ensure_ascii=False, indent=_json_step(text, holder, indent))
        written = inner.replace("\n", "\n" + " " * indent)
    else:
        written = flow(value, style)
    if key is not None:
        written = f"{json.dumps(key) if style.json else scalar(key, style.quote)}: {written}"
    return add_text(text, holder, written)


def in_order_of(holder: TextNode, value: Any) -> Any:
    """A mapping with its keys in the order of the last element of a list; others stay behind the key before them."""
    like = holder.entries[-1].value if holder.entries and holder.entries[-1].key is None else None
    if like is None or not isinstance(value, dict):
        return value
    order = [str(each.name) for each in like.entries if each.name in value]
    before = ""
    for key in value:
        if key not in order:
            order.insert(order.index(before) + 1 if before else 0, key)
        before = key
    return {key: value[key] for key in order}


def add_text(text: str, holder: TextNode, written: str) -> Piece:
    """An entry that is already text.

    Raises:
        NotEditableError: a comment stands between the brackets.
    """
    if not holder.entries:
        inside = text[holder.start : holder.end]
        if holder.decorated or inside[1:-1].strip():
            raise NotEditableError("there is a comment between the brackets")
        return Piece(holder.start + 1, holder.end - 1, written)
    last = holder.entries[-1]
    indent = _own_lines(text, holder)
    separator = ", " if indent is None else ",\n" + " " * indent
    return Piece(last.end, last.end, separator + written)


def _own_lines(text: str, holder: TextNode) -> int | None:
    """The column of the entries where each begins a line of its own; ``None`` where they do not."""
    if not holder.entries:
        return None
    start = holder.entries[-1].start
    if only_blanks(text, line_start(text, start), start) and line_start(text, start) > holder.start:
        return column_of(text, start)
    return None


def _json_step(text: str, holder: TextNode, indent: int) -> int:
    begin = line_start(text, holder.start)
    line = text[begin : holder.start]
    return max(indent - (len(line) - len(line.lstrip(" "))), 1)


def remove(text: str, holder: TextNode, entry: Entry) -> Piece:
    """An entry with the comma beside it.

    Raises:
        NotEditableError: a comment stands beside the entry.
    """
    position = next(number for number, each in enumerate(holder.entries) if each is entry)
    if position + 1 < len(holder.entries):
        start, end = entry.start, holder.entries[position + 1].start
    elif position:
        start, end = holder.entries[position - 1].end, entry.end
    else:
        start, end = entry.start, entry.end
    if "#" in text[start : entry.start] or "#" in text[entry.end : end]:
        raise NotEditableError("a comment stands beside it")
    return Piece(start, end)
