"""The cluster to which nodes belong that are not in Git."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.finding import UsageError
from trainlint.inventory.inventory_union import among
from trainlint.inventory.read import read_inventories
from trainlint.model.pool import Inventory
from trainlint.model.settings import Settings
from trainlint.snapshot.cluster_builder import Cluster
from trainlint.snapshot.repository import Repository

if TYPE_CHECKING:
    from trainlint.inventory.external_inventory import GivenNodes

__all__ = ["assigned", "nodes_of", "shared_out"]


def assigned(
    nodes: Sequence[GivenNodes], repository: Repository, clusters: Sequence[Cluster], settings: Sequence[Settings]
) -> tuple[GivenNodes, ...]:
    """The nodes, each with the cluster that it is of: the one that the command line names, else the one that the file
    names, else the only one (empty).

    Raises:
        UsageError: no cluster has the name; there are several, and neither says which.
    """
    deployed = {each.name for each in clusters} | {each.cluster for each in settings if each.cluster}
    described = {each.cluster for each in _described(repository)} - {""}
    return tuple(_assigned(each, deployed, described) for each in nodes)


def _described(repository: Repository) -> tuple[Inventory, ...]:
    return read_inventories((each.meta, each.field) for each in repository.inventory_objects)


def _assigned(nodes: GivenNodes, deployed: set[str], described: set[str]) -> GivenNodes:
    known = deployed | described
    if nodes.cluster:
        if nodes.cluster not in known:
            names = f"the clusters here are {', '.join(sorted(known))}" if known else "no cluster here has a name"
            raise UsageError(f"--inventory: there is no cluster {nodes.cluster!r}: {names}")
        return nodes
    own = nodes.names & known
    if len(own) == 1:
        return replace(nodes, cluster=next(iter(own)))
    if len(deployed) > 1:
        names = ", ".join(sorted(deployed))
        raise UsageError(
            f"--inventory: which of the clusters {names} has the nodes of {nodes.source}? "
            f"Write --inventory {min(deployed)}={nodes.source}"
        )
    return nodes


def nodes_of(nodes: Sequence[GivenNodes], names: set[str]) -> tuple[GivenNodes, ...]:
    """Those that may count in a snapshot of a cluster with these names, if it has any."""
    return tuple(each for each in nodes if not each.cluster or not names or each.cluster in names)


def shared_out(
    nodes: tuple[GivenNodes, ...], inventories: tuple[Inventory, ...], names: set[str]
) -> tuple[tuple[Inventory, ...], tuple[GivenNodes, ...]]:
    """The inventories, of which one that has the cluster's name is united with the nodes that are given for it; and
    the nodes that count for all that is in the snapshot.
    """
    left = []
    for each in nodes:
        if each.cluster and each.cluster not in names:
            inventories = among(inventories, each)
        else:
            left.append(each)
    return inventories, tuple(left)
