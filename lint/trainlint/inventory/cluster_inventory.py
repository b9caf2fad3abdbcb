"""Nodes that there are, and what makes more of them (NodePools, node groups): the inventory of one cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from trainlint.model.pool import NAMES, Inventory, Pool
from trainlint.source.examples import is_for

__all__ = ["common_steps", "grown", "has_names", "left_to_make", "open_ended"]

NODE_POOL: Final = "karpenter.sh/nodepool"
UNSURE: Final = "which of several clusters the NodePools and node groups in Git belong to"


def grown(inventories: Sequence[Inventory]) -> tuple[Inventory, ...]:
    """The inventories, where nodes that there are (Nodes, a written Inventory) are united with what makes nodes of the
    same cluster. Where it is not known of which cluster a maker is, it stays by itself, and the nodes that it may be
    about are not taken for all.
    """
    stocks = [each for each in inventories if each.live]
    makers = [each for each in inventories if not each.live and not has_names(each)]
    if not stocks or not makers:
        return tuple(inventories)
    given: dict[int, list[Inventory]] = {id(stock): [] for stock in stocks}
    doubted: set[int] = set()
    for maker in makers:
        homes = _homes(stocks, maker)
        if len(homes) == 1:
            given[id(homes[0])].append(maker)
        else:
            doubted.update(map(id, homes))
    taken: set[int] = set()
    found: dict[int, Inventory] = {}
    for stock in stocks:
        mine = given[id(stock)]
        if mine and _one_cluster([stock, *mine]):
            taken.update(map(id, mine))
            found[id(stock)] = _united(stock, mine)
        elif mine or id(stock) in doubted:
            found[id(stock)] = replace(stock, complete=False, partial=stock.partial or UNSURE)
    return tuple(found.get(id(each), each) for each in inventories if id(each) not in taken)


def open_ended(inventory: Inventory) -> Inventory:
    """The inventory, open where NodePools of Karpenter made some of its nodes and are not in Git: they may make more.

    What was written as an inventory says itself whether there may be other nodes.
    """
    if not (inventory.complete and inventory.live and inventory.derived):
        return inventory
    made = {each.labels[NODE_POOL] for each in inventory.pools if each.own_labels is None and NODE_POOL in each.labels}
    made -= {each.labels.get(NODE_POOL) for each in inventory.pools if each.own_labels is not None}
    if not made:
        return inventory
    said = f"how many more nodes NodePool {min(made)} may make: it made some of them, and it is not in Git"
    return replace(inventory, complete=False, partial=said)


def has_names(inventory: Inventory) -> bool:
    """Whether it lists nodes by name, as a kind cluster does: it makes no more of them for another cluster."""
    return all(pool.node_name for pool in inventory.pools)


def _homes(stocks: Sequence[Inventory], maker: Inventory) -> list[Inventory]:
    """The nodes nearest to a maker, of those that are not an example apart."""
    ranked = [
        (common_steps(stock.at.file, maker.at.file), stock)
        for stock in stocks
        if stock.at is not None
        and maker.at is not None
        and is_for(maker.at.file, stock.at.file)
        and is_for(stock.at.file, maker.at.file)
        and stock.cluster in ("", maker.cluster)
    ]
    nearest = max((rank for rank, _ in ranked), default=0)
    return [stock for rank, stock in ranked if rank == nearest]


def _one_cluster(inventories: Sequence[Inventory]) -> bool:
    """Whether they name one cluster at most, and no maker of nodes twice."""
    names = [pool.name for each in inventories[1:] for pool in each.pools]
    return len({each.cluster for each in inventories} - {""}) < 2 and len(set(names)) == len(names)


def _united(stock: Inventory, makers: Iterable[Inventory]) -> Inventory:
    makers = tuple(makers)
    taken = {pool.name for pool in stock.pools}
    pools = [
        left_to_make(
            replace(pool, name=pool.name if pool.name not in taken else f"{pool.name} (new nodes)"), stock.pools
        )
        for maker in makers
        for pool in maker.pools
    ]
    whole = stock.complete or (stock.derived and any(maker.complete for maker in makers))
    return replace(
        stock,
        name=", ".join((stock.name, *(maker.name for maker in makers))),
        pools=(*stock.pools, *pools),
        complete=whole,
        partial="" if whole else stock.partial,
        cluster=stock.cluster or next((maker.cluster for maker in makers if maker.cluster), ""),
        also=tuple(at for maker in makers for at in (maker.at, *maker.also) if at is not None),
    )


def left_to_make(pool: Pool, nodes: Iterable[Pool]) -> Pool:
    """What can still be made: nodes that are there and bear the maker's name count towards its limit."""
    if pool.maximum is None:
        return pool
    there = sum(node.maximum or 0 for node in nodes if _made_by(pool, node))
    return replace(pool, minimum=max(pool.minimum - there, 0), maximum=max(pool.maximum - there, 0)) if there else pool


def _made_by(pool: Pool, node: Pool) -> bool:
    return any(key in pool.labels and node.labels.get(key) == pool.labels[key] for key in NAMES)


def common_steps(one: str, other: str) -> int:
    """How many directories two files have in common."""
    return sum(1 for _ in _common(PurePosixPath(one).parent.parts, PurePosixPath(other).parent.parts))


def _common(one: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    for left, right in zip(one, other, strict=False):
        if left != right:
            return
        yield left
