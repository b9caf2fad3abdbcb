"""Three-valued logic: ``None`` is unknown."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["every", "some"]


def every(values: Iterable[bool | None]) -> bool | None:
    """Whether all hold; the first that does not settles it. ``None`` where that is not known."""
    result: bool | None = True
    for value in values:
        if value is False:
            return False
        if value is None:
            result = None
    return result


def some(values: Iterable[bool | None]) -> bool | None:
    """Whether one holds; the first that does settles it. ``None`` where that is not known."""
    result: bool | None = False
    for value in values:
        if value is True:
            return True
        if value is None:
            result = None
    return result
