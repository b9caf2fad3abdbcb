"""Where the paths of a document stand in its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trainlint.finding import Path, Span
from trainlint.source.document import Document
from trainlint.source.events import YamlError
from trainlint.source.inline_documents import inline_documents
from trainlint.source.lines import Lines
from trainlint.source.yaml_tree import Entry, TextNode, TextShape, kept, tree_of

__all__ = ["Spans", "locate", "spans"]


@dataclass(slots=True)
class _Place:
    """A value in the text, and the keys that are written for it: several if the key stands twice."""

    node: TextNode
    keys: Sequence[TextNode] = ()


class Spans:
    """The spans of all paths of one document. Values behind an alias or merged in stand where they are written."""

    def __init__(self, lines: Lines, top: TextNode | None) -> None:
        self._lines = lines
        self._top = top
        self._tables: dict[TextNode, dict[str | int, _Place]] = {}

    def value(self, path: Path) -> Span | None:
        """The span of the value at ``path``, or ``None`` if nothing is there."""
        place = self._find(path)
        return self._lines.span(place.node.start, place.node.end) if place else None

    def keys(self, path: Path) -> tuple[Span, ...]:
        """The spans of the keys written for the mapping entry at ``path``: several if the key stands twice."""
        place = self._find(path)
        return tuple(self._lines.span(key.start, key.end) for key in place.keys) if place else ()

    def mark(self, path: Path) -> Span | None:
        """The span to underline for ``path``, or ``None`` if nothing is there.

        A mapping entry: from its key to its value if that is one line, otherwise its key. A list element: itself if it
        is one line, otherwise its first entry, or the first line of a text.
        """
        place = self._find(path)
        return None if place is None else self._mark(place)

    def _mark(self, place: _Place) -> Span:
        node = place.node
        if place.keys:
            key = place.keys[-1]
            whole = self._lines.span(key.start, max(node.end, key.end))
            return whole if whole.line == whole.end_line else self._lines.span(key.start, key.end)
        whole = self._lines.span(node.start, node.end)
        if whole.line == whole.end_line:
            return whole
        first = next((self._below(node, each.name) for each in node.entries if not each.merge), None)
        return self._lines.head(node.start, node.end) if first is None else self._mark(first)

    def _find(self, path: Path) -> _Place | None:
        """The place where the value of ``path`` is written: its own, or behind an alias or merge key on the way."""
        if self._top is None:
            return None
        place = _Place(self._top)
        for step in path:
            found = self._below(place.node, step)
            if found is None:
                return None
            place = found
        return place

    def _below(self, node: TextNode, step: str | int) -> _Place | None:
        node = node.target or node
        if node.shape is TextShape.SEQUENCE:
            inside = isinstance(step, int) and 0 <= step < len(node.entries)
            return _Place(node.entries[int(step)].value) if inside else None
        found = self._table(node).get(step)
        if found is None and step == "<<":  # the path of a key that stands twice in what is merged in
            merged = [_Place(each.value, (each.key,)) for each in node.entries if each.merge and each.key]
            return merged[-1] if merged else None
        return found

    def _table(self, node: TextNode) -> dict[str | int, _Place]:
        """The entries of a mapping by their keys, with those that are merged in."""
        waiting, begun = [node], set[TextNode]()
        while node not in self._tables:  # a chain of merges may be longer than Python's stack
            here = waiting[-1]
            if here in begun:
                self._tables[here] = self._made(waiting.pop())
            else:
                begun.add(here)
                waiting += [each for entry in here.entries for each in _merged(entry) if each not in self._tables]
        return self._tables[node]

    def _made(self, node: TextNode) -> dict[str | int, _Place]:
        """The table of a mapping whose sources have one; of equal keys the last counts, one that is merged in too."""
        table: dict[str | int, _Place] = {}
        written: dict[str | int, list[TextNode]] = {}
        for entry in node.entries:
            for source in _merged(entry):
                table.update(self._tables.get(source, {}))
            if entry.key is not None and not entry.merge:
                keys = written.setdefault(entry.name, [])
                keys.append(entry.key)
                table[entry.name] = _Place(entry.value, keys)
        return table


def _merged(entry: Entry) -> list[TextNode]:
    """The mappings that an entry merges in, the one that wins last."""
    if not entry.merge:
        return []
    value = entry.value
    listed = [each.value for each in reversed(value.entries)] if value.shape is TextShape.SEQUENCE else [value]
    real = [each.target or each for each in listed]
    return [each for each in real if each.shape is TextShape.MAPPING]


@kept
def spans(document: Document) -> Spans:
    """The spans of a document, worked out when they are first asked for.

    It never raises: what is neither YAML nor JSON is one value.
    """
    lines = Lines(document.text, document.line)
    try:
        return Spans(lines, tree_of(document))
    except YamlError:
        return Spans(lines, TextNode(TextShape.SCALAR, 0, len(document.text.rstrip())))


def locate(document: Document, path: Path) -> tuple[Path, Span]:
    """The nearest place at or above ``path`` that is in the file, and the span to underline there.

    A path may lead on into a text that stands in the file line by line, such as a patch in place: then the span is that
    of the line in it, and the place is the text.
    """
    found = spans(document)
    for length in range(len(path), -1, -1):
        span = found.mark(path[:length])
        if span is not None:
            inside = inline_documents(document, path[:length], found.value(path[:length])) if length < len(path) else ()
            marks = (mark for each, shift in inside if (mark := _within(each, shift, path[length:])) is not None)
            return path[:length], next(marks, span)
    return (), Span(document.line, 1, document.line, 1)


def _within(document: Document, shift: int, path: Path) -> Span | None:
    """The span of a path, or the nearest above it, in a document whose columns are shifted; ``None`` for its top."""
    found = spans(document)
    for length in range(len(path), 0, -1):
        span = found.mark(path[:length])
        if span is not None:
            return Span(span.line, span.column + shift, span.end_line, span.end_column + shift)
    return None
