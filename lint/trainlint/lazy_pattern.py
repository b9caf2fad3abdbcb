"""Regular expressions that are compiled at their first use.

A check of a few files uses a quarter of the patterns of its modules; compiling all of them took a tenth of its start.
"""

from __future__ import annotations

import re
from typing import AnyStr, cast

__all__ = ["lazy_pattern"]

_METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
_ATTRIBUTES = ("pattern", "flags", "groups", "groupindex")


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern as ``re.compile`` returns it, compiled at its first use; a wrong one raises ``re.error`` there."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(text, flags))


class _LazyPattern:
    """Stands for a pattern; after the first use its attributes are those of the compiled one."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> object:
        if name not in _METHODS and name not in _ATTRIBUTES:
            raise AttributeError(name)
        compiled = re.compile(self._text, self._flags)
        for each in (*_METHODS, *_ATTRIBUTES):
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)
