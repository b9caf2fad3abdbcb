"""Which nodes are one pool of a summary, and how its amounts are rounded: at 1 Gi and at 1 percent."""

from __future__ import annotations

from typing import Any

import pytest
from tests.fields import field

from trainlint.inventory.summary import splitting, summary
from trainlint.model.pool import Pool

MI, GI = 1 << 20, 1 << 30


def node(
    name: str, cpu: str = "8", memory: object = "64Gi", labels: dict[str, str] | None = None, **parts: Any
) -> dict[str, Any]:
    allocatable = {"cpu": cpu, "memory": str(memory), "pods": "20", **parts.pop("more", {})}
    return {"metadata": {"name": name, "labels": labels or {}}, "status": {"allocatable": allocatable}, **parts}


def pools(*nodes: dict[str, Any]) -> list[Pool]:
    return list(summary([field(each) for each in nodes]))


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        # bytes of memory: up to 1 Gi apart
        (64 * GI, 65 * GI, True),
        (64 * GI, 65 * GI + 1, False),
        (65 * GI, 64 * GI, True),
        # or up to 1 percent of the larger one
        (200 * GI, 202 * GI, True),
        (200 * GI, 202 * GI + 20 * MI, True),
        (200 * GI, 203 * GI, False),
    ],
)
def test_sizes_that_are_nearly_equal_are_one_pool(one: int, other: int, together: bool) -> None:
    found = pools(node("first-node", memory=one), node("other-node", memory=other))
    assert len(found) == (1 if together else 2)
    assert [(each.minimum, each.maximum) for each in found] == ([(2, 2)] if together else [(1, 1)] * 2)


@pytest.mark.parametrize(("one", "other", "together"), [("7900m", "7979m", True), ("7900m", "7980m", False)])
def test_cores_are_at_most_one_percent_apart(one: str, other: str, together: bool) -> None:
    found = pools(node("first-node", one), node("other-node", other))
    assert len(found) == (1 if together else 2)


def test_groups_are_those_of_their_smallest_node() -> None:
    found = pools(*(node(f"node-{count}", memory=count * GI) for count in (66, 64, 65, 67, 68)))
    assert [(each.minimum, (each.allocatable or {})["memory"]) for each in found] == [
        (2, "65536Mi"), (2, "67584Mi"), (1, "69632Mi"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cpu", "memory", "shown"),
    [
        ("8", 64 * GI, ("8", "65536Mi")),
        ("7900m", 64 * GI - 1, ("7900m", "65535Mi")),
        ("8000m", 100 * GI - 1, ("8", "102399Mi")),
        ("0.5", 100 * GI, ("500m", "100Gi")),
        ("190", 101 * GI - 1, ("190", "100Gi")),
    ],
)
def test_amounts_are_rounded_down(cpu: str, memory: int, shown: tuple[str, str]) -> None:
    (found,) = pools(node("first-node", cpu, memory))
    assert found.allocatable == {"cpu": shown[0], "memory": shown[1], "pods": "20"}


def test_what_is_not_there_is_left_out() -> None:
    more = {"nvidia.com/gpu": "0", "amd.com/gpu": "8", "attachable-volumes-aws-ebs": "25", "odd": "many"}
    (found,) = pools(node("first-node", more=more))
    assert set(found.allocatable or {}) == {"cpu", "memory", "pods", "amd.com/gpu"}


def test_what_was_momentary_is_counted() -> None:
    taints = [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]
    cordon = [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]
    (found,) = pools(
        node("node-one", spec={"unschedulable": True, "taints": cordon}),
        node("node-two", spec={"taints": taints}),
        node("node-three"),
    )
    assert (found.minimum, found.unschedulable, found.taints) == (3, False, ())
    assert found.notes == (
        "1 cordoned and 1 not ready or about to go of 3 when this was written: taken as momentary, count fewer if not",
    )
    (healthy,) = pools(node("node-three"))
    assert healthy.notes == ()


ZONE = "topology.kubernetes.io/zone"


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([{}], ["nodes"]),
        ([{"karpenter.sh/nodepool": "gpu", "agentpool": "x"}], ["gpu"]),
        ([{"node-role.kubernetes.io/worker": ""}], ["worker"]),
        ([{"agentpool": "gpu", ZONE: "a"}], ["gpu"]),
        ([{"agentpool": "gpu", ZONE: "a"}, {"agentpool": "gpu", ZONE: "b"}], ["gpu-a", "gpu-b"]),
        ([{"agentpool": "gpu", "k": "1"}, {"agentpool": "gpu", "k": "2"}], ["gpu", "gpu-2"]),
        (
            [{"agentpool": "gpu", ZONE: "a", "k": "1"}, {"agentpool": "gpu", ZONE: "a", "k": "2"}],
            ["gpu-a", "gpu-a-2"],
        ),
    ],
)
def test_pools_are_named_after_what_the_provider_calls_them(labels: list[dict[str, str]], names: list[str]) -> None:
    found = pools(*(node(f"node-{number}", labels=each) for number, each in enumerate(labels)))
    assert [each.name for each in found] == names


@pytest.mark.parametrize(
    "parts",
    [
        {"metadata": {"name": "other", "uid": "secret-1"}},
        {"spec": {"providerID": "aws:///us-west-2a/secret-1"}},
        {"status": {"addresses": [{"address": "secret-1"}]}},
        {"status": {"addresses": [{"address": "secret.1"}]}},
        {"status": {"nodeInfo": {"bootID": "secret-1"}}},
        {"status": {"nodeInfo": {"machineID": "secret-1"}}},
        {"status": {"nodeInfo": {"systemUUID": "secret-1"}}},
    ],
)
def test_labels_that_hold_what_names_a_node_are_left_out(parts: dict[str, Any]) -> None:
    made = node("first-node", labels={"own": "is-secret-1", "secret-1": "x", "pool": "gpu"})
    for key, value in parts.items():
        made[key] = {**made.get(key, {}), **value}
    (found,) = pools(made)
    assert found.labels == {"pool": "gpu"}


def test_identities_of_three_letters_may_stand_in_a_label_by_chance() -> None:
    (short,) = pools(node("gpu", labels={"pool": "gpu-pool"}))
    (longer,) = pools(node("gpus", labels={"pool": "gpus-pool"}))
    assert (short.labels, longer.labels) == ({"pool": "gpu-pool"}, {})


def test_the_label_that_splits_most_pools_is_named() -> None:
    made = [
        Pool(f"p{number}", labels={"rack": str(number), "kind": kind, ZONE: str(number)})
        for number, kind in enumerate(("a", "a", "b"))
    ]
    bare = [Pool(each.name, {key: value for key, value in each.labels.items() if key != ZONE}) for each in made]
    assert splitting(bare) == ("rack", 1)
    assert splitting(made) == ("kind", 0)
    assert splitting([]) == ("", 0)
