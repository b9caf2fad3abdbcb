"""Expressions whose evaluation may take more time or memory than Kubernetes allows: they are not evaluated here.

The library counts the steps of loops; what grows without one (texts and lists that are joined to themselves) is judged
by the text.
"""

from __future__ import annotations

from typing import Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["grows"]

_LENGTH: Final = 20_000
_GROWING: Final = lazy_pattern(r"\bcel\.bind\s*\(|\.replace\s*\(|\.join\s*\(|\.format\s*\(|\bvariables\.")
_JOINS: Final = lazy_pattern(r"\+|,")
_RANGE: Final = lazy_pattern(r"\blists\.range\s*\(\s*(?!\d{1,4}\s*\))")
_MOST: Final = 10**9
_FREE: Final = 3
"""So many steps grow little, however long the text."""


def grows(expression: str) -> bool:
    """Whether an expression may make something huge."""
    if len(expression) > _LENGTH or _RANGE.search(expression) is not None:
        return True
    steps = len(_GROWING.findall(expression))
    if steps <= _FREE:
        return False
    each = len(_JOINS.findall(expression)) / steps + 1
    return bool(each**steps > _MOST)
