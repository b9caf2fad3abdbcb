"""Manifests in their usual form, read line by line: several times as quick as by parse events.

Read here is the part of YAML in which a line can mean one thing only: block mappings and sequences, scalars and flow
collections that end on their line, literal text, comments. About everything else (anchors, tags, folded text, keys that
stand twice, indentation that does not fit, ...) nothing is said: the parser of all of YAML decides whether it means
something, and what. So what is read here has the value that the parser would give it.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source import scalars
from trainlint.source.document import MISSING

__all__ = ["ordinary"]

_MAX_DEPTH: Final = 40
"""Levels of blocks, and of flow collections in them: far fewer than the parser reads."""

_KEY: Final = (
    r"""[A-Za-z_/][\w/.\-]{0,200}+(?::[A-Za-z][\w/.\-]{0,200}+)?+|"[\w/.\-\ :]{1,200}+"|'[\w/.\-\ :]{1,200}+'"""
)
_QUOTED: Final = r""""([^"\\\n]*+)"|'([^'\n]*+)'"""
_WORD: Final = r"[^:\#\n]*+"
_START: Final = r"""(?:[^\n\ !"\#%&'*,\-:<>?@\[\\\]`{|}]|-{1,2}(?=[A-Za-z0-9_.]))"""
_PLAIN: Final = rf"{_START}{_WORD}(?:(?::(?=[^\ \n])|(?<!\ )\#){_WORD})*+"
_FLOW_WORD: Final = r"[\w/.$+~@=*%()\-]*+"
_FLOW_PLAIN: Final = (
    rf"(?:[A-Za-z0-9_/.$+~]|-{{1,2}}(?=[A-Za-z0-9_.])){_FLOW_WORD}(?:(?:\ ++|:)(?=[A-Za-z0-9_/]){_FLOW_WORD})*+"
)

_LINE: Final = lazy_pattern(
    rf"""
    (\ *+) (-\ ++)? (?:({_KEY}):(?=[\ \n])\ *+)?
    (?:({_PLAIN})|{_QUOTED}|([\[{{].*+)|(\|-?))?+
    \ *+ (?:(?<![^\ \n])\#.*+)? \n
    """,
    re.VERBOSE | re.ASCII,
)
_LITERAL: Final = lazy_pattern(r"( ++)(?=[^ \n]).*+\n(?:\1.*+\n|\n)*+(?! ++\n)")
"""A line of a few spaces belongs to the text as well, if more of it follows: the caller finds out."""
_ENTRY: Final = lazy_pattern(rf"\ *+({_KEY}):\ ++(?:({_FLOW_PLAIN})|{_QUOTED}|(?=[\[{{]))", re.VERBOSE | re.ASCII)
_ITEM: Final = lazy_pattern(rf"\ *+()(?:({_FLOW_PLAIN})|{_QUOTED}|(?=[\[{{]))", re.VERBOSE | re.ASCII)
_NEXT: Final = lazy_pattern(r" *+([,\]}])")
_REST: Final = lazy_pattern(r" *+(?:(?<= )#.*+)?\Z")


class _OtherError(Exception):
    """It is written in another way than those that are read here."""


def ordinary(text: str) -> Any:
    """The value of a document that is written in the ordinary way; MISSING where it is not."""
    if not text.endswith("\n") or not text.replace("\n", "").isprintable():  # so no tab, and no other end of a line
        return MISSING
    try:
        return _block(text)
    except _OtherError:
        return MISSING


def _block(text: str) -> Any:  # noqa: C901, PLR0912, PLR0915 (one pass over all lines: calls would be half its cost)
    line, first = _LINE.match, scalars.FIRST
    holder: Any = [None]
    column = -1
    level: Any = holder
    above: list[tuple[int, Any]] = []  # the collections around ``level``, each with the column of its entries
    open_key: Any = 0  # the key in ``level`` whose value may begin below it
    at, end = 0, len(text)
    while at < end:
        found = line(text, at)
        if found is None:
            raise _OtherError
        at = found.end()
        indent, dash, name, plain, double, single, flow, literal = found.groups()
        if name is None and dash is None:
            if found.lastindex == 1:
                continue  # nothing, or a comment
            raise _OtherError
        here = len(indent)
        if open_key is not None and (here > column or (here == column and dash is not None)):
            above.append((column, level))
            level[open_key] = [] if dash is not None else {}
            column, level = here, level[open_key]
            if len(above) > _MAX_DEPTH:
                raise _OtherError
        else:  # a list may stand in the column of the key that it belongs to
            while here < column or (here == column and dash is None and type(level) is list):
                column, level = above.pop()
        if here != column or isinstance(level, list) is (dash is None):
            raise _OtherError
        if dash is not None and name is not None:
            above.append((column, level))
            level.append({})
            column, level = here + len(dash), level[-1]
        open_key = None
        opens = False
        value: Any
        if plain is not None:
            value = plain.rstrip(" ") if plain[-1] == " " else plain
            if value[0] in first:
                value = _resolved(value)
        elif double is not None:
            value = double
        elif single is not None:
            value = single
        elif flow is not None:
            value = _flow(flow)
        elif literal is not None:
            found = _LITERAL.match(text, at)
            if found is None or len(found[1]) <= column:
                raise _OtherError
            at = found.end()
            value = found[0][len(found[1]) :].replace("\n" + found[1], "\n").rstrip("\n")
            if literal == "|":
                value += "\n"
        elif name is None:
            raise _OtherError
        else:
            value, opens = None, True
        if name is None:
            level.append(value)
            continue
        if name[0] in "\"'":
            name = name[1:-1]
        elif name in scalars.WORDS:
            raise _OtherError
        if name in level:
            raise _OtherError
        level[name] = value
        if opens:
            open_key = name
    if holder[0] is None:
        raise _OtherError
    return holder[0]


def _resolved(text: str) -> scalars.Scalar:
    value = scalars.plain(text)
    if type(value) is float and not math.isfinite(value):
        raise _OtherError
    return value


def _flow(text: str) -> Any:
    """The value of a flow collection with which a line ends."""
    value, at = _collection(text, 0, 0)
    if _REST.match(text, at) is None:
        raise _OtherError
    return value


def _collection(text: str, at: int, depth: int) -> tuple[Any, int]:
    """The collection that begins at an index, and the index behind it."""
    if depth > _MAX_DEPTH:
        raise _OtherError
    keyed = text[at] == "{"
    entry = _ENTRY if keyed else _ITEM
    mapping: dict[str, Any] = {}
    items: list[Any] = []
    found = _NEXT.match(text, at + 1)
    if found is None:
        at, sign = at + 1, ","
    else:
        at, sign = found.end(), found[1].replace(",", "?")  # a comma cannot be the first
    while sign == ",":
        found = entry.match(text, at)
        if found is None:
            raise _OtherError
        value, at = _flow_value(text, found, depth)
        if keyed:
            name = _flow_key(found[1])
            if name in mapping:
                raise _OtherError
            mapping[name] = value
        else:
            items.append(value)
        found = _NEXT.match(text, at)
        if found is None:
            raise _OtherError
        at, sign = found.end(), found[1]
    if sign != ("}" if keyed else "]"):
        raise _OtherError
    return (mapping if keyed else items), at


def _flow_value(text: str, found: re.Match[str], depth: int) -> tuple[Any, int]:
    """The value of an entry or item, and the index behind it."""
    _, plain, double, single = found.groups()
    if plain is not None:
        return (_resolved(plain) if plain[0] in scalars.FIRST else plain), found.end()
    if double is not None or single is not None:
        return (single if double is None else double), found.end()
    return _collection(text, found.end(), depth + 1)


def _flow_key(name: str) -> str:
    if name[0] in "\"'":
        return name[1:-1]
    if name in scalars.WORDS:
        raise _OtherError
    return name
