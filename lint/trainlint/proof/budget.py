"""Placements that need more nodes of one source than it makes in all (limits of a NodePool, sizes of a node group)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.pool import Pool
from trainlint.proof.cause import Assignment, CutCause, SplitCause, StrandedCause
from trainlint.proof.ground import ProofGround
from trainlint.proof.group import GroupProof

__all__ = ["affordable"]


def affordable(proof: GroupProof, pools: Iterable[Pool]) -> GroupProof:
    """The proof, where its witness and its counterexample keep to what pools of one budget have together.

    Each pool was judged as if it could have all of the nodes. Where that made the difference, nothing is proved.
    """
    budgets = {pool.name: pool for pool in pools if pool.budget}
    if not budgets:
        return proof
    if beyond := _beyond(proof.assignments, budgets):
        return _unproved(proof, Answer.UNKNOWN, beyond)
    if beyond := _beyond(proof.bad_assignments, budgets):
        return _unproved(proof, proof.exists, beyond)
    return proof


def _unproved(proof: GroupProof, exists: Answer, budget: str) -> GroupProof:
    missing = Because(ProofGround.BUDGET, (budget,))
    causes = tuple(each for each in proof.causes if not isinstance(each, CutCause | SplitCause | StrandedCause))
    return replace(
        proof,
        exists=exists,
        for_all=Answer.UNKNOWN,
        counterexample={},
        bad_assignments=(),
        causes=causes,
        missing=tuple(dict.fromkeys((*proof.missing, missing))),
    )


def _beyond(assignments: Sequence[Assignment], budgets: dict[str, Pool]) -> str:
    """The budget that a placement over several of its pools may exceed; empty if none."""
    used: dict[str, int] = defaultdict(int)
    parts: dict[str, set[str]] = defaultdict(set)
    for assignment in assignments:
        pool = budgets.get(assignment.pool)
        if pool is not None:
            used[pool.budget] += assignment.nodes
            parts[pool.budget].add(pool.name)
    for pool in budgets.values():
        if len(parts[pool.budget]) > 1 and pool.maximum is not None and used[pool.budget] > pool.maximum:
            return pool.budget
    return ""
