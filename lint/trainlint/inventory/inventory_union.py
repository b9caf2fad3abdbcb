"""Nodes that are given for one run, united with what Git describes of the same cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from trainlint.fact import remembered
from trainlint.inventory.amounts import at_least
from trainlint.inventory.autoscaler import NodeGroup, may_grow, unlike_any
from trainlint.inventory.cluster_inventory import has_names, left_to_make, open_ended
from trainlint.inventory.external_inventory import GivenNodes
from trainlint.model.pool import NAMES, Inventory, Pool

__all__ = ["STATED_OPEN", "among", "joined"]

STATED_OPEN: Final = "trainlint.yaml says nodes: open"


def joined(given: tuple[GivenNodes, ...], described: tuple[Inventory, ...], stated: str) -> Inventory:
    """The nodes of one cluster: those of the files, and what Git describes of it; ``described`` is what may count for
    it, of which several leave open which one does. ``stated`` is what the settings say about others: ``open``,
    ``closed`` or nothing.
    """
    found = _described(described)
    for each in given:
        if each.inventory.pools or not each.groups:
            found = _with(each, found)
    found = _grown(found, [group for each in given for group in each.groups])
    if stated == "closed":
        return replace(found, complete=True, partial="")
    return replace(found, complete=False, partial=STATED_OPEN) if stated == "open" else found


@remembered
def among(inventories: tuple[Inventory, ...], given: GivenNodes) -> tuple[Inventory, ...]:
    """The inventories, of which that of the cluster that ``given`` names is united with it."""
    return tuple(
        replace(_grown(_with(given, each), given.groups), at=each.at, derived=each.derived)
        if each.cluster == given.cluster
        else each
        for each in inventories
    )


def _described(inventories: tuple[Inventory, ...]) -> Inventory:
    """What Git describes; nothing, and why, where it is not known which of several it is."""
    if len(inventories) == 1:
        return inventories[0]
    names = ", ".join(each.name for each in inventories)
    several = f"which of {len(inventories)} described clusters has the nodes that were given: {names}"
    why = several if names else "nothing lists all nodes"
    return Inventory("", (), complete=False, partial=why)


def _with(given: GivenNodes, described: Inventory) -> Inventory:
    """Both as one. A node that both list is one node; of pools that are alike the larger number counts."""
    known = () if _is_another(described, given.inventory) else described.pools
    own = tuple(each for each in given.inventory.pools if not any(_is_one_maker(each, other) for other in known))
    several = not described.name and described.partial.startswith("which ")
    whole = not several and (given.inventory.complete or described.complete)
    partial = described.partial or given.inventory.partial or f"{given.source} lists only some of the nodes"
    return replace(
        given.inventory,
        name=", ".join(filter(None, (given.inventory.name, described.name))),
        pools=(*own, *_beside(known, own)),
        complete=whole,
        partial="" if whole else partial,
        cluster=given.cluster or given.inventory.cluster or described.cluster,
        live=given.inventory.live or described.live,
        also=(*given.inventory.also, *([] if described.at is None else [described.at]), *described.also),
    )


def _grown(inventory: Inventory, groups: Sequence[NodeGroup]) -> Inventory:
    """The inventory with the nodes that the Cluster Autoscaler may add."""
    inventory = open_ended(inventory)
    if not groups:
        return inventory
    pools = (*inventory.pools, *may_grow(groups, [each for each in inventory.pools if each.own_labels is None]))
    more = unlike_any(groups, pools)
    if not more:
        return replace(inventory, pools=pools)
    said = f"what new nodes of node group {more} are like: there are none now, and Git does not describe it"
    return replace(inventory, pools=pools, complete=False, partial=inventory.partial or said)


def _is_another(described: Inventory, given: Inventory) -> bool:
    """Whether what Git describes are named nodes of a cluster that is made for trying things out, and not this one."""
    names = {pool.node_name for pool in given.pools} - {""}
    return not described.live and has_names(described) and names.isdisjoint(pool.name for pool in described.pools)


def _is_one_maker(one: Pool, other: Pool) -> bool:
    """Whether two pools are made by objects of one name: what Git says of it is what will be applied."""
    if one.own_labels is None or other.own_labels is None:
        return False
    return any(key in one.labels and one.labels[key] == other.labels.get(key) for key in NAMES)


def _beside(known: Sequence[Pool], nodes: Sequence[Pool]) -> Iterator[Pool]:
    """What Git describes and is not listed by name."""
    there = {pool.node_name for pool in nodes} - {""}
    taken = {pool.name for pool in nodes}
    for pool in known:
        if pool.node_name and pool.node_name in there:
            continue
        left = _left(pool, nodes)
        if left.maximum != 0:
            yield left if pool.name not in taken else replace(left, name=f"{pool.name} (in Git)")


def _left(pool: Pool, nodes: Sequence[Pool]) -> Pool:
    """What of a pool may be there or be made beside the nodes that are listed."""
    if pool.own_labels is not None:
        return left_to_make(pool, nodes)
    if pool.node_name:
        return pool
    return _less(pool, sum(each.maximum or 0 for each in nodes if _may_be_of(each, pool)))


def _less(pool: Pool, count: int) -> Pool:
    """The pool without nodes that are listed."""
    most = None if pool.maximum is None else max(pool.maximum - count, 0)
    return replace(pool, minimum=max(pool.minimum - count, 0), maximum=most) if count else pool


def _may_be_of(node: Pool, pool: Pool) -> bool:
    """Whether a node may be one of a pool, and takes every pod that nodes of the pool take."""
    return (
        all(node.label(key) == value or key in node.undetermined for key, value in pool.labels.items())
        and set(node.taints) <= set(pool.taints)
        and not (node.unschedulable and not pool.unschedulable)
        and at_least(node.allocatable or {}, pool.allocatable or {})
    )
