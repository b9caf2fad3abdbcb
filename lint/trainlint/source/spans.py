"""Where the paths of a document stand in its file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import count, takewhile
from typing import Any, Final

from trainlint.finding import Path, Span
from trainlint.source import scalars
from trainlint.source.document import Document
from trainlint.source.events import KINDS, EventKind, YamlError, with_events
from trainlint.source.inner import inner
from trainlint.source.lines import Lines

__all__ = ["Spans", "locate", "spans"]

_MERGE_TAG: Final = "tag:yaml.org,2002:merge"
_JSON_ONLY: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}|[\x7f\t]")
_MAX_STEPS: Final = 1000
_SHORT: Final = 1 << 14
"""Characters of a document whose spans are kept among many; those of long ones take far more memory."""


@dataclass(slots=True)
class _Place:
    """Indices of a value and of the keys written for it, and the path of the first entry of a collection."""

    start: int = 0
    end: int = 0
    keys: list[tuple[int, int]] = field(default_factory=list)
    first: Path | None = None


class Spans:
    """The spans of all paths of one document. Values behind an alias stand where the anchor does."""

    def __init__(self, lines: Lines, places: dict[Path, _Place], sources: dict[Path, list[Path]]) -> None:
        self._lines = lines
        self._places = places
        self._sources = sources

    def value(self, path: Path) -> Span | None:
        """The span of the value at ``path``, or ``None`` if nothing is there."""
        place = self._find(path)
        return self._lines.span(place.start, place.end) if place else None

    def keys(self, path: Path) -> tuple[Span, ...]:
        """The spans of the keys written for the mapping entry at ``path``: several if the key stands twice."""
        place = self._find(path)
        return tuple(self._lines.span(*key) for key in place.keys) if place else ()

    def mark(self, path: Path) -> Span | None:
        """The span to underline for ``path``, or ``None`` if nothing is there.

        A mapping entry: from its key to its value if that is one line, otherwise its key. A list element: itself if it
        is one line, otherwise its first entry, or the first line of a text.
        """
        place = self._find(path)
        if place is None:
            return None
        if place.keys:
            key_start, key_end = place.keys[-1]
            whole = self._lines.span(key_start, max(place.end, key_end))
            return whole if whole.line == whole.end_line else self._lines.span(key_start, key_end)
        whole = self._lines.span(place.start, place.end)
        if whole.line == whole.end_line:
            return whole
        return self.mark(place.first) if place.first else self._lines.head(place.start, place.end)

    def _find(self, path: Path) -> _Place | None:
        """The place where the value of ``path`` is written: its own, or behind an alias or merge key on the way."""
        waiting, seen = [path], {path}
        while waiting and len(seen) < _MAX_STEPS:
            real = waiting.pop()
            if real in self._places:
                return self._places[real]
            for length in range(len(real)):  # what is pushed last, the longest, is tried first
                if _is_merge(real[length]):
                    continue
                for source in reversed(self._sources.get(real[:length], ())):
                    step = (*source, *real[length:])
                    if step not in seen:
                        seen.add(step)
                        waiting.append(step)
        return None


def _is_merge(step: str | int) -> bool:
    return isinstance(step, int) and step < 0


def spans(document: Document) -> Spans:
    """The spans of a document, worked out when they are first asked for. Never raises: without events it is empty."""
    return _of_short(document) if len(document.text) < _SHORT else _of_long(document)


def _spans(document: Document) -> Spans:
    lines = Lines(document.text, document.line)
    texts = [document.text]
    if document.text.lstrip().startswith(("{", "[")):  # JSON allows a few characters that YAML does not
        texts.append(_JSON_ONLY.sub(lambda found: " " * len(found[0]), document.text))
    for text in texts:
        with suppress(YamlError):
            return with_events(text, partial(_places, document.text, lines, as_json=text is not document.text))
    return Spans(lines, {(): _Place(0, len(document.text.rstrip()))}, {})


_of_short = lru_cache(maxsize=128)(_spans)
_of_long = lru_cache(maxsize=8)(_spans)


def _places(text: str, lines: Lines, events: Iterator[Any], *, as_json: bool) -> Spans:
    return _Placer(text, events, as_json=as_json).document(lines)


def locate(document: Document, path: Path) -> tuple[Path, Span]:
    """The nearest place at or above ``path`` that is in the file, and the span to underline there.

    A path may lead on into a text that stands in the file line by line, such as a patch in place: then the span is that
    of the line in it, and the place is the text.
    """
    found = spans(document)
    for length in range(len(path), -1, -1):
        span = found.mark(path[:length])
        if span is not None:
            inside = inner(document, path[:length], found.value(path[:length])) if length < len(path) else ()
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


class _Placer:
    """Notes the places of one document from its parse events.

    With ``as_json`` the events are those of a likeness of the text, whose keys may differ from the text's own.
    """

    def __init__(self, text: str, events: Iterator[Any], *, as_json: bool) -> None:
        self._text = text
        self._events = events
        self._as_json = as_json
        self._places: dict[Path, _Place] = {}
        self._sources: dict[Path, list[Path]] = {}
        self._anchors: dict[str, Path] = {}
        self._words: dict[str, str] = {}

    def document(self, lines: Lines) -> Spans:
        event = next(self._events, None)
        if event is not None:
            self._node(event, ())
        return Spans(lines, self._places, self._sources)

    def _node(self, event: Any, path: Path) -> _Place:
        kind = KINDS[type(event)]
        start, end = event.start_mark.index, event.end_mark.index
        place = self._places[path] = _Place(start, end)
        if kind is EventKind.ALIAS:
            if event.anchor in self._anchors:
                self._sources[path] = [self._anchors[event.anchor]]
            return place
        if event.anchor is not None:
            self._anchors[event.anchor] = path
        if kind is EventKind.SCALAR:
            if event.anchor is not None:
                self._noted(event)
            if event.style in ("|", ">"):  # the parser counts the line ends after a block text to it
                place.end = start + len(self._text[start:end].rstrip())
            return place
        last = self._mapping(path, place) if kind is EventKind.MAPPING_START else self._sequence(path, place)
        place.end = max(place.end, last)
        return place

    def _sequence(self, path: Path, place: _Place) -> int:
        last = place.start
        for index, event in enumerate(self._events):
            if KINDS[type(event)] is EventKind.SEQUENCE_END:
                return max(last, self._close(event))
            child = (*path, index)
            place.first = place.first or child
            last = self._node(event, child).end
        return last

    def _mapping(self, path: Path, place: _Place) -> int:
        last = place.start
        for event in self._events:
            kind = KINDS[type(event)]
            if kind is EventKind.MAPPING_END:
                return max(last, self._close(event))
            if kind is EventKind.SCALAR and event.value == "<<" and (event.implicit[0] or event.tag == _MERGE_TAG):
                last = self._merge(event, path)
                continue
            child = (*path, self._key(event, path))
            place.first = place.first or child
            keys = self._forget(child)
            keys.append((event.start_mark.index, event.end_mark.index))
            entry = self._node(next(self._events), child)
            entry.keys = keys
            last = max(entry.end, event.end_mark.index)
        return last

    def _close(self, event: Any) -> int:
        """The end of a collection in brackets; a block collection ends with its last entry."""
        end: int = event.end_mark.index
        return end if self._text[event.start_mark.index : end] in ("}", "]") else 0

    def _merge(self, key: Any, path: Path) -> int:
        event = next(self._events)
        before = self._sources.get(path, [])
        child: Path = (*path, -1 - len(before))  # no path of the document, as indices count from 0
        entry = self._node(event, child)
        entry.keys = [(key.start_mark.index, key.end_mark.index)]
        merged = [child]
        if KINDS[type(event)] is EventKind.SEQUENCE_START:
            merged = list(takewhile(self._places.__contains__, ((*child, index) for index in count())))
        self._sources[path] = [*merged, *before]  # the last `<<` wins
        return entry.end

    def _forget(self, path: Path) -> list[tuple[int, int]]:
        """Drop what stood under an equal key before, and return where that key stands."""
        before = self._places.get(path)
        if before is None:
            return []
        for old in [known for known in self._places if known[: len(path)] == path]:
            del self._places[old]
        return before.keys

    def _key(self, event: Any, path: Path) -> str:
        if KINDS[type(event)] is EventKind.ALIAS:
            return self._words.get(event.anchor, "")
        if KINDS[type(event)] is not EventKind.SCALAR:
            self._node(event, (*path, ""))
            return ""
        return self._noted(event)

    def _noted(self, event: Any) -> str:
        """What a scalar is as a key; where it has an anchor, aliases of it are found."""
        word = self._word(event)
        if event.anchor is not None:
            self._words[event.anchor] = word
        return word

    def _word(self, event: Any) -> str:
        if self._as_json:
            with suppress(ValueError):
                return str(json.loads(self._text[event.start_mark.index : event.end_mark.index]))
        try:
            if event.tag is not None:
                return scalars.key(scalars.tagged(str(event.tag), event.value))
            return scalars.key(scalars.plain(event.value)) if event.implicit[0] else str(event.value)
        except scalars.ScalarError:
            return str(event.value)
