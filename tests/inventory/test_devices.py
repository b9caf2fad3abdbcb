"""Devices of nodes: from ResourceSlices, declared in an Inventory, and written into one by ``trainlint inventory``."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.finding import UsageError
from trainlint.inventory.devices import devices_of_nodes
from trainlint.inventory.summary import summary
from trainlint.inventory.trainlint import read_inventory
from trainlint.kube.meta import read_meta
from trainlint.model.devices import NodeDevices
from trainlint.model.known import Undetermined
from trainlint.report.inventory import inventory_yaml
from trainlint.source.document import Document, Field
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read


def field(value: dict[str, Any]) -> Field:
    return Document("file.yaml", 0, 1, "", value).root


def published(node: str, *devices: dict[str, Any], generation: int = 1, slices: int = 1, name: str = "") -> Field:
    return field(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": name or f"{node}-gpu"},
            "spec": {
                "driver": "gpu.example.com",
                "nodeName": node,
                "pool": {"name": node, "generation": generation, "resourceSliceCount": slices},
                "devices": list(devices),
            },
        }
    )


def gpu(number: int, **attributes: Any) -> dict[str, Any]:
    return {
        "name": f"gpu-{number}",
        "attributes": {"uuid": {"string": f"GPU-{number}"}, "index": {"int": number}, **attributes},
        "capacity": {"memory": {"value": "40Gi"}},
    }


def node(name: str) -> Field:
    return field(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name},
            "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}},
        }
    )


def by_node(*slices: Field) -> dict[str, NodeDevices]:
    found = devices_of_nodes((read_meta(each), each) for each in slices)
    assert found is not None
    return dict(found)


def count(devices: NodeDevices) -> int:
    return sum(len(each.devices) for each in devices.slices)


def test_each_node_has_its_own_devices_and_others_have_none() -> None:
    found = by_node(published("one-node", gpu(0), gpu(1)), published("two-node", gpu(0)))
    assert {name: count(each) for name, each in found.items()} == {"": 0, "one-node": 2, "two-node": 1}


def test_without_slices_nothing_is_known() -> None:
    assert devices_of_nodes(()) is None


def test_slices_of_an_older_generation_are_void() -> None:
    found = by_node(published("one-node", gpu(0), name="old"), published("one-node", gpu(1), generation=2, name="new"))
    assert [device.name for each in found["one-node"].slices for device in each.devices] == ["gpu-1"]


def test_a_pool_of_which_slices_are_missing_stays_incomplete() -> None:
    (only,) = by_node(published("one-node", gpu(0), slices=2))["one-node"].slices
    assert only.slices == 2


def test_equal_nodes_have_equal_devices_though_their_pools_have_other_names() -> None:
    found = by_node(published("one-node", gpu(0)), published("two-node", gpu(0)))
    assert found["one-node"] == found["two-node"]
    assert found["one-node"] != by_node(published("two-node", gpu(1)))["two-node"]


def test_a_written_inventory_has_the_devices_without_what_identifies_them() -> None:
    slices = [published(name, gpu(0), gpu(1)) for name in ("first-node", "second-node")]
    pools = summary([node("first-node"), node("second-node")], (), slices)
    text = inventory_yaml(pools, "cluster")
    assert "GPU-0" not in text
    (document,) = read("inventory.yaml", text.encode(), KindFilter({"Inventory"})).documents
    (pool,) = read_inventory(document.root).pools
    assert (pool.minimum, pool.devices) == (2, pools[0].devices)
    assert pool.devices is not None
    (made,) = pool.devices.slices
    assert [device.attributes["index"] for device in made.devices] == [("int", 0), ("int", 1)]
    assert isinstance(made.devices[0].attributes["uuid"], Undetermined)


def test_devices_that_share_counters_are_not_written() -> None:
    partition = {**gpu(0), "consumesCounters": [{"counterSet": "gpu-0", "counters": {"slices": {"value": "1"}}}]}
    (pool,) = summary([node("first-node")], (), [published("first-node", partition)])
    assert pool.devices is None


def declared(devices: list[dict[str, Any]], **more: Any) -> NodeDevices:
    pools = [{"name": "gpu", "count": 1, "devices": devices, **more}]
    written = {"apiVersion": "trainlint.io/v1alpha1", "kind": "Inventory", "pools": pools}
    (pool,) = read_inventory(field(written)).pools
    assert pool.devices is not None
    return pool.devices


def test_declared_devices_have_the_values_that_are_written() -> None:
    found = declared(
        [
            {
                "driver": "gpu.example.com",
                "name": "gpu-{i}",
                "count": 2,
                "attributes": {
                    "model": "h100",
                    "ecc": True,
                    "index": {"each": "0..1"},
                    "driverVersion": {"version": "550.1.0"},
                    "resource.kubernetes.io/pcieRoot": {"each": ["a", "b"]},
                },
                "unknown": ["uuid"],
            },
            {
                "driver": "nic.example.com",
                "count": 2,
                "attributes": {"resource.kubernetes.io/pcieRoot": {"sameAs": "gpu.example.com"}},
            },
        ],
        complete=True,
    )
    gpus, nics = (each.devices for each in found.slices)
    assert [each.name for each in gpus] == ["gpu-0", "gpu-1"]
    assert gpus[1].attributes["index"] == ("int", 1)
    assert gpus[1].attributes["ecc"] == ("bool", True)
    assert gpus[1].attributes["driverVersion"] == ("version", "550.1.0")
    assert nics[1].attributes["resource.kubernetes.io/pcieRoot"] == ("string", "b")
    assert gpus[0].complete
    assert isinstance(gpus[0].attributes["uuid"], Undetermined)


def test_a_capacity_that_is_no_quantity_is_refused() -> None:
    with pytest.raises(UsageError):
        declared([{"driver": "gpu.example.com", "capacity": {"memory": "lots"}}])
