"""Which inventories a set of objects describes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import PurePosixPath
from typing import Final

from trainlint.finding import Location
from trainlint.inventory.amounts import as_written
from trainlint.inventory.cluster_inventory import common_steps, grown, has_names, open_ended
from trainlint.inventory.devices import devices_of_nodes, with_devices
from trainlint.inventory.kinds import INVENTORY_KINDS, SOURCES
from trainlint.inventory.part import InventoryPart, Objects
from trainlint.kube.meta import Meta
from trainlint.kube.node import read_node, without_condition_taints
from trainlint.kube.values import is_placeholder
from trainlint.model.pool import Inventory, Pool
from trainlint.model.settings import Settings
from trainlint.source.document import Field

__all__ = ["INVENTORY_KINDS", "listed_inventories", "nearest_inventories", "read_inventories", "united"]

INVENTORY_GROUP: Final = "trainlint.io"
KWOK: Final = "kwok.x-k8s.io/node"
"""The annotation of nodes that do not exist: kwok simulates them in a cluster that has others."""


def read_inventories(
    objects: Iterable[tuple[Meta, Field]], settings: Settings | None = None, *, together: bool = False
) -> tuple[Inventory, ...]:
    """Every inventory among the objects: each trainlint Inventory and each named cluster by itself; what names no
    cluster belongs to its directory (Nodes, NodePools) and to the one cluster that is described there. With
    ``together``, all that names no cluster is one cluster's, wherever it stands. Nodes that there are and what makes
    more of them in the same cluster are one inventory.

    Raises:
        UsageError: an Inventory that is not one, with its line.
    """
    return tuple(map(open_ended, listed_inventories(objects, settings, together=together)))


def listed_inventories(
    objects: Iterable[tuple[Meta, Field]], settings: Settings | None = None, *, together: bool = False
) -> tuple[Inventory, ...]:
    """The same, where other objects may still tell what made the nodes. Raises UsageError."""
    by_kind: dict[str, list[tuple[Meta, Field]]] = defaultdict(list)
    for meta, item in objects:
        if meta.kind in INVENTORY_KINDS:
            by_kind[meta.kind].append((meta, item))
    kinds = {kind: tuple(found) for kind, found in by_kind.items()}
    parts = list(_parts(kinds, settings or Settings())) if kinds else []
    return grown((*_written(kinds), *_derived(parts, together=together)))


def _written(kinds: Objects) -> Iterator[Inventory]:
    """The inventories of trainlint itself."""
    for meta, item in kinds.get("Inventory", ()):
        if meta.api_group == INVENTORY_GROUP:
            from trainlint.inventory.trainlint import read_inventory  # noqa: PLC0415 (pydantic is slow to import)

            yield read_inventory(item)


def _parts(kinds: Objects, settings: Settings) -> Iterator[InventoryPart]:
    yield from _node_parts(kinds)
    for module, reads in SOURCES.items():
        if not reads.isdisjoint(kinds):  # most repositories have one source or none: the others are not imported
            read_parts: Callable[[Objects, Settings], Iterator[InventoryPart]]
            read_parts = import_module(f"trainlint.inventory.{module}").read_parts
            yield from read_parts(kinds, settings)


def _node_parts(kinds: Objects) -> Iterator[InventoryPart]:
    """All Nodes of one directory together: where nodes are written down, all of them are.

    A Node without a name is an assertion of a test, one without a status a label or taint that is to be added: neither
    says which nodes there are.
    """
    nodes: dict[str, list[Pool]] = defaultdict(list)
    feigned: set[str] = set()
    for meta, item in kinds.get("Node", ()):
        if meta.api_version == "v1":
            pool = without_condition_taints(read_node(item))
            if pool.name and not is_placeholder(pool.name) and pool.allocatable is not None:
                directory = str(PurePosixPath(item.document.file).parent)
                nodes[directory].append(as_written(pool))
                if KWOK in meta.annotations:
                    feigned.add(directory)
    devices = devices_of_nodes(kinds["ResourceSlice"]) if "ResourceSlice" in kinds else None
    for directory, found in nodes.items():
        pools = with_devices(found, devices)
        if pools[0].at is not None:
            partial = "some of them are feigned by kwok, beside those that there are" if directory in feigned else ""
            yield InventoryPart(tuple(pools), pools[0].at, partial=partial, live=True)


def _derived(parts: Iterable[InventoryPart], *, together: bool) -> Iterator[Inventory]:
    named: dict[Location, list[InventoryPart]] = {}
    nameless: dict[str, list[InventoryPart]] = defaultdict(list)
    for part in parts:
        if part.cluster:
            named[part.at] = [part]
        else:
            nameless["" if together else part.directory].append(part)
    for directory, found in list(nameless.items()):
        directories = {part.directory for part in found}
        clusters = [each for each in named.values() if each[0].directory in directories]
        if len(clusters) == 1:
            clusters[0].extend(found)
            del nameless[directory]
    for found in named.values():
        cluster, directory = found[0].cluster, found[0].directory
        yield _joined(f"cluster {cluster} in {directory or '.'}", found, cluster)
    for found in nameless.values():
        places = dict.fromkeys(part.directory or "." for part in found)
        yield _joined(f"Nodes in {', '.join(places)}", found)


def _joined(name: str, parts: Iterable[InventoryPart], cluster: str = "") -> Inventory:
    """What is about one cluster: complete if one of the parts describes all that is not in the others. A node that
    there is, and that the tool which made it describes too, is one node: as it is.
    """
    parts = list(parts)
    there = {pool.node_name or pool.name for part in parts if part.live for pool in part.pools}
    complete = any(not part.partial for part in parts)
    return Inventory(
        name=name,
        pools=tuple(pool for part in parts for pool in part.pools if part.live or pool.node_name not in there),
        complete=complete,
        at=parts[0].at,
        partial="" if complete else parts[0].partial,
        derived=True,
        cluster=cluster,
        live=any(part.live for part in parts),
    )


def nearest_inventories(
    inventories: Iterable[Inventory], file: str, elsewhere: Iterable[Inventory] = ()
) -> tuple[Inventory, ...]:
    """The inventories whose files share the longest path with ``file``: one, none, or several without a reason to
    choose one (two clusters are never united). Equal copies are one, and one that was written as an inventory counts
    before what only follows from the manifests, nodes that there are before a kind cluster for trying things out.

    Where the repository makes several clusters, one of them is chosen only for what lies beside it: a collection of
    examples holds a cluster here and a job there, which were never meant for each other. ``elsewhere`` are those of
    other snapshots, which cannot be chosen.
    """
    ranked: dict[int, list[Inventory]] = defaultdict(list)
    for inventory in inventories:
        if inventory.at is not None:
            places = (inventory.at, *inventory.also)
            ranked[max(common_steps(at.file, file) for at in places)].append(inventory)
    if not ranked:
        return ()
    nearest = _distinct(ranked[max(ranked)])
    if any(each.live and each.complete for each in nearest):
        nearest = tuple(each for each in nearest if each.live or not (each.partial and has_names(each)))
    written = tuple(inventory for inventory in nearest if not inventory.derived)
    if written or all(_beside(inventory, max(ranked)) for inventory in nearest):
        return written or nearest
    everyone = chain(*ranked.values(), elsewhere)
    clusters = _distinct(each for each in everyone if each.derived and not each.partial)
    return clusters if len(clusters) > 1 else nearest


def _distinct(inventories: Iterable[Inventory]) -> tuple[Inventory, ...]:
    found: list[Inventory] = []
    for inventory in inventories:
        if all((inventory.pools, inventory.complete) != (other.pools, other.complete) for other in found):
            found.append(inventory)
    return tuple(found)


def _beside(inventory: Inventory, common: int) -> bool:
    """Whether all but the last directory of the inventory's path is shared: ``a/nodes`` is beside ``a/jobs``."""
    return inventory.at is None or len(PurePosixPath(inventory.at.file).parent.parts) - common <= 1


def united(inventories: tuple[Inventory, ...]) -> Inventory | None:
    """Several inventories as one, where all but one at most describe only nodes of a cluster that they do not name,
    each under names of its own; ``None`` where they are several clusters.
    """
    whole = [each for each in inventories if each.complete or each.cluster or not each.derived]
    names = [frozenset(pool.name for pool in inventory.pools) for inventory in inventories]
    if len(whole) > 1 or sum(map(len, names)) != len(frozenset[str]().union(*names)):
        return None
    head = whole[0] if whole else inventories[0]
    rest = [inventory for inventory in inventories if inventory is not head]
    return replace(
        head,
        name=", ".join(inventory.name for inventory in (head, *rest)),
        pools=tuple(pool for inventory in (head, *rest) for pool in inventory.pools),
    )
