"""What must be known to tell whether the connections of a group are permitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.model.workload import Group
from trainlint.proof.group import GroupProof
from trainlint.proof.notation import flow_text
from trainlint.reachability import Crossing, Reachability, unknown_of

__all__ = ["reasons_named", "undecided"]

_SHOWN = 3
"""Reasons that are named beside those that a proof names already."""


def undecided(group: Group, reach: Reachability) -> Iterator[str]:
    """Why the verdict on a connection is not known, whatever the nodes, each as a noun phrase."""
    for crossing in _unknown(group, reach):
        yield from (*unknown_of(crossing.other_node), *unknown_of(crossing.same_node))


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
    return not (unknown_of(crossing.other_node) or unknown_of(crossing.same_node))


def _which_node(group: Group, crossing: Crossing) -> str:
    """What is not known where policies tell the pods' own node from others."""
    flow = crossing.flow
    ends = dict.fromkeys(group.members[end].name for end in (flow.source, flow.target) if end is not None)
    where = "one node" if crossing.same_node.answer is Permission.ALLOW else "two nodes"
    shared = f"whether the pods of {' and '.join(ends)} share a node"
    return f"{shared}: policies permit {flow_text(group, flow)} on {where} only"
