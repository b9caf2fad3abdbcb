"""Values that may be unknown."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, TypeAlias, TypeVar

from trainlint.fact import fact
from trainlint.model.because import Because

__all__ = ["SYMBOL", "Answer", "Known", "Undetermined"]

T = TypeVar("T")


@fact
class Undetermined:
    """A value that the manifests do not fix (a placeholder such as ``${N}``, a label that only exists at run time).

    ``symbol`` stands for a value that is made once and used in several places: equal symbols are equal values.
    ``prefix`` is how such a value begins, where that is known.
    """

    why: Because
    symbol: str = ""
    prefix: str = ""


SYMBOL: Final = "-RANDOM"
"""The end of every symbol: generated names have no upper case, so that no manifest means one of them."""


Known: TypeAlias = T | Undetermined
"""A value, or the reason why it is unknown."""


class Answer(StrEnum):
    """The answers to a question; ``CONDITIONAL``: yes on every cluster that has what the pods need."""

    PROVED = "proved"
    REFUTED = "refuted"
    CONDITIONAL = "conditional"
    UNKNOWN = "unknown"

    @classmethod
    def of_all(cls, answers: Iterable[Answer]) -> Answer:
        """The answer to whether several things hold: the worst one; proved where there are none."""
        found = set(answers)
        return next((each for each in _WORST_FIRST if each in found), cls.PROVED)


_WORST_FIRST: Final = (Answer.REFUTED, Answer.UNKNOWN, Answer.CONDITIONAL)
