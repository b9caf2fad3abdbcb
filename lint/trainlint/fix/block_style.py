"""Edits of indented mappings and lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainlint.fix.editable_nodes import NotEditableError
from trainlint.fix.layout import Piece, after, column_of, dash_of, line_end, line_start, only_blanks
from trainlint.fix.snippet import Style, block_element, block_entry, flow
from trainlint.fix.surrounding_style import Writer, brackets
from trainlint.source.yaml_tree import Entry, TextNode, TextShape

__all__ = ["add_element", "add_entry", "add_lines", "fill", "mapping_column", "remove"]


def mapping_column(text: str, holder: TextNode) -> int:
    """The column in which the keys of a mapping stand."""
    return column_of(text, holder.entries[0].start)


def add_entry(text: str, holder: TextNode, key: str, value: Any, style: Style, before: Sequence[str] = ()) -> Piece:
    """One more entry: before the first of some keys, else at the end."""
    return add_lines(text, holder, block_entry(key, value, mapping_column(text, holder), style), before)


def add_lines(text: str, holder: TextNode, lines: Sequence[str], before: Sequence[str] = ()) -> Piece:
    """An entry that is already lines."""
    column = mapping_column(text, holder)
    entries = holder.entries
    position = next((number for number, each in enumerate(entries) if each.name in before), len(entries))
    if position:
        at = after(text, entries[position - 1], column)
        return Piece(at, at, "".join(f"\n{line}" for line in lines))
    first = line_start(text, entries[0].start)
    if not only_blanks(text, first, entries[0].start):  # it shares its line with a dash
        at = after(text, entries[0], column)
        return Piece(at, at, "".join(f"\n{line}" for line in lines))
    while first > 0:  # comments above a key are about it
        above = line_start(text, first - 1)
        line = text[above : first - 1]
        bare = line.lstrip(" ")
        if not bare.startswith("#") or len(line) - len(bare) < column:
            break
        first = above
    return Piece(first, first, "".join(f"{line}\n" for line in lines))


def add_element(text: str, holder: TextNode, value: Any, style: Style) -> Piece:
    """One more element, written like those that are there."""
    last = holder.entries[-1]
    dash = dash_of(text, last.value)
    column = column_of(text, dash)
    gap = last.value.start - dash - 1
    if not 1 <= gap <= 8 or "\n" in text[dash : last.value.start]:
        gap = 1
    maps = [each.value for each in holder.entries if each.value.shape is TextShape.MAPPING]
    if maps and all(each.flow for each in maps):
        lines = [f"{' ' * column}-{' ' * gap}{flow(value, style)}"]
    elif maps and isinstance(value, dict) and value:
        dash_and_gap = " " * column + "-" + " " * gap
        lines = list(Writer(style, brackets(holder)).mapping(value, len(dash_and_gap), maps[-1]))
        lines[0] = dash_and_gap + lines[0][len(dash_and_gap) :]
    else:
        lines = block_element(value, column, style, gap)
    at = after(text, last, column)
    return Piece(at, at, "".join(f"\n{line}" for line in lines))


def fill(text: str, entry: Entry, column: int, value: Any, style: Style) -> Piece:
    """A value for a key in a column that has none, or another one for the block collection that it has.

    Raises:
        NotEditableError: it is an element without a value, or something that would be lost stands there.
    """
    if entry.key is None:
        raise NotEditableError("an element without a value")
    colon = text.find(":", entry.key.end) + 1
    (head, *lines) = block_entry("k", value, column, style)
    if entry.value.start == entry.value.end:  # nothing is written
        if not lines:
            return Piece(colon, colon, head.partition(":")[2])
        end = line_end(text, colon)
        return Piece(end, end, "".join(f"\n{line}" for line in lines))
    if "#" in text[colon : entry.value.end] or entry.value.decorated:
        raise NotEditableError("it holds a comment, an anchor or a tag")
    new = "".join(f"\n{line}" for line in lines) if lines else head.partition(":")[2]
    return Piece(colon, entry.value.end, new)


def remove(text: str, above: Entry | None, holder: TextNode, entry: Entry) -> Piece:
    """An entry or element with its lines. ``above`` is the entry whose value the holder is.

    Raises:
        NotEditableError: more than its own lines would be touched.
    """
    if len(holder.entries) == 1:
        return _emptied(text, above, holder)
    start = entry.start if entry.key is not None else dash_of(text, entry.value)
    begin, end = line_start(text, start), line_end(text, entry.end)
    rest = text[entry.end : end].strip(" \t")
    if rest and not rest.startswith("#"):
        raise NotEditableError("something else stands on the line")
    if not only_blanks(text, begin, start):
        following = holder.entries[1]
        if entry is not holder.entries[0] or entry.key is None:
            raise NotEditableError("it shares its line with something else")
        if "#" in text[entry.end : following.start]:
            raise NotEditableError("a comment stands beside it")
        return Piece(start, following.start)  # the next entry takes its place beside the dash
    if end < len(text):
        return Piece(begin, end + 1)
    return Piece(max(begin - 1, 0), end)


def _emptied(text: str, above: Entry | None, holder: TextNode) -> Piece:
    """The only entry goes: brackets stay."""
    brackets = "{}" if holder.shape is TextShape.MAPPING else "[]"
    if above is None or holder.decorated:
        raise NotEditableError("nothing would be left of the document")
    if above.key is None:
        start, blank = holder.start, ""
    else:
        start, blank = text.find(":", above.key.end) + 1, " "
    if "#" in text[start : holder.end]:
        raise NotEditableError("a comment stands beside it")
    end = line_end(text, holder.end)
    rest = text[holder.end : end].lstrip(" \t")  # a comment on the line of what goes, goes with it
    return Piece(start, end if rest.startswith("#") else holder.end, blank + brackets)
