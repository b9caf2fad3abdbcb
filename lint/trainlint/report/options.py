"""What a reporter may be told."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Options"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to write: ``width`` in columns; ``quiet`` leaves out all but the findings; formats ignore what they lack."""

    color: bool = False
    width: int = 80
    quiet: bool = False
    show_suppressed: bool = False
