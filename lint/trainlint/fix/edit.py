"""Applies edits to the text of one document; the result is read again and must have the intended value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from trainlint.finding import Add, Append, Edit, Location, Move, Path, Put, Quote, Remove, Rename
from trainlint.fix import block_style, flow_style
from trainlint.fix.editable_nodes import NotEditableError, entry_of, parse, resolve
from trainlint.fix.intended_value import equal, intended
from trainlint.fix.layout import Piece, apply
from trainlint.fix.line_wrapping import is_wide, unfolded
from trainlint.fix.moved_entry import move
from trainlint.fix.new_document import added
from trainlint.fix.snippet import Style, quoted, scalar, style_of
from trainlint.fix.snippet import flow as on_one_line
from trainlint.source import scalars
from trainlint.source.correspondence import value_at
from trainlint.source.document import Document
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import load
from trainlint.source.yaml_tree import Entry, TextNode, TextShape

__all__ = ["edited", "with_more"]


def edited(document: Document, edits: Iterable[Edit]) -> Document:
    """The document after all edits, one after the other, each with paths of the document as it was.

    Raises:
        NotEditableError: an edit cannot be made without touching more than its own lines, its place is not written in
            this text, or what came out reads as something else than was meant.
    """
    if document.origin is not None:
        raise NotEditableError("it was rendered: the text is another one")
    for edit in _in_order(edits):
        document = _edited(document, edit)
    return document


def with_more(document: Document, edits: Iterable[Add], like: Callable[[Location], Document | None]) -> Document:
    """The document with those behind it that edits add; its data stays its own.

    Raises:
        NotEditableError: nothing can be written behind it.
    """
    for edit in edits:
        document = added(document, edit, None if edit.like is None else like(edit.like))
    return document


def _in_order(edits: Iterable[Edit]) -> Sequence[Edit]:
    """Elements that go last, from the end, so that the paths of all others stay what they were."""
    edits = [each for each in edits if not isinstance(each, Add)]
    staying = [each for each in edits if not isinstance(each, Remove)]
    going = sorted((each for each in edits if isinstance(each, Remove)), key=lambda each: _sortable(each.at.path))
    return [*staying, *reversed(going)]


def _sortable(path: Path) -> list[tuple[int, str]]:
    return [(step, "") if isinstance(step, int) else (0, step) for step in path]


def _edited(document: Document, edit: Edit) -> Document:
    text = document.text
    top = parse(document)
    written = ""
    if isinstance(edit, Quote):
        node = resolve(top, edit.at.path)
        written = "" if node is None else text[node.start : node.end]
    if isinstance(edit, Append) and (holder := resolve(top, edit.at.path)) is not None:
        edit = replace(edit, value=flow_style.in_order_of(holder, edit.value))
    data = intended(document.data, edit, written)
    if equal(data, document.data) and not isinstance(edit, Move):
        return document
    new = apply(text, _pieces(text, top, edit, document.data))
    if isinstance(edit, Put | Append) and isinstance(edit.value, (dict, list)) and is_wide(text, new):
        piece = unfolded(text, top, edit.at.path, data, style_of(text, top))
        new = new if piece is None else apply(text, [piece])
    try:
        loaded = load(new)
    except (YamlError, TooDeepError) as error:
        raise NotEditableError(f"what came out is no YAML: {error}") from None
    if not equal(loaded.data, data) or len(loaded.duplicates) > len(document.duplicates):
        raise NotEditableError("what came out reads as something else than was meant")
    return replace(document, text=new, data=loaded.data, duplicates=loaded.duplicates)


def _pieces(text: str, top: TextNode, edit: Edit, data: Any) -> list[Piece]:
    style = style_of(text, top)
    path = edit.at.path
    match edit:
        case Put(value=value, before=before):
            return [_put(text, top, path, value, style, before)]
        case Append(value=value, before=before):
            node = resolve(top, path)
            if node is None or node.shape is not TextShape.SEQUENCE:
                return [_put(text, top, path, [value], style, before)]
            if node.flow:
                return [flow_style.add_value(text, node, None, value, style)]
            return [block_style.add_element(text, node, value, style)]
        case Remove():
            return [_remove(text, top, path)]
        case Move(to=to):
            return move(text, top, path, to, value_at(data, path), style, _remove(text, top, path))
        case Rename(key=key):
            entry = _entry(top, path)
            if entry.key is None or entry.key.decorated:
                raise NotEditableError("it has no key of its own")
            written = quoted(key, entry.key.style) if entry.key.style else scalar(key, style.quote)
            return [Piece(entry.key.start, entry.key.end, written)]
        case Add():
            raise NotEditableError("it stands behind the document, not in it")
        case Quote():
            node = resolve(top, path)
            if node is None or node.style or node.decorated or not node.end > node.start:
                raise NotEditableError("it is not written as a plain value")
            return [Piece(node.start, node.end, quoted(text[node.start : node.end], style.quote))]


def _entry(top: TextNode, path: Path) -> Entry:
    holder = resolve(top, path[:-1])
    entry = None if holder is None else entry_of(holder, path[-1])
    if entry is None:
        raise NotEditableError("it is not written in this text")
    return entry


def _remove(text: str, top: TextNode, path: Path) -> Piece:
    holder, entry = resolve(top, path[:-1]), _entry(top, path)
    if holder is None:
        raise NotEditableError("it is not written in this text")
    if holder.flow:
        return flow_style.remove(text, holder, entry)
    above = _entry(top, path[:-1]) if len(path) > 1 else None
    return block_style.remove(text, above, holder, entry)


def _put(text: str, top: TextNode, path: Path, value: Any, style: Style, before: Sequence[str]) -> Piece:
    """The piece that sets a value; what is missing on the way is a part of it."""
    for length in range(len(path), 0, -1):
        node = resolve(top, path[:length])
        if node is not None and not (length < len(path) and _is_null(text, node)):
            break
    else:
        length, node = 0, top
    if node is not None and length == len(path):
        return _replaced(text, top, path, node, value, style)
    if length + 1 <= len(path) and (found := resolve(top, path[: length + 1])) is not None:  # written, and null
        return _replaced(text, top, path[: length + 1], found, _nested(path[length + 1 :], value), style)
    step, inner = path[length], _nested(path[length + 1 :], value)
    if node is None or node.shape is TextShape.SCALAR:
        raise NotEditableError("another kind of value stands on the way")
    if node.flow:
        key = step if isinstance(step, str) else None
        return flow_style.add_value(text, node, key, inner, style)
    if isinstance(step, int):
        return block_style.add_element(text, node, inner, style)
    return block_style.add_entry(text, node, step, inner, style, before)


def _stays_plain(old: str, new: str) -> bool:
    """Whether a text may stand without quotes where one like it does."""
    harmless = all(each in old or each.isalnum() or each in "-._/" for each in new)
    return bool(new) and new[0] == old[:1] and harmless and scalars.plain(new) == new


def _nested(path: Path, value: Any) -> Any:
    """A value below a path that is not there."""
    for step in reversed(path):
        if isinstance(step, int) and step:
            raise NotEditableError("a list would have holes")
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _is_null(text: str, node: TextNode) -> bool:
    written = text[node.start : node.end]
    return node.shape is TextShape.SCALAR and not node.style and written in ("", "~", "null", "Null", "NULL")


def _replaced(text: str, top: TextNode, path: Path, node: TextNode, value: Any, style: Style) -> Piece:
    entry = _entry(top, path)
    if node.decorated:
        raise NotEditableError("an anchor or a tag stands before the value")
    empty = node.start == node.end
    if empty or (node.entries and not node.flow):
        holder = resolve(top, path[:-1])
        if holder is None or (empty and holder.flow):
            return Piece(node.start, node.end, f" {on_one_line(value, style)}")
        return block_style.fill(text, entry, block_style.mapping_column(text, holder), value, style)
    if node.style in ("|", ">") or (node.shape is TextShape.SCALAR and "\n" in text[node.start : node.end]):
        raise NotEditableError("the text has several lines")
    if node.style and isinstance(value, str):
        return Piece(node.start, node.end, quoted(value, node.style))
    if isinstance(value, str) and _stays_plain(text[node.start : node.end], value):
        return Piece(node.start, node.end, value)
    return Piece(node.start, node.end, on_one_line(value, style))
