"""What must be known to tell whether the connections of a group are permitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.model.workload import Group
from trainlint.proof.deciding_places import open_questions
from trainlint.proof.ground import ProofGround
from trainlint.proof.group import GroupProof
from trainlint.proof.notation import flow_text
from trainlint.reachability import Crossing, Reachability

__all__ = ["reasons_named", "undecided"]

_SHOWN = 3
"""Reasons that are named beside those that a proof names already."""


def undecided(group: Group, reach: Reachability) -> Iterator[Because]:
    """Why the verdict on a connection is not known, whatever the nodes."""
    for crossing in _unknown(group, reach):
        yield from open_questions(crossing)


def _unknown(group: Group, reach: Reachability) -> Iterator[Crossing]:
    for flow in group.flows:
        for crossing in reach.crossings(flow):
            if crossing.permission is Permission.UNKNOWN:
                yield crossing


def reasons_named(proof: GroupProof) -> GroupProof:
    """The proof; where its connections are not known, ``missing`` says why."""
    if proof.connections is not Answer.UNKNOWN or proof.reach is None:
        return proof
    places = [_which_node(proof.group, each) for each in _unknown(proof.group, proof.reach) if _depends_on_nodes(each)]
    found = tuple(dict.fromkeys((*undecided(proof.group, proof.reach), *places)))
    if not found or not set(found).isdisjoint(proof.missing):
        return proof
    return replace(proof, missing=(*proof.missing, *found[:_SHOWN]))


def _depends_on_nodes(crossing: Crossing) -> bool:
    return not open_questions(crossing)


def _which_node(group: Group, crossing: Crossing) -> Because:
    """What is not known where policies tell the pods' own node from others."""
    flow = crossing.flow
    ends = dict.fromkeys(group.members[end].name for end in (flow.source, flow.target) if end is not None)
    one = crossing.same_node.answer is Permission.ALLOW
    return Because(ProofGround.SAME_NODE, (" and ".join(ends), flow_text(group, flow), one))
