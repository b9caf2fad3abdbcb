"""PodTopologySpread: which domains take part (S 1.7)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scheduling.clusters import HOSTNAME, ZONE, feasible, node, on_nodes, pod, refusing, taint, where
from tests.unknown_values import unknown

from trainlint.model.pool import Pool, Taint
from trainlint.scheduling.node import node_of
from trainlint.scheduling.pod_topology_spread import eligible_domains, eligible_nodes

ROOM = {"cpu": "8", "pods": "9"}
POOLS = [
    Pool("a", {ZONE: "a"}, (), ROOM),
    Pool("b", {ZONE: "b"}, (Taint("gpu"),), ROOM),
    Pool("c", {ZONE: "c", "rack": "r"}, (), ROOM, unschedulable=True),
    Pool("none", {}, (), ROOM),
]


def spread(key: str = ZONE, **parts: Any) -> dict[str, Any]:
    selected = {"matchLabels": {"app": "x"}}
    return {"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selected, **parts}


@pytest.mark.parametrize(
    ("constraints", "parts", "expected"),
    [
        ([spread()], {}, ["a", "b", "c"]),
        ([spread(nodeTaintsPolicy="Honor")], {}, ["a", "c"]),
        ([spread(nodeTaintsPolicy="Honor")], {"tolerations": [{"operator": "Exists"}]}, ["a", "b", "c"]),
        ([spread()], {"nodeSelector": {ZONE: "b"}}, ["b"]),
        ([spread()], {"affinity": on_nodes(where(ZONE, "NotIn", "a"))}, ["b", "c"]),
        ([spread(nodeAffinityPolicy="Ignore")], {"nodeSelector": {ZONE: "b"}}, ["a", "b", "c"]),
        ([spread(), spread("rack")], {}, ["c"]),
        ([spread(), spread("rack", whenUnsatisfiable="ScheduleAnyway")], {}, ["a", "b", "c"]),
    ],
    ids=[
        "tainted and cordoned domains take part by default",
        "Honor takes untolerated taints out, a cordon without its taint not",
        "tolerated taints take part",
        "a nodeSelector restricts the domains",
        "so does required node affinity",
        "unless it is ignored",
        "a domain needs the keys of all hard constraints",
        "soft ones do not count",
    ],
)
def test_which_domains_take_part(constraints: Any, parts: Any, expected: list[str]) -> None:
    asked = pod({"app": "x"}, topologySpreadConstraints=constraints, **parts)
    assert eligible_domains(asked.spec.spread[0], asked, POOLS) == expected


def test_a_pool_whose_nodes_are_domains_by_themselves_is_named_as_such() -> None:
    asked = pod({"app": "x"}, topologySpreadConstraints=[spread(HOSTNAME)])
    assert eligible_domains(asked.spec.spread[0], asked, POOLS[:2]) == ["a", "b"]


def test_a_label_that_the_platform_may_add_leaves_the_domain_open() -> None:
    pool = Pool("p", {ZONE: "a"}, (), ROOM, listed_keys=frozenset({ZONE}))
    asked = pod({"app": "x"}, topologySpreadConstraints=[spread("cloud.google.com/gce-topology-block")])
    assert eligible_nodes(asked.spec.spread[0], asked, [node_of(pool)]) == (None,)


def test_a_placeholder_in_the_constraints_is_a_doubt() -> None:
    asked = pod({"app": "x"}, topologySpreadConstraints=[spread(maxSkew="${SKEW}")])
    assert refusing(asked, node("n", {ZONE: "a"})) == {"PodTopologySpread": "doubt"}


def test_an_own_label_of_unknown_value_is_a_doubt() -> None:
    known = pod({"app": "x"}, topologySpreadConstraints=[spread()])
    unsure = type(known)("default", {"app": unknown("run time")}, known.spec, known.requests)
    assert refusing(unsure, node("n", {ZONE: "a"})) == {"PodTopologySpread": "doubt"}


def test_match_label_keys_count_only_pods_of_the_same_value() -> None:
    asked = pod({"app": "x", "v": "2"}, topologySpreadConstraints=[spread(matchLabelKeys=["v"])])
    old = pod({"app": "x", "v": "1"})
    nodes = [node("a", {ZONE: "a"}), node("b", {ZONE: "b"})]
    assert feasible(asked, nodes, [("a", old), ("a", old)]) == ["a", "b"]
    assert feasible(asked, nodes, [("a", asked)]) == ["b"]


def test_an_added_toleration_may_remove_a_node_under_a_hard_spread_that_honors_taints() -> None:
    # The exception to the law of tolerations: a domain more to be balanced with.
    parts = {"topologySpreadConstraints": [spread(HOSTNAME, nodeTaintsPolicy="Honor")]}
    nodes = [node("a", cpu="8"), node("full", taints=[taint("gpu")], cpu="0")]
    one = {"limits": {"cpu": "1"}}
    placed = [("a", pod({"app": "x"}))]
    assert feasible(pod({"app": "x"}, **one, **parts), nodes, placed) == ["a"]
    assert feasible(pod({"app": "x"}, **one, **parts, tolerations=[{"operator": "Exists"}]), nodes, placed) == []


def test_an_added_node_may_remove_another_under_a_hard_spread() -> None:
    asked = pod({"app": "x"}, limits={"cpu": "1"}, topologySpreadConstraints=[spread()])
    first, empty = node("a", {ZONE: "a"}), node("b", {ZONE: "b"}, cpu="0")
    assert feasible(asked, [first], [("a", asked)]) == ["a"]
    assert feasible(asked, [first, empty], [("a", asked)]) == []
