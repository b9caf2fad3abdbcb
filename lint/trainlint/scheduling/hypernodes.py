"""In which HyperNode nodes are, as far as a tier reaches: a label that no node has, for those who ask (S 2.3)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from trainlint.model.because import Because
from trainlint.model.hypernode import HyperNode, Member
from trainlint.model.known import Known, Undetermined
from trainlint.model.pool import Pool
from trainlint.scheduling.ground import NodeGround
from trainlint.scheduling.requirement import selector_matches
from trainlint.scheduling.ternary import every, some

__all__ = ["hypernode_key", "with_hypernodes"]

_CLUSTER: Final = "the whole cluster"


def hypernode_key(tier: str) -> str:
    """The key under which ``with_hypernodes`` puts the domain of a tier (its number or name): no label looks so."""
    return f"HyperNode of tier {tier}"


def with_hypernodes(pools: Iterable[Pool], tree: Sequence[HyperNode], tiers: Collection[str]) -> tuple[Pool, ...]:
    """The pools with the largest HyperNode of each of the tiers, or a smaller one, that their nodes are in."""
    by_name = {each.name: each for each in tree}
    return tuple(_with(pool, by_name, tiers) for pool in pools) if tiers else tuple(pools)


def _with(pool: Pool, tree: Mapping[str, HyperNode], tiers: Collection[str]) -> Pool:
    labels, unknown = dict(pool.labels), dict(pool.undetermined)
    for tier in tiers:
        value = _domain(pool, tree, tier)
        if isinstance(value, Undetermined):
            unknown[hypernode_key(tier)] = value.why
        elif value is not None:
            labels[hypernode_key(tier)] = value
    return replace(pool, labels=labels, undetermined=unknown)


def _domain(pool: Pool, tree: Mapping[str, HyperNode], tier: str) -> Known[str] | None:
    if not tree:
        return Undetermined(Because(NodeGround.NO_TIER_TREE, (tier,)))
    highest = int(tier) if tier.isdecimal() else next((e.tier for e in tree.values() if e.tier_name == tier), None)
    if highest is None:
        return Undetermined(Because(NodeGround.TIER_NAME, (tier,)))
    if highest > max(each.tier for each in tree.values()):
        return _CLUSTER
    largest: list[HyperNode] = []
    for each in tree.values():
        inside = _contains(each, pool, tree, frozenset()) if each.tier <= highest else False
        if inside is None:
            return Undetermined(Because(NodeGround.IN_HYPERNODE, (pool.name, each.name)))
        if inside and (not largest or each.tier >= largest[0].tier):
            largest = [each, *(other for other in largest if other.tier == each.tier)]
    if len(largest) > 1:
        names = ", ".join(sorted(each.name for each in largest))
        return Undetermined(Because(NodeGround.TWO_HYPERNODES, (names, pool.name)))
    return largest[0].name if largest else None


def _contains(node: HyperNode, pool: Pool, tree: Mapping[str, HyperNode], seen: frozenset[str]) -> bool | None:
    if node.name in seen:
        return False
    inside = seen | {node.name}
    return some(
        _selects(member, pool)
        if member.of_nodes
        else some(every((_named(member, name), _contains(each, pool, tree, inside))) for name, each in tree.items())
        for member in node.members
    )


def _selects(member: Member, pool: Pool) -> bool | None:
    if member.labels is not None:
        asked = {each.key: pool.label(each.key) for each in member.labels.requirements}
        return selector_matches(member.labels, {key: value for key, value in asked.items() if value is not None})
    return _named(member, pool.node_name) if pool.node_name else None


def _named(member: Member, name: str) -> bool | None:
    if member.name:
        return member.name == name
    try:
        return re.search(member.pattern, name) is not None if member.pattern else False
    except re.error:
        return None
