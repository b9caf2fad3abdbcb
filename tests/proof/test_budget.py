"""Groups made to be hard: every proof ends after a bounded number of steps, counted without a clock."""

from __future__ import annotations

from typing import Any

import pytest
from tests.bench.test_proofs import steps
from tests.proof.records import proved

from trainlint.model.known import Answer

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
GPU = "nvidia.com/gpu"
STEPS = 1_500_000
"""Questions what one node takes: about ten seconds."""
Data = dict[str, Any]


def nodes(zones: int, each: int, **room: int) -> list[Data]:
    resources = {"cpu": "64", "pods": "110", **{key.replace("gpu", GPU): str(value) for key, value in room.items()}}
    return [
        {
            "metadata": {"name": f"n{zone}-{number}", "labels": {HOST: f"n{zone}-{number}", ZONE: f"z{zone}"}},
            "status": {"allocatable": resources},
        }
        for zone in range(zones)
        for number in range(each)
    ]


def role(name: str, replicas: int, cpu: int = 1, **spec: Any) -> Data:
    containers = [{"name": "c", "resources": {"limits": {"cpu": str(cpu)}}}]
    labels = {"role": name, "app": "x"}
    return {
        "role": name,
        "replicas": replicas,
        "pod": {"metadata": {"labels": labels}, "spec": {"containers": containers, **spec}},
    }


def bound(kind: str, **labels: str) -> Data:
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": labels}}
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def spread(key: str) -> Data:
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "x"}},
    }


HARD: dict[str, tuple[list[Data], list[Data]]] = {
    "a chain of affinity": (
        [role("r0", 4), *(role(f"r{i}", 4, **bound("podAffinity", role=f"r{i - 1}")) for i in range(1, 10))],
        nodes(20, 2),
    ),
    "a star of affinity": (
        [role("r0", 2), *(role(f"r{i}", 2, **bound("podAffinity", role="r0")) for i in range(1, 40))],
        nodes(6, 10),
    ),
    "all near all": ([role(f"r{i}", 2, **bound("podAffinity", app="x")) for i in range(14)], nodes(8, 3)),
    "a ring of anti-affinity": (
        [role(f"r{i}", 3, **bound("podAntiAffinity", role=f"r{(i + 1) % 12}")) for i in range(12)],
        nodes(30, 1),
    ),
    "many sizes on many nodes": (
        [role(f"r{i}", 7, cpu=cpu) for i, cpu in enumerate((3, 4, 5, 7, 11, 13))],
        [node for number in range(6) for node in nodes(6, 6, cpu=13 + number)],
    ),
    "an exact fit": ([role(f"r{i}", 3, cpu=cpu) for i, cpu in enumerate((3, 4, 5, 7, 11, 2))], nodes(1, 6, cpu=16)),
    "spread over everything": (
        [role(f"r{i}", 3, topologySpreadConstraints=[spread(ZONE), spread(HOST)]) for i in range(4)],
        nodes(6, 6),
    ),
    "a large group that spreads": (
        [role(f"r{i}", 300, topologySpreadConstraints=[spread(ZONE), spread(HOST)]) for i in range(4)],
        nodes(6, 60),
    ),
}


@pytest.mark.parametrize("name", HARD)
def test_hard_groups_end_within_the_budget(name: str) -> None:
    group, everywhere = HARD[name]
    with steps() as counter:
        proof = proved({"group": group, "nodes": everywhere, "namespaces": []})
    assert counter[0] <= STEPS
    if Answer.UNKNOWN in (proof.exists, proof.for_all):
        assert proof.missing, "an unknown says what is missing"


def test_a_witness_is_found_where_not_all_placements_can_be_looked_at() -> None:
    group, everywhere = HARD["a star of affinity"]
    proof = proved({"group": group, "nodes": everywhere, "namespaces": []})
    assert proof.exists is Answer.PROVED
    assert sum(assignment.pods for assignment in proof.assignments) == sum(each["replicas"] for each in group)


def test_ten_times_the_equal_pods_and_nodes_cost_nothing() -> None:
    def cost(times: int) -> int:
        group = [role("a", 2 * times, cpu=8), role("b", 4 * times, cpu=4, **bound("podAffinity", role="a"))]
        with steps() as counter:
            proof = proved({"group": group, "nodes": nodes(3, 4 * times), "namespaces": []})
        assert proof.exists is Answer.PROVED
        return counter[0]

    assert cost(100) <= 1.1 * cost(10)
