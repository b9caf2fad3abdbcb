"""The devices of nodes: from ResourceSlices, each node with those that only it can use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from trainlint.kube.devices import read_resource_slice
from trainlint.kube.meta import Meta
from trainlint.model.devices import DeviceSlice, NodeDevices
from trainlint.model.pool import Pool
from trainlint.source.document import Field

__all__ = ["DEVICE_GROUP", "devices_of_nodes", "with_devices"]

DEVICE_GROUP = "resource.k8s.io"


def devices_of_nodes(slices: Iterable[tuple[Meta, Field]]) -> Mapping[str, NodeDevices] | None:
    """The devices by the name of the node, those of nodes without any under the empty name; ``None`` where no slice is
    written.
    """
    found = [read_resource_slice(item) for meta, item in slices if meta.api_group == DEVICE_GROUP]
    return _by_node(found) if found else None


def with_devices(pools: Iterable[Pool], devices: Mapping[str, NodeDevices] | None) -> Sequence[Pool]:
    """The pools, each of one node, with the devices that its node has."""
    if devices is None:
        return tuple(pools)
    return tuple(replace(pool, devices=devices.get(pool.node_name, devices[""])) for pool in pools)


def _by_node(slices: Sequence[DeviceSlice]) -> dict[str, NodeDevices]:
    of_pool: dict[tuple[str, str], list[DeviceSlice]] = defaultdict(list)
    for each in slices:
        of_pool[each.driver, each.pool].append(each)
    elsewhere = any(not each.reach.node for each in slices)
    here: dict[str, list[DeviceSlice]] = {"": []}
    for found in of_pool.values():
        newest = max(each.generation for each in found)
        kept = [each for each in found if each.generation == newest]
        whole = len(kept) == kept[0].slices
        by_node: dict[str, list[DeviceSlice]] = defaultdict(list)
        for each in kept:
            by_node[each.reach.node].append(each)
        for node, own in by_node.items():
            if node:
                count = len(own) if whole else len(own) + 1
                here.setdefault(node, []).extend(replace(each, slices=count) for each in own)
    return {
        node: NodeDevices(tuple(sorted(own, key=lambda each: (each.driver, each.pool, each.name))), elsewhere)
        for node, own in here.items()
    }
