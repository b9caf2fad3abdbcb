"""Reading nodes: capacity for allocatable, host names, and taints of a bad day."""

from __future__ import annotations

from typing import Any

from trainlint.kube.node import HOSTNAME, read_node, without_condition_taints
from trainlint.model.pool import Pool, Taint
from trainlint.source.document import Document


def read(**data: Any) -> Pool:
    return read_node(Document("nodes.yaml", 0, 1, "", data).root)


def test_a_node_is_a_pool_of_one_with_its_host_name() -> None:
    pool = read(
        metadata={"name": "n1", "labels": {"zone": "a"}},
        spec={"taints": [{"key": "gpu", "value": "true", "effect": "NoSchedule"}]},
        status={"allocatable": {"cpu": "8", "pods": 110}, "capacity": {"cpu": "9"}},
    )
    assert pool.labels == {"zone": "a", HOSTNAME: "n1"}
    assert pool.taints == (Taint("gpu", "true", "NoSchedule"),)
    assert pool.allocatable == {"cpu": "8", "pods": "110"}
    assert (pool.node_name, pool.minimum, pool.maximum) == ("n1", 1, 1)
    assert pool.notes == ()


def test_a_host_name_that_is_written_stays() -> None:
    assert read(metadata={"name": "n1", "labels": {HOSTNAME: "other"}}).labels[HOSTNAME] == "other"


def test_capacity_stands_in_for_allocatable_with_a_note() -> None:
    pool = read(metadata={"name": "n1"}, status={"capacity": {"cpu": "9"}})
    assert pool.allocatable == {"cpu": "9"}
    assert "capacity" in pool.notes[0]


def test_a_node_without_either_has_unknown_resources() -> None:
    assert read(metadata={"name": "n1"}).allocatable is None


def test_condition_taints_are_dropped_only_when_asked_and_named_in_a_note() -> None:
    # S 1.2: controllers add them and take them away.
    cordon = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    pool = read(
        metadata={"name": "n1"},
        spec={"unschedulable": True, "taints": [cordon, {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
                                                {"key": "gpu", "effect": "NoSchedule"}]},
    )  # fmt: skip
    assert len(pool.taints) == 3
    healthy = without_condition_taints(pool)
    assert healthy.taints == (Taint("gpu"),)
    assert healthy.unschedulable
    assert healthy.notes == ("node n1: taken as healthy, without its taints node.kubernetes.io/not-ready",)
    assert without_condition_taints(healthy) is healthy
