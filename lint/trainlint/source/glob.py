"""Patterns of paths: ``*`` and ``?`` within one directory, ``**`` for any number of them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["is_pattern", "matches"]

_PARTS: Final = lazy_pattern(r"\*+|\?|\[\^?[^\]/]+\]|[^*?\[]+|\[")
_SPECIAL: Final = lazy_pattern(r"[\\\[&~|]")
"""Characters that mean something in a set of Python's only."""
_NOTHING: Final = lazy_pattern(r"(?!)")


def is_pattern(text: str) -> bool:
    """Whether a path is a pattern."""
    return any(sign in text for sign in "*?[")


def matches(path: str, pattern: str) -> bool:
    """Whether a path, below the directory from which the pattern counts, matches the whole pattern."""
    return _compiled(pattern.removeprefix("./").strip("/")).fullmatch(path) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    steps = pattern.split("/")
    made = ""
    for index, step in enumerate(steps):
        last = index == len(steps) - 1
        if step == "**":
            made += ".*" if last else "(?:[^/]+/)*"
        else:
            made += _step(step) + ("" if last else "/")
    try:
        return re.compile(made, re.DOTALL)
    except re.error:  # a range of characters that ends before it begins
        return _NOTHING


def _step(step: str) -> str:
    """One step of a path: no sign of it matches a slash."""
    return "".join(map(_part, _PARTS.findall(step)))


def _part(part: str) -> str:
    """A sign, a set of characters (``[a-c]``, ``[^ab]``), or a text as it is."""
    if part.startswith("*"):
        return "[^/]*"
    if part == "?":
        return "[^/]"
    if len(part) == 1 or not part.startswith("["):
        return re.escape(part)
    inside = _SPECIAL.sub(r"\\\g<0>", part[1:-1])
    return f"(?!/)[{inside}]"
