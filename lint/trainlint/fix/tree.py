"""The nodes of one document with their places and styles: what an edit must know and a value has lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from trainlint.finding import Path
from trainlint.source import scalars
from trainlint.source.events import KINDS, EventKind, TooDeepError, YamlError, with_events

__all__ = ["Entry", "NotEditableError", "TextNode", "TextShape", "parse", "resolve"]

_MERGE_TAG: Final = "tag:yaml.org,2002:merge"
_JSON_ONLY: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}|[\x7f\t]")


class NotEditableError(Exception):
    """The text at a place is not the value's own, or it cannot be changed without touching more; says why."""


class TextShape(Enum):
    """What a node is."""

    SCALAR = "scalar"
    MAPPING = "mapping"
    SEQUENCE = "sequence"
    ALIAS = "alias"


@dataclass(slots=True)
class TextNode:
    """A value in the text: from ``start`` (an anchor and a tag included) to ``end``, without trailing white space.

    ``style`` of a scalar is its quote, ``|`` or ``>``, or empty (plain); ``flow`` says that a collection is in
    brackets; ``decorated`` that an anchor or a tag stands before the value.
    """

    shape: TextShape
    start: int
    end: int
    style: str = ""
    flow: bool = False
    decorated: bool = False
    entries: list[Entry] = field(default_factory=list)

    def child(self, step: str | int) -> TextNode | None:
        """The value under a key or index of its own; ``None`` where there is none."""
        found = self.entry(step)
        return None if found is None else found.value

    def entry(self, step: str | int) -> Entry | None:
        """The entry under a key or index; ``None`` where there is none.

        Raises:
            NotEditableError: the key stands twice, or may be merged in.
        """
        found = [each for each in self.entries if each.name == step and not each.merge]
        if len(found) > 1:
            raise NotEditableError(f"the key {step} stands twice")
        if not found and any(each.merge for each in self.entries):
            raise NotEditableError(f"{step} may be merged in from an anchor")
        return found[0] if found else None


@dataclass(slots=True)
class Entry:
    """An entry of a mapping, or an element (``key`` is ``None``, ``name`` its index)."""

    name: str | int
    key: TextNode | None
    value: TextNode
    merge: bool = False

    @property
    def start(self) -> int:
        """Where its key, or the element itself, begins."""
        return self.value.start if self.key is None else self.key.start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.value.end if self.key is None else max(self.key.end, self.value.end)


def parse(text: str) -> TextNode:
    """The top node of a document. Raises NotEditableError for what is no YAML that can be edited."""
    texts = [text]
    if text.lstrip().startswith(("{", "[")):  # JSON allows a few characters that YAML does not
        texts.append(_JSON_ONLY.sub(lambda found: " " * len(found[0]), text))
    for each in texts:
        with suppress(YamlError, TooDeepError, RecursionError):
            top = with_events(each, _Parser(text, as_json=each is not text).document)
            if top is not None:
                return top
    raise NotEditableError("the document cannot be parsed")


def resolve(top: TextNode, path: Path) -> TextNode | None:
    """The node at a path, by its own text alone; ``None`` where nothing is written there.

    Raises:
        NotEditableError: something on the way is an alias, is merged in, or stands twice.
    """
    here: TextNode | None = top
    for step in path:
        if here is None:
            return None
        if here.shape is TextShape.ALIAS:
            raise NotEditableError("the value is written at an anchor that others use too")
        here = here.child(step)
    if here is not None and here.shape is TextShape.ALIAS:
        raise NotEditableError("the value is written at an anchor that others use too")
    return here


class _Parser:
    """Builds nodes from parse events; with ``as_json`` those of a likeness of the text."""

    def __init__(self, text: str, *, as_json: bool) -> None:
        self._text = text
        self._as_json = as_json

    def document(self, events: Iterator[Any]) -> TextNode | None:
        event = next(events, None)
        top = None if event is None else self._node(event, events)
        for _ in events:
            pass
        return top

    def _node(self, event: Any, events: Iterator[Any]) -> TextNode:
        kind = KINDS[type(event)]
        start, end = event.start_mark.index, event.end_mark.index
        if kind is EventKind.ALIAS:
            return TextNode(TextShape.ALIAS, start, end)
        decorated = event.anchor is not None or event.tag is not None
        if kind is EventKind.SCALAR:
            style = event.style or ""
            end = start + len(self._text[start:end].rstrip())
            return TextNode(TextShape.SCALAR, start, end, style, decorated=decorated)
        flow = bool(event.flow_style)
        if kind is EventKind.MAPPING_START:
            node = TextNode(TextShape.MAPPING, start, end, flow=flow, decorated=decorated)
            node.end = self._mapping(node, events)
        else:
            node = TextNode(TextShape.SEQUENCE, start, end, flow=flow, decorated=decorated)
            node.end = self._sequence(node, events)
        return node

    def _sequence(self, node: TextNode, events: Iterator[Any]) -> int:
        last = node.end
        for event in events:
            if KINDS[type(event)] is EventKind.SEQUENCE_END:
                return max(last, self._close(node, event))
            value = self._node(event, events)
            node.entries.append(Entry(len(node.entries), None, value))
            last = max(last, value.end)
        return last

    def _mapping(self, node: TextNode, events: Iterator[Any]) -> int:
        last = node.end
        for event in events:
            kind = KINDS[type(event)]
            if kind is EventKind.MAPPING_END:
                return max(last, self._close(node, event))
            merge = kind is EventKind.SCALAR and event.value == "<<" and (event.implicit[0] or event.tag == _MERGE_TAG)
            name = self._name(event) if kind is EventKind.SCALAR else ""
            key = self._node(event, events)
            value = self._node(next(events), events)
            entry = Entry(name, key, value, merge=merge)
            node.entries.append(entry)
            last = max(last, entry.end)
        return last

    def _close(self, node: TextNode, event: Any) -> int:
        """The end of a collection in brackets; a block collection ends with its last entry."""
        return int(event.end_mark.index) if node.flow else 0

    def _name(self, event: Any) -> str:
        """The key as Kubernetes reads it."""
        if self._as_json:
            with suppress(ValueError):
                return str(json.loads(self._text[event.start_mark.index : event.end_mark.index]))
        try:
            if event.tag is not None:
                return scalars.key(scalars.tagged(str(event.tag), event.value))
            return scalars.key(scalars.plain(event.value)) if event.implicit[0] else str(event.value)
        except scalars.ScalarError:
            return str(event.value)
