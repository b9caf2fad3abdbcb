"""The tree of a document as it is written: values, the places of paths and edits of the text are read from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Final, TypeVar

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source import scalars
from trainlint.source.document import Document
from trainlint.source.events import KINDS, EventKind, TooDeepError, YamlError, content_events

__all__ = ["MAX_DEPTH", "Entry", "TextNode", "TextShape", "compose", "kept", "nodes_of", "tree_of"]

T = TypeVar("T")

MAX_DEPTH: Final = 128
"""Levels of nesting that are read; public manifests have 51 at most, Kubernetes allows 10,000."""

_MERGE_TAG: Final = "tag:yaml.org,2002:merge"
_JSON_ONLY: Final = lazy_pattern(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}|[\x7f\t]")
_SHORT: Final = 1 << 14
"""Characters of a document whose tree is kept among many; those of long ones take far more memory."""


class TextShape(Enum):
    """What a node is."""

    SCALAR = "scalar"
    MAPPING = "mapping"
    SEQUENCE = "sequence"
    ALIAS = "alias"


_SCALAR, _MAPPING, _SEQUENCE, _ALIAS = TextShape
_SCALAR_EVENT, _ALIAS_EVENT, _SEQUENCE_START, _SEQUENCE_END, _MAPPING_START, _MAPPING_END = EventKind
# Names of their own: to read a member of an enumeration is slow in Python 3.11, and each event and node is asked.


@dataclass(slots=True, eq=False)
class TextNode:
    """A value in the text: from ``start`` (an anchor and a tag included) to ``end``, without trailing white space.

    ``text`` is the content of a scalar, ``style`` its quote, ``|`` or ``>``, or empty (plain); ``implicit`` says that
    it is plain and without a tag. ``flow`` says that a collection is in brackets. ``anchor`` is the name before a value
    (for an alias, the one that it names), ``target`` what an alias stands for.
    """

    shape: TextShape
    start: int
    end: int
    anchor: str | None = None
    tag: str | None = None
    entries: Sequence[Entry] = ()
    text: str = ""
    style: str = ""
    implicit: bool = False
    flow: bool = False
    target: TextNode | None = None

    @property
    def is_its_text(self) -> bool:
        """Whether it is surely a scalar whose value is its text."""
        text = self.text
        return bool(text) and self.tag is None and (not self.implicit or text[0] not in scalars.FIRST)

    @property
    def decorated(self) -> bool:
        """Whether an anchor or a tag stands before the value."""
        return self.shape is not TextShape.ALIAS and (self.anchor is not None or self.tag is not None)


@dataclass(slots=True, eq=False)
class Entry:
    """An entry of a mapping, or an element (``key`` is ``None``, ``name`` its index).

    ``name`` of a key is the text that it has in JSON; empty where it has none. ``merge``: the key is ``<<``.
    """

    name: str | int
    key: TextNode | None
    value: TextNode
    merge: bool = False

    @property
    def start(self) -> int:
        """The index of the character at which its key, or the element itself, begins."""
        return self.value.start if self.key is None else self.key.start

    @property
    def end(self) -> int:
        """The index of the character at which it ends."""
        return self.value.end if self.key is None else max(self.key.end, self.value.end)


def compose(text: str) -> TextNode | None:
    """The top node of the first YAML document in ``text``; ``None`` where it is empty. Raises YamlError and
    TooDeepError.
    """
    return _composed(text, text)


def kept(read: Callable[[Document], T]) -> Callable[[Document], T]:
    """``read`` that remembers its answers for the documents that were asked about last, few where they are long."""
    of_short, of_long = lru_cache(maxsize=128)(read), lru_cache(maxsize=8)(read)
    return lambda document: of_short(document) if len(document.text) < _SHORT else of_long(document)


@kept
def tree_of(document: Document) -> TextNode | None:
    """The top node of a document, YAML or JSON, made when it is first asked for; ``None`` where it is empty.

    Raises YamlError and TooDeepError.
    """
    text = document.text
    if text.lstrip().startswith(("{", "[")):  # JSON allows a few characters that YAML does not
        with suppress(YamlError):
            return compose(text)
        return _composed(_JSON_ONLY.sub(lambda found: " " * len(found[0]), text), text)
    return compose(text)


def nodes_of(top: TextNode) -> Iterator[TextNode]:
    """All nodes of a tree, keys among them."""
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        for entry in node.entries:
            waiting.append(entry.value)
            if entry.key is not None:
                waiting.append(entry.key)


def _composed(likeness: str, text: str) -> TextNode | None:
    """The tree of the text, read from a likeness of it that has the same places."""
    composer = _Composer(content_events(likeness), text, as_json=likeness is not text)
    try:
        return composer.document()
    except RecursionError:  # only where the caller's own stack is deep already
        raise TooDeepError from None


class _Composer:
    """Makes nodes of parse events.

    With ``as_json`` the events are those of a likeness of the text, whose keys may differ from the text's own.
    """

    def __init__(self, events: Iterator[Any], text: str, *, as_json: bool) -> None:
        self._events = events
        self._text = text
        self._as_json = as_json
        self._anchors: dict[str, TextNode] = {}

    def document(self) -> TextNode | None:
        event = next(self._events, None)
        top = None if event is None else self._node(event, 1)
        for _ in self._events:
            pass  # what follows in the document must be well-formed too
        return top

    def _node(self, event: Any, depth: int) -> TextNode:
        kind = KINDS[type(event)]
        if kind is _SCALAR_EVENT:
            return self._scalar(event)
        if kind is _ALIAS_EVENT:
            return self._alias(event)
        if depth > MAX_DEPTH:
            raise TooDeepError
        start, end = event.start_mark.index, event.end_mark.index
        entries: list[Entry] = []
        mapping = kind is _MAPPING_START
        shape = _MAPPING if mapping else _SEQUENCE
        node = TextNode(shape, start, end, event.anchor, _tag(event), entries, flow=bool(event.flow_style))
        if node.anchor is not None:
            self._anchors[node.anchor] = node
        closing = self._mapping(entries, depth) if mapping else self._sequence(entries, depth)
        node.end = max(end, entries[-1].end if entries else start, self._close(closing))
        return node

    def _scalar(self, event: Any) -> TextNode:
        start, end, style = event.start_mark.index, event.end_mark.index, event.style or ""
        if style in ("|", ">"):  # the parser counts the line ends after a block text to it
            end = start + len(self._text[start:end].rstrip())
        node = TextNode(
            _SCALAR, start, end, event.anchor, _tag(event), (), event.value, style, implicit=event.implicit[0]
        )
        if node.anchor is not None:
            self._anchors[node.anchor] = node
        return node

    def _alias(self, event: Any) -> TextNode:
        start, name = event.start_mark.index, event.anchor
        if name not in self._anchors:
            why = f"the alias *{name} has no anchor &{name} above it: define it, or quote the text"
            raise YamlError(why, start)
        return TextNode(_ALIAS, start, event.end_mark.index, name, target=self._anchors[name])

    def _sequence(self, entries: list[Entry], depth: int) -> Any:
        """Fill in the elements of a sequence: the event that ends it."""
        for event in self._events:
            if KINDS[type(event)] is _SEQUENCE_END:
                return event
            entries.append(Entry(len(entries), None, self._node(event, depth + 1)))
        return None

    def _mapping(self, entries: list[Entry], depth: int) -> Any:
        """Fill in the entries of a mapping: the event that ends it."""
        for event in self._events:
            kind = KINDS[type(event)]
            if kind is _MAPPING_END:
                return event
            key = self._scalar(event) if kind is _SCALAR_EVENT else self._node(event, depth + 1)
            if key.text == "<<" and (key.implicit or key.tag == _MERGE_TAG):
                following = next(self._events)
                in_list = KINDS[type(following)] is _SEQUENCE_START
                value = self._node(following, depth - 1 if in_list else depth)  # what is merged is no level of its own
                entries.append(Entry("<<", key, value, merge=True))
            else:
                name = key.text if key.is_its_text and not self._as_json else self._name(key)
                entries.append(Entry(name, key, self._node(next(self._events), depth + 1)))
        return None

    def _close(self, event: Any) -> int:
        """The end of a collection in brackets; a block collection ends with its last entry."""
        if event is None:
            return 0
        end: int = event.end_mark.index
        return end if self._text[event.start_mark.index : end] in ("}", "]") else 0

    def _name(self, key: TextNode) -> str:
        """The key as Kubernetes reads it; its own text where it does not."""
        node = key if key.target is None else key.target
        if node.shape is not _SCALAR:
            return ""
        if self._as_json:
            with suppress(ValueError):
                return str(json.loads(self._text[node.start : node.end]))
        try:
            value = scalars.plain(node.text) if node.implicit else node.text
            return scalars.key(value if node.tag is None else scalars.tagged(node.tag, node.text))
        except scalars.ScalarError:
            return node.text


def _tag(event: Any) -> str | None:
    return None if event.tag is None else str(event.tag)  # ruamel.yaml's are objects
