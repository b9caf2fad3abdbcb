"""How much was looked at in this process, in steps that are the same on every machine: what budgets are counted in.

A step takes about ten millionths of a second. What is remembered is not looked at again, and counts once.
"""

from __future__ import annotations

__all__ = ["StepBudget", "spend", "spent"]

_spent = 0


def spend(steps: int) -> None:
    """Count some steps."""
    global _spent  # noqa: PLW0603 (one number for the process)
    _spent += steps


def spent() -> int:
    """The steps so far."""
    return _spent


class StepBudget:
    """Steps that one thing may take, in all that asks for it."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def take(self, steps: int) -> bool:
        """Count some steps; whether that many were left."""
        self._left -= steps
        return self._left >= 0
