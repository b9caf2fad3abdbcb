"""Values that are not known, for tests."""

from __future__ import annotations

from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.proof.ground import ProofGround

__all__ = ["unknown"]


def unknown(why: str) -> Undetermined:
    """A value that is not known, with a reason in words."""
    return Undetermined(Because(ProofGround.VALUE, (why,)))
