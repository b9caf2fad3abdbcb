"""The smallest nodes: pods that may take each other's place have nodes of one kind, and none of them is left over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from trainlint.model.needs import Needs, RoleNeed
from trainlint.model.selector import Requirement
from trainlint.proof.ideal.smallest_nodes import least_nodes

GPU = "nvidia.com/gpu"
FAST = (Requirement("disk", "In", ("fast",)),)
NOT_OLD = (Requirement("age", "NotIn", ("old",)),)


def role(name: str, pods: int, requests: Mapping[str, str], *way: Requirement, apart: bool = False) -> RoleNeed:
    return RoleNeed(name, pods, (way,), requests, apart=apart)


def nodes(*roles: RoleNeed) -> list[tuple[int, Mapping[str, object]]]:
    return [(each.minimum, {**each.labels, **(each.allocatable or {})}) for each in least_nodes(Needs(roles))]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(
            role("master", 1, {GPU: "1"}),
            role("worker", 3, {GPU: "1", "cpu": "50m", "memory": "10Mi"}),
            [(4, {GPU: "1", "cpu": "50m", "memory": "10Mi", "pods": "1"})],
            id="CPU of one is not known",
        ),
        pytest.param(
            role("master", 1, {GPU: "1", "cpu": "4", "memory": "64Gi"}),
            role("worker", 3, {GPU: "1", "cpu": "8", "memory": "32Gi"}),
            [
                (1, {GPU: "1", "cpu": "4", "memory": "64Gi", "pods": "1"}),
                (3, {GPU: "1", "cpu": "8", "memory": "32Gi", "pods": "1"}),
            ],
            id="neither fits on nodes of the other",
        ),
        pytest.param(
            role("master", 2, {GPU: "1", "cpu": "4"}),
            role("worker", 3, {GPU: "1", "cpu": "8"}),
            [(5, {GPU: "1", "cpu": "8", "pods": "1"})],
            id="the same devices and less CPU",
        ),
        pytest.param(
            role("master", 1, {GPU: "1"}, *NOT_OLD),
            role("worker", 2, {GPU: "1"}, *FAST),
            [(3, {"disk": "fast", GPU: "1", "pods": "1"})],
            id="a label that one asks for",
        ),
        pytest.param(
            role("launcher", 1, {"cpu": "2"}),
            role("worker", 3, {GPU: "8", "cpu": "8"}),
            [(3, {GPU: "8", "cpu": "10", "pods": "2"})],
            id="no devices on nodes with some",
        ),
        pytest.param(
            role("driver", 2, {}), role("worker", 3, {"cpu": "8"}), [(3, {"cpu": "8", "pods": "3"})], id="no requests"
        ),
        pytest.param(role("driver", 1, {}), role("worker", 3, {}), [(1, {"pods": "4"})], id="no requests at all"),
        pytest.param(
            role("driver", 1, {}, apart=True),
            role("worker", 3, {}, apart=True),
            [(4, {"pods": "1"})],
            id="a node for each",
        ),
    ],
)
def test_nodes_of_two_roles(
    first: RoleNeed, second: RoleNeed, expected: list[tuple[int, Mapping[str, object]]]
) -> None:
    assert nodes(first, second) == expected
    assert sorted(nodes(second, first), key=str) == sorted(expected, key=str)


def on_nodes_of(need: RoleNeed, *others: str) -> RoleNeed:
    return replace(need, on_nodes_of=others)


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        pytest.param(
            [on_nodes_of(role("train", 4, {GPU: "2", "cpu": "1500m"}), "train")],
            [(1, {GPU: "8", "cpu": "6", "pods": "4"})],
            id="all pods of one role",
        ),
        pytest.param(
            [role("master", 1, {GPU: "1"}, *FAST), on_nodes_of(role("worker", 3, {GPU: "1"}), "master")],
            [(1, {"disk": "fast", GPU: "4", "pods": "4"})],
            id="each beside the pod of another, with its labels",
        ),
        pytest.param(
            [on_nodes_of(role("train", 2, {GPU: "2"}), "train"), role("other", 1, {GPU: "8"})],
            [(1, {GPU: "12", "pods": "3"})],
            id="on the node of another pod, where all of them may land",
        ),
    ],
)
def test_pods_that_must_share_a_node_have_one_with_room_for_all(
    roles: list[RoleNeed], expected: list[tuple[int, Mapping[str, object]]]
) -> None:
    assert nodes(*roles) == expected
