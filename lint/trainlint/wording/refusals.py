"""Why a pod is refused, in words."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.scheduling.refusal import Refusal
from trainlint.wording.because import because_text

__all__ = ["refusals_text"]


def refusals_text(refusals: Iterable[Refusal]) -> str:
    """Several refusals in one sentence."""
    return "; ".join(because_text(each.reason) for each in refusals)
