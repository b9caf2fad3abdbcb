"""Groups whose pods an admission object may refuse or change: nothing is proved of them that it could end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.checks.stopped_groups import nowhere
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.proof.ground import ProofGround
from trainlint.proof.group import GroupProof

if TYPE_CHECKING:
    from trainlint.installed.gates import Gate

__all__ = ["gated"]


def gated(gates: Iterable[Gate], proof: GroupProof) -> GroupProof:
    """The proof with what admission objects leave of it: what was proved is unknown, and where it is said what a
    cluster must have, each of them is one need more. What is refuted stays so: the findings that say why hold of the
    pods as they are written.
    """
    found = [each for each in gates if proof.group.name in each.groups]
    if not found or proof.exists is Answer.REFUTED:
        return proof
    if proof.exists is Answer.CONDITIONAL and proof.needs is not None:
        others = dict.fromkeys((*proof.needs.others, *(each.need for each in found)))
        return replace(proof, needs=replace(proof.needs, others=tuple(others)))
    missing = tuple(dict.fromkeys((*proof.missing, *map(_doubt, found))))
    return replace(nowhere(proof, Answer.UNKNOWN), missing=missing)


def _doubt(gate: Gate) -> Because:
    return Because(ProofGround.CHANGED if gate.changes else ProofGround.LET_IN, (gate.name,))
