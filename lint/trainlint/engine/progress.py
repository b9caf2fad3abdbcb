"""The callback that reports how far a run is."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress", "silent"]

Progress = Callable[[str, int, int], None]
"""Told the stage, how many of its steps are done, and how many there are. It may raise, and so end the run."""


def silent(stage: str, done: int, total: int) -> None:
    """Progress that is not shown."""
