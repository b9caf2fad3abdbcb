"""Values that may be unknown."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias, TypeVar

from trainlint.fact import fact

__all__ = ["Answer", "Known", "Undetermined"]

T = TypeVar("T")


@fact
class Undetermined:
    """A value that the manifests do not fix (a placeholder such as ``${N}``, a label that only exists at run time)."""

    why: str


Known: TypeAlias = T | Undetermined
"""A value, or the reason why nobody can know it."""


class Answer(StrEnum):
    """The three answers to a question."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
