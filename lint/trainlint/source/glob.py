"""Patterns of paths: ``*`` and ``?`` within one directory, ``**`` for any number of them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["is_pattern", "matches"]

_PARTS: Final = lazy_pattern(r"\*+|\?|\[\^?[^\]/]+\]|[^*?\[]+|\[")
_SIGN: Final = {"*": "[^/]*", "**": "[^/]*", "?": "[^/]"}


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
    return re.compile(made, re.DOTALL)


def _step(step: str) -> str:
    """One step of a path: no sign of it matches a slash."""
    return "".join(_SIGN.get(part, part if part.startswith("[") else re.escape(part)) for part in _PARTS.findall(step))
