"""Why the value of an environment variable is not known, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["VariableGround"]


class VariableGround(Enum):
    """Why the value of an environment variable is not known; beside each the values of its ``Because``."""

    REFERENCE = auto()  # the variable
    COMPUTED = auto()  # the text
    TOO_LONG = auto()  # KiB at most
    TOO_MUCH = auto()  # KiB at most
