"""One answer from two proofs: one with the least that nodes leave to pods, one with the most."""

from __future__ import annotations

from dataclasses import replace

from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.proof.cause import FlowCause
from trainlint.proof.ground import ProofGround
from trainlint.proof.group import GroupProof

__all__ = ["agreed", "either"]

MISSING = Because(ProofGround.KUBELETS)


def agreed(cautious: GroupProof, generous: GroupProof) -> GroupProof:
    """What holds in both; the causes of a refutation are those that remain with the most that there can be."""
    exists = cautious.exists if cautious.exists is generous.exists else Answer.UNKNOWN
    alike = cautious.for_all is generous.for_all and exists is not Answer.UNKNOWN
    for_all = cautious.for_all if alike else Answer.UNKNOWN
    if exists is Answer.REFUTED:
        return generous
    if for_all is cautious.for_all and exists is cautious.exists:
        return cautious
    return replace(
        cautious,
        exists=exists,
        for_all=for_all,
        counterexample={},
        bad_assignments=(),
        causes=tuple(cause for cause in cautious.causes if isinstance(cause, FlowCause)),
        missing=tuple(dict.fromkeys((*cautious.missing, *generous.missing, MISSING))),
    )


def either(one: GroupProof, other: GroupProof, question: Because) -> GroupProof:
    """What holds whatever the answer to a question is."""
    exists = one.exists if one.exists is other.exists else Answer.UNKNOWN
    for_all = one.for_all if one.for_all is other.for_all and exists is not Answer.UNKNOWN else Answer.UNKNOWN
    if for_all is one.for_all and exists is one.exists:
        return one
    causes = tuple(cause for cause in one.causes if isinstance(cause, FlowCause))
    missing = tuple(dict.fromkeys((*one.missing, *other.missing, question)))
    return replace(
        one, exists=exists, for_all=for_all, counterexample={}, bad_assignments=(), causes=causes, missing=missing
    )
