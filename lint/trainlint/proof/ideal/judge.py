"""What is proved about a group on the ideal cluster: it can run nowhere, or where a cluster has what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.pool import Inventory
from trainlint.proof.cause import CutCause, FlowCause, SplitCause
from trainlint.proof.ground import ProofGround
from trainlint.proof.group import GroupProof
from trainlint.proof.ideal.cluster import Ideal, alone_in, is_invented, without
from trainlint.reachability import NO_DOMAIN

__all__ = ["Conditions", "Judged", "judged_on"]

ZONES: Final = 8
"""Zones that are looked at alone."""

_ROOM: Final = Because(ProofGround.ROOM)

Judged = Callable[[Inventory], GroupProof]
"""The proof of the group on an inventory."""


@fact
class Conditions:
    """The proof on the ideal cluster. ``exists`` is conditional where a cluster could run the group.

    ``one_domain`` says that placements are good only where all nodes that the pods may use share a domain, ``zones``
    are the only ones that will do, where they have names in Git. ``unlabelled``: nodes have no domains.
    """

    proof: GroupProof
    one_domain: bool = False
    zones: tuple[str, ...] = ()
    unlabelled: bool = False


def judged_on(ideal: Ideal, key: str, judge: Judged, *, apart: bool) -> Conditions:
    """The proof of a group on the ideal cluster, which is there for all others.

    More domains make spreads harder: there, and where nodes without the label of ``key`` make a difference (``apart``),
    clusters with fewer are looked at too before anything is refuted.
    """
    inventory = ideal.inventory
    proof = judge(inventory)
    one_domain = False
    for easier in _easier(ideal, key, apart=apart) if proof.exists is Answer.REFUTED else ():
        other = judge(easier)
        if other.exists is not Answer.REFUTED:
            inventory, proof, one_domain = easier, other, True
        if other.exists is Answer.PROVED:
            break
    if proof.exists is Answer.REFUTED:
        return Conditions(_surely(proof, ideal, key))
    if proof.exists is Answer.UNKNOWN:
        return Conditions(proof)
    if proof.for_all is not Answer.PROVED and not one_domain:
        if not _only_wide(proof):
            zone = proof.viable_zones[0]
            proof = judge(alone_in(inventory, key, None if zone == NO_DOMAIN else zone))
        proof, one_domain = replace(proof, for_all=_for_all(proof)), True
    unlabelled = not any(key in pool.labels for pool in inventory.pools)
    return Conditions(
        _conditional(proof), one_domain and not unlabelled, () if unlabelled else _named(proof.viable_zones), unlabelled
    )


def _easier(ideal: Ideal, key: str, *, apart: bool) -> Iterator[Inventory]:
    """Clusters with fewer domains, and the one of which no node has a domain."""
    for name in sorted(ideal.spread, key=lambda name: name != key):
        values = dict.fromkeys(pool.labels.get(name) for pool in ideal.inventory.pools)
        yield from (alone_in(ideal.inventory, name, value) for value in list(values)[:ZONES])
    if apart or ideal.spread or ideal.unlabelled:
        yield without(ideal.inventory, key)


def _surely(proof: GroupProof, ideal: Ideal, key: str) -> GroupProof:
    """The refutation, where no other cluster could do better."""
    doubt = ideal.open
    if not doubt and ideal.spread - {key}:
        doubt = Because(ProofGround.DOMAINS, (min(ideal.spread - {key}),))
    if doubt is None or any(isinstance(each, FlowCause) for each in proof.causes):
        return replace(proof, ideal=True)
    unknown = Answer.UNKNOWN
    return replace(proof, exists=unknown, for_all=unknown, causes=(), zones=(), missing=(*proof.missing, doubt))


def _only_wide(proof: GroupProof) -> bool:
    """Whether nothing is wrong with any placement but that it is spread over several zones."""
    return not (proof.missing or proof.notes) and all(isinstance(each, SplitCause | CutCause) for each in proof.causes)


def _for_all(inside: GroupProof) -> Answer:
    """Whether every placement is good; what is refuted where all nodes share a domain depends on their sizes alone."""
    return Answer.UNKNOWN if inside.for_all is Answer.UNKNOWN else Answer.PROVED


def _conditional(proof: GroupProof) -> GroupProof:
    """The proof without what only the ideal cluster has: nodes, and zones without a name."""
    always = proof.for_all is Answer.PROVED
    return replace(
        proof,
        exists=Answer.CONDITIONAL,
        for_all=Answer.CONDITIONAL if always else Answer.UNKNOWN,
        missing=proof.missing if always or proof.missing else (_ROOM,),
        viable_zones=(),
        witness={},
        counterexample={},
        causes=(),
        notes=(),
        zones=(),
        assignments=(),
        bad_assignments=(),
    )


def _named(zones: Sequence[str]) -> tuple[str, ...]:
    """The viable zones, where all of them have names in Git."""
    return () if any(map(is_invented, zones)) else tuple(zones)
