"""The tree of a document to values, as go-yaml v2 (decode.go) and sigs.k8s.io/yaml make them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Path
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source import scalars
from trainlint.source.events import AliasError, TooDeepError, TooManyDigitsError, YamlError
from trainlint.source.yaml_tree import MAX_DEPTH, Entry, TextNode, TextShape, compose

__all__ = ["MAX_DIGITS", "Loaded", "build", "has_long_number", "height"]

MAX_DIGITS: Final = 4300
"""Digits of a number, by Python's own limit (sys.int_info.default_max_str_digits)."""

_LONG: Final = lazy_pattern(rf"(?<!\d)\d{{{MAX_DIGITS + 1}}}")
_EMPTY: Any = object()
_SCALAR, _MAPPING, _SEQUENCE, _ALIAS = TextShape  # to read a member of an enumeration is slow in Python 3.11


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


def has_long_number(text: str) -> bool:
    """Whether digits in a text make a number that nothing reads."""
    return _LONG.search(text) is not None


def build(text: str) -> Loaded:
    """The value of the first YAML document in ``text``. Raises YamlError and TooDeepError."""
    top = compose(text)
    if top is None:
        return Loaded(None)
    try:
        return _Builder().document(top)
    except RecursionError:  # only where the caller's own stack is deep already
        raise TooDeepError from None


class _Builder:
    """Builds the value of one document; values behind an alias are shared, never copied."""

    def __init__(self) -> None:
        self._anchors: dict[int, _Anchor] = {}
        self._path: list[str | int] = []
        self._duplicates: dict[Path, None] = {}
        self._lost: dict[Path, None] = {}
        self._nodes = 0
        self._aliased = 0

    def document(self, top: TextNode) -> Loaded:
        data = self._node(top, 1)
        self._check_aliases(0)
        return Loaded(data, tuple(self._duplicates), tuple(self._lost))

    def _node(self, node: TextNode, depth: int) -> Any:
        shape = node.shape
        if shape is _ALIAS:
            return self._alias(node, depth).value
        self._nodes += 1
        if node.anchor is None:
            return self._scalar(node) if shape is _SCALAR else self._collection(node, depth)
        anchor = self._anchors[id(node)] = _Anchor(_EMPTY, self._nodes)
        anchor.value = self._scalar(node) if shape is _SCALAR else self._collection(node, depth)
        anchor.nodes = self._nodes - anchor.nodes + 1
        anchor.height = height(anchor.value)
        return anchor.value

    def _collection(self, node: TextNode, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise TooDeepError
        return self._mapping(node, depth) if node.shape is _MAPPING else self._sequence(node, depth)

    def _scalar(self, node: TextNode) -> Any:
        if len(node.text) > MAX_DIGITS and has_long_number(node.text):
            raise TooManyDigitsError(node.start)
        if node.tag is None:
            return scalars.plain(node.text) if node.implicit else node.text
        try:
            return scalars.tagged(node.tag, node.text)
        except scalars.ScalarError as error:
            raise YamlError(str(error), node.start) from None

    def _value(self, node: TextNode, depth: int) -> Any:
        value = self._node(node, depth)
        if type(value) is float and not math.isfinite(value):
            raise YamlError("JSON, and so Kubernetes, has no infinity and no NaN: quote the text", node.start)
        return value

    def _sequence(self, node: TextNode, depth: int) -> list[Any]:
        value: list[Any] = []
        path = self._path
        path.append(0)
        for entry in node.entries:
            path[-1] = entry.name
            value.append(self._value(entry.value, depth + 1))
        path.pop()
        return value

    def _mapping(self, node: TextNode, depth: int) -> dict[str, Any]:
        value: dict[str, Any] = {}
        written: set[str] = set()
        path = self._path
        path.append("")
        for entry in node.entries:
            if entry.merge:
                path[-1] = "<<"
                value.update(self._merged(entry.value, depth))  # in go-yaml v2 a later `<<` wins over a key above
                continue
            path[-1] = key = self._key(entry, depth)
            if key not in written:
                written.add(key)
                value[key] = self._value(entry.value, depth + 1)
                continue
            self._duplicates[tuple(path)] = None
            made = self._value(entry.value, depth + 1)
            if value[key] not in (None, "", [], {}) and value[key] != made:
                self._lost[tuple(path)] = None
            value[key] = made
        path.pop()
        return value

    def _key(self, entry: Entry, depth: int) -> str:
        node = entry.key
        assert node is not None  # it is an entry of a mapping
        if node.is_its_text and node.anchor is None and len(node.text) <= MAX_DIGITS:
            self._nodes += 1
            return node.text
        key = self._node(node, depth + 1)
        if type(key) is str:
            return key
        try:
            return scalars.key(key)
        except scalars.ScalarError as error:
            raise YamlError(str(error), node.start) from None

    def _merged(self, node: TextNode, depth: int) -> dict[str, Any]:
        """The mapping that ``<<`` brings in; of a list of them the earlier ones win."""
        if node.shape is not _SEQUENCE:
            return self._source(node, depth)
        value: dict[str, Any] = {}
        for source in reversed([self._source(each.value, depth) for each in node.entries]):
            value.update(source)
        return value

    def _source(self, node: TextNode, depth: int) -> dict[str, Any]:
        value = self._node(node, depth) if node.shape in (_MAPPING, _ALIAS) else None
        if not isinstance(value, dict):
            raise YamlError("`<<` merges a mapping or a list of mappings: give it an alias of one", node.start)
        return value

    def _alias(self, node: TextNode, depth: int) -> _Anchor:
        anchor = self._anchors.get(id(node.target))
        if anchor is None or anchor.value is _EMPTY:
            raise AliasError(f"the anchor &{node.anchor} holds itself: an object cannot be endless", node.start)
        if depth + anchor.height > MAX_DEPTH:
            raise TooDeepError
        self._nodes += 1 + anchor.nodes
        self._aliased += anchor.nodes
        self._check_aliases(node.start)
        return anchor

    def _check_aliases(self, index: int) -> None:
        """The limit of go-yaml v2 (decode.go, allowedAliasRatio): 99 % of a small document, 10 % of a large one."""
        if self._aliased > 100 and self._nodes > 1000:
            large = min(max((self._nodes - 400_000) / 3_600_000, 0.0), 1.0)
            if self._aliased / self._nodes > 0.99 - 0.89 * large:
                raise AliasError("the aliases expand to far more than the document holds: write the values out", index)


def height(data: Any) -> int:
    """The levels of mappings and lists in a value."""
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
