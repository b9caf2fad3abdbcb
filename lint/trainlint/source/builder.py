"""Parse events to values, as go-yaml v2 (decode.go) and sigs.k8s.io/yaml make them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Path
from trainlint.source import scalars
from trainlint.source.events import (
    KINDS,
    AliasError,
    EventKind,
    TooDeepError,
    TooManyDigitsError,
    YamlError,
    with_events,
)

__all__ = ["MAX_DEPTH", "MAX_DIGITS", "Loaded", "build", "has_long_number", "height"]

MAX_DEPTH: Final = 128
"""Levels of nesting that are read; public manifests have 51 at most, Kubernetes allows 10,000."""

MAX_DIGITS: Final = 4300
"""Digits of a number, by Python's own limit (sys.int_info.default_max_str_digits)."""

_LONG: Final = re.compile(rf"(?<!\d)\d{{{MAX_DIGITS + 1}}}")
_MERGE_TAG = "tag:yaml.org,2002:merge"
_EMPTY: Any = object()


@fact
class Loaded:
    """The value of a document and the paths of keys that stand twice in one mapping.

    ``lost`` are those of them whose earlier value is neither empty nor the one that counts.
    """

    data: Any
    duplicates: tuple[Path, ...] = ()
    lost: tuple[Path, ...] = ()


@dataclass(slots=True)
class _Anchor:
    value: Any
    nodes: int = 0
    height: int = 0
    mapping: bool = False


def has_long_number(text: str) -> bool:
    """Whether digits in a text make a number that nothing reads."""
    return _LONG.search(text) is not None


def build(text: str) -> Loaded:
    """The value of the first YAML document in ``text``. Raises YamlError and TooDeepError."""
    try:
        return with_events(text, lambda events: _Builder(events).document())
    except RecursionError:  # only where the caller's own stack is deep already
        raise TooDeepError from None


class _Builder:
    """Builds one document from parse events; values behind an alias are shared, never copied."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._anchors: dict[str, _Anchor] = {}
        self._path: list[str | int] = []
        self._duplicates: dict[Path, None] = {}
        self._lost: dict[Path, None] = {}
        self._nodes = 0
        self._aliased = 0

    def document(self) -> Loaded:
        event = next(self._events, None)
        data = None if event is None else self._node(event, 1)
        self._check_aliases(0)
        for _ in self._events:
            pass  # what follows in the document must be well-formed too
        return Loaded(data, tuple(self._duplicates), tuple(self._lost))

    def _node(self, event: Any, depth: int) -> Any:
        kind = KINDS[type(event)]
        if kind is EventKind.ALIAS:
            return self._alias(event, depth).value
        self._nodes += 1
        anchor = None
        if event.anchor is not None:
            anchor = self._anchors[event.anchor] = _Anchor(_EMPTY, self._nodes, mapping=kind is EventKind.MAPPING_START)
        if kind is EventKind.SCALAR:
            value = self._scalar(event)
        elif depth > MAX_DEPTH:
            raise TooDeepError
        elif kind is EventKind.MAPPING_START:
            value = self._mapping(depth)
        else:
            value = self._sequence(depth)
        if anchor is not None:
            anchor.value = value
            anchor.nodes = self._nodes - anchor.nodes + 1
            anchor.height = height(value)
        return value

    def _scalar(self, event: Any) -> Any:
        tag = event.tag
        if len(event.value) > MAX_DIGITS and has_long_number(event.value):
            raise TooManyDigitsError(event.start_mark.index)
        if tag is None:
            return scalars.plain(event.value) if event.implicit[0] else event.value
        try:
            return scalars.tagged(str(tag), event.value)
        except scalars.ScalarError as error:
            raise YamlError(str(error), event.start_mark.index) from None

    def _value(self, event: Any, depth: int) -> Any:
        value = self._node(event, depth)
        if type(value) is float and not math.isfinite(value):
            raise YamlError(
                "JSON, and so Kubernetes, has no infinity and no NaN: quote the text", event.start_mark.index
            )
        return value

    def _sequence(self, depth: int) -> list[Any]:
        value: list[Any] = []
        path, append = self._path, value.append
        path.append(0)
        for event in self._events:
            if KINDS[type(event)] is EventKind.SEQUENCE_END:
                break
            append(self._value(event, depth + 1))
            path[-1] = len(value)
        path.pop()
        return value

    def _mapping(self, depth: int) -> dict[str, Any]:
        value: dict[str, Any] = {}
        written: set[str] = set()
        path = self._path
        path.append("")
        for event in self._events:
            kind = KINDS[type(event)]
            if kind is EventKind.MAPPING_END:
                break
            if kind is EventKind.SCALAR and event.value == "<<" and (event.implicit[0] or event.tag == _MERGE_TAG):
                path[-1] = "<<"
                value.update(
                    self._merged(next(self._events), depth)
                )  # in go-yaml v2 a later `<<` wins over a key above
                continue
            key = self._key(event, depth)
            path[-1] = key
            if key in written:
                self._duplicates[tuple(path)] = None
                made = self._value(next(self._events), depth + 1)
                if value[key] not in (None, "", [], {}) and value[key] != made:
                    self._lost[tuple(path)] = None
                value[key] = made
                continue
            written.add(key)
            value[key] = self._value(next(self._events), depth + 1)
        path.pop()
        return value

    def _key(self, event: Any, depth: int) -> str:
        key = self._node(event, depth + 1)
        if type(key) is str:
            return key
        try:
            return scalars.key(key)
        except scalars.ScalarError as error:
            raise YamlError(str(error), event.start_mark.index) from None

    def _merged(self, event: Any, depth: int) -> dict[str, Any]:
        """The mapping that ``<<`` brings in; of a list of them the earlier ones win."""
        kind = KINDS[type(event)]
        if kind is EventKind.SEQUENCE_START:
            sources = []
            for element in self._events:
                if KINDS[type(element)] is EventKind.SEQUENCE_END:
                    break
                sources.append(self._source(element, depth))
            value: dict[str, Any] = {}
            for source in reversed(sources):
                value.update(source)
            return value
        return self._source(event, depth)

    def _source(self, event: Any, depth: int) -> dict[str, Any]:
        kind = KINDS[type(event)]
        value = self._node(event, depth) if kind in (EventKind.MAPPING_START, EventKind.ALIAS) else None
        if not isinstance(value, dict):
            raise YamlError(
                "`<<` merges a mapping or a list of mappings: give it an alias of one", event.start_mark.index
            )
        return value

    def _alias(self, event: Any, depth: int) -> _Anchor:
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            raise YamlError(
                f"the alias *{event.anchor} has no anchor &{event.anchor} above it: define it, or quote the text",
                event.start_mark.index,
            )
        if anchor.value is _EMPTY:
            raise AliasError(
                f"the anchor &{event.anchor} holds itself: an object cannot be endless", event.start_mark.index
            )
        if depth + anchor.height > MAX_DEPTH:
            raise TooDeepError
        self._nodes += 1 + anchor.nodes
        self._aliased += anchor.nodes
        self._check_aliases(event.start_mark.index)
        return anchor

    def _check_aliases(self, index: int) -> None:
        """The limit of go-yaml v2 (decode.go, allowedAliasRatio): 99 % of a small document, 10 % of a large one."""
        if self._aliased > 100 and self._nodes > 1000:
            large = min(max((self._nodes - 400_000) / 3_600_000, 0.0), 1.0)
            if self._aliased / self._nodes > 0.99 - 0.89 * large:
                return


def height(data: Any) -> int:
    """Levels of mappings and lists in a value."""
    levels = 0
    level = [data] if isinstance(data, (dict, list)) else []
    while level and levels <= MAX_DEPTH:
        levels += 1
        level = [
            child
            for value in level
            for child in (value.values() if type(value) is dict else value)
            if type(child) is dict or type(child) is list
        ]
    return levels
