"""An entry that goes somewhere else in its document, as it is written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trainlint.finding import Path
from trainlint.fix import block_style, flow_style
from trainlint.fix.editable_nodes import NotEditableError, entry_of, resolve
from trainlint.fix.layout import Piece, after, column_of, line_end, line_start, only_blanks
from trainlint.fix.snippet import Style, block_entry, scalar
from trainlint.fix.snippet import flow as on_one_line
from trainlint.source.yaml_tree import Entry, TextNode, TextShape

__all__ = ["move"]


def move(text: str, top: TextNode, path: Path, to: Path, value: Any, style: Style, gone: Piece) -> list[Piece]:
    """The pieces that take an entry away (``gone``) and write it at another path.

    Raises:
        NotEditableError: the entry is not written in this text, or there is no mapping to move it to.
    """
    source = resolve(top, path[:-1])
    entry = None if source is None else entry_of(source, path[-1])
    if source is None or entry is None or entry.key is None:
        raise NotEditableError("it is not written in this text")
    length = next(number for number in range(len(to) - 1, -1, -1) if resolve(top, to[:number]) is not None)
    target = resolve(top, to[:length])
    if target is None or target.shape is not TextShape.MAPPING or any(isinstance(step, int) for step in to[length:]):
        raise NotEditableError("there is no mapping to move it to")
    names = [str(step) for step in to[length:]]
    if target.flow:
        if len(names) > 1 or "\n" in text[entry.value.start : entry.value.end]:
            _no_comment(text, entry)
            for name in reversed(names[1:]):
                value = {name: value}
            return [gone, flow_style.add_value(text, target, names[0], value, style)]
        written = on_one_line(names[-1], style) + ": " + (text[entry.value.start : entry.value.end] or "null")
        return [gone, flow_style.add_text(text, target, written)]
    column = block_style.mapping_column(text, target)
    lines = []
    for name in names[:-1]:
        lines.append(f"{' ' * column}{scalar(name, style.quote)}:")
        column += style.step
    lines += _lines(text, source, entry, names[-1], value, column, style)
    return _beside(text, _with_comments(text, source, entry, gone), block_style.add_lines(text, target, lines))


def _with_comments(text: str, source: TextNode, entry: Entry, gone: Piece) -> Piece:
    """The piece that goes, with the comments below the entry that move with it."""
    last = line_end(text, entry.end)
    end = last if source.flow or entry.key is None else after(text, entry, column_of(text, entry.key.start))
    if end == last or gone.end < last:
        return gone
    return replace(gone, end=end + (gone.end - last))


def _beside(text: str, gone: Piece, new: Piece) -> list[Piece]:
    """Both pieces; as one where the new lines follow the last of those that go."""
    if not gone.start < new.start < gone.end:
        return [gone, new]
    body = new.text.removeprefix("\n")
    if text[gone.end - 1] == "\n":
        return [Piece(gone.start, gone.end, f"{gone.text}{body}\n")]
    return [Piece(gone.start, gone.end, f"{gone.text}\n{body}")]


def _lines(text: str, source: TextNode, entry: Entry, name: str, value: Any, column: int, style: Style) -> list[str]:
    """The lines of an entry, moved to another column and under another key perhaps."""
    key = entry.key
    if key is None:
        raise NotEditableError("it has no key")
    if source.flow:
        if "\n" in text[entry.start : entry.end]:
            _no_comment(text, entry)
            return block_entry(name, value, column, style)
        colon = text.find(":", key.end)
        return [f"{' ' * column}{scalar(name, style.quote)}:{text[colon + 1 : entry.end]}"]
    if not only_blanks(text, line_start(text, key.start), key.start):
        _no_comment(text, entry)
        return block_entry(name, value, column, style)
    old = column_of(text, key.start)
    head = text[key.start : key.end] if text[key.start : key.end] == name else scalar(name, style.quote)
    first, *others = text[key.end : after(text, entry, old)].split("\n")
    return [f"{' ' * column}{head}{first}", *(_shifted(line, column - old) for line in others)]


def _shifted(line: str, by: int) -> str:
    if not line.strip() or by == 0:
        return line
    if by > 0:
        return " " * by + line
    if line[:-by].strip(" "):
        raise NotEditableError("a line cannot be indented less")
    return line[-by:]


def _no_comment(text: str, entry: Entry) -> None:
    if "#" in text[entry.start : entry.end]:
        raise NotEditableError("a comment would be lost")
