"""Which inventories a set of objects describes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from trainlint.kube.meta import Meta
from trainlint.kube.node import read_node, without_condition_taints
from trainlint.model.pool import Inventory, Pool
from trainlint.source.document import Field

__all__ = ["INVENTORY_KINDS", "nearest_inventories", "read_inventories"]

INVENTORY_KINDS = frozenset({"Node", "Inventory"})
INVENTORY_GROUP = "trainlint.io"
DEFAULT_MAX_PODS = "110"
"""The kubelet's default for maxPods."""


def read_inventories(objects: Iterable[tuple[Meta, Field]]) -> tuple[Inventory, ...]:
    """Every inventory among the objects: each trainlint Inventory by itself, all Nodes of one directory together.

    Raises:
        UsageError: an Inventory that is not one, with its line.
    """
    found: list[Inventory] = []
    nodes: dict[str, list[Pool]] = defaultdict(list)
    for meta, item in objects:
        if meta.kind == "Node" and meta.api_version == "v1":
            pool = _with_pods(without_condition_taints(read_node(item)))
            if pool.labels or pool.allocatable is not None:
                nodes[str(PurePosixPath(item.document.file).parent)].append(pool)
        elif meta.kind == "Inventory" and meta.api_group == INVENTORY_GROUP:
            from trainlint.inventory.trainlint import read_inventory  # noqa: PLC0415 (pydantic is slow to import)

            found.append(read_inventory(item))
    found += (
        Inventory(name=f"Nodes in {directory}", pools=tuple(pools), at=pools[0].at)
        for directory, pools in nodes.items()
    )
    return tuple(found)


def _with_pods(pool: Pool) -> Pool:
    """Every kubelet reports how many pods it takes: a node that does not say it was cut down by hand."""
    if pool.allocatable is None or "pods" in pool.allocatable:
        return pool
    note = f"node {pool.name}: room for {DEFAULT_MAX_PODS} pods, the kubelet's default; its allocatable does not say it"
    return replace(pool, allocatable={**pool.allocatable, "pods": DEFAULT_MAX_PODS}, notes=(*pool.notes, note))


def nearest_inventories(inventories: Iterable[Inventory], file: str) -> tuple[Inventory, ...]:
    """The inventories whose files share the longest path with ``file``: one, none, or several that nobody can choose
    between (two clusters are never united). Equal copies are one.
    """
    ranked: dict[int, list[Inventory]] = defaultdict(list)
    for inventory in inventories:
        if inventory.at is not None:
            ranked[_common(inventory.at.file, file)].append(inventory)
    nearest: list[Inventory] = []
    for inventory in ranked[max(ranked)] if ranked else ():
        if all((inventory.pools, inventory.complete) != (other.pools, other.complete) for other in nearest):
            nearest.append(inventory)
    return tuple(nearest)


def _common(one: str, other: str) -> int:
    count = 0
    for left, right in zip(PurePosixPath(one).parent.parts, PurePosixPath(other).parent.parts, strict=False):
        if left != right:
            break
        count += 1
    return count
