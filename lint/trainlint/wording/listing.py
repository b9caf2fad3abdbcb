"""Names in one phrase."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["listed"]

SHOWN: Final = 6
"""Names of one kind that are told; the others are counted."""


def listed(names: Iterable[str]) -> str:
    """Names in one phrase."""
    every = list(dict.fromkeys(names))
    more = [f"{len(every) - SHOWN} more"] if len(every) > SHOWN + 1 else []
    shown = [*(every[:SHOWN] if more else every), *more]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1]))) if shown else "none"
