"""The explorer of small groups against enumeration of single nodes, and where it must not answer."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scheduling.clusters import HOSTNAME, ZONE, Enumeration, apart, bare_node, near, node, pod, taint, term

from trainlint.model.because import Because
from trainlint.model.pool import Pool
from trainlint.model.storage import Claim, CsiNode, PersistentVolume, Storage
from trainlint.scheduling.exploration import Cell, Exploration, Role, explore
from trainlint.scheduling.node import node_of
from trainlint.wording.because import because_text

LABELS = [{"job": "j", "role": "a"}, {"job": "j", "role": "b"}]
SELECTED = [{"job": "j"}, *LABELS, {"job": "other"}]


@st.composite
def nodes(draw: st.DrawFn) -> list[Any]:
    made = []
    for number in range(draw(st.integers(1, 4))):
        labels = {ZONE: draw(st.sampled_from("ab"))} if draw(st.integers(0, 4)) else {}
        if draw(st.booleans()):
            labels[HOSTNAME] = f"n{number}"
        if not draw(st.integers(0, 3)):
            labels["rack"] = draw(st.sampled_from("rs"))
        made.append(
            bare_node(
                {
                    "metadata": {"name": f"n{number}", "labels": labels},
                    "spec": {"taints": [taint("gpu")] if not draw(st.integers(0, 3)) else []},
                    "status": {"allocatable": {"cpu": draw(st.sampled_from(["1", "2", "4"])), "pods": "9"}},
                }
            )
        )
    return made


terms = st.builds(term, st.sampled_from([ZONE, HOSTNAME, "rack"]), st.sampled_from(SELECTED))
spreads = st.builds(
    lambda key, labels, skew, least, taints: {
        "topologyKey": key,
        "maxSkew": skew,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": labels},
        "nodeTaintsPolicy": taints,
        **({"minDomains": least} if least else {}),
    },
    st.sampled_from([ZONE, HOSTNAME]),
    st.sampled_from(SELECTED),
    st.integers(1, 2),
    st.integers(0, 3),
    st.sampled_from(["Ignore", "Honor"]),
)


@st.composite
def pods(draw: st.DrawFn, labels: dict[str, str]) -> Any:
    affinity: dict[str, Any] = {}
    if draw(st.booleans()):
        affinity |= near(draw(terms))
    if draw(st.booleans()):
        affinity |= apart(draw(terms))
    return pod(
        labels,
        limits={"cpu": draw(st.sampled_from(["1", "2"]))},
        affinity=affinity,
        topologySpreadConstraints=draw(st.lists(spreads, max_size=1)),
        tolerations=draw(st.sampled_from([[], [{"operator": "Exists"}]])),
    )


@st.composite
def groups(draw: st.DrawFn) -> list[tuple[Any, int]]:
    roles = [(draw(pods(LABELS[0])), draw(st.integers(1, 3)))]
    if draw(st.booleans()):
        roles.append((draw(pods(LABELS[1])), draw(st.integers(1, 2))))
    return roles


@settings(max_examples=120, deadline=None)
@given(groups(), nodes(), st.data())
def test_classes_of_equal_nodes_give_what_single_nodes_give(group: Any, cluster: Any, data: st.DataObject) -> None:
    bound = data.draw(st.lists(st.tuples(st.integers(0, len(cluster) - 1), pods(LABELS[0])), max_size=2))
    every = [index for index, (_, replicas) in enumerate(group) for _ in range(replicas)]
    order = data.draw(st.one_of(st.none(), st.permutations(every)))
    zones = [each.pool.labels.get(ZONE) for each in cluster]
    single = Enumeration(group, cluster, zones, bound, order)
    cells = [Cell(each, 1, tuple(p for at, p in bound if at == index)) for index, each in enumerate(cluster)]
    found = explore([Role(str(index), p, count) for index, (p, count) in enumerate(group)], cells, order=order)
    assert isinstance(found, Exploration)
    assert found.states == len(single.states)
    assert found.complete == single.complete
    assert found.zones == single.zones
    assert (found.stuck, found.dead_end) == (single.stuck, single.dead_end)
    assert [found.role_zones[index] for index in range(len(group))] == single.role_zones
    assert {roles: set(pairs) for roles, pairs in found.pairs.items()} == single.pairs


@settings(max_examples=60, deadline=None)
@given(groups(), nodes(), st.integers(2, 3))
def test_a_cell_of_several_nodes_is_as_many_cells_of_one(group: Any, cluster: Any, size: int) -> None:
    roles = [Role(str(index), p, count) for index, (p, count) in enumerate(group)]
    pools = [
        Pool(
            each.name,
            {key: value for key, value in each.pool.labels.items() if key != HOSTNAME},
            each.pool.taints,
            each.pool.allocatable,
        )
        for each in cluster
    ]
    names = [(pool, f"{pool.name}-{number}") for pool in pools for number in range(size)]
    single = [
        Cell(node_of(replace(pool, labels={**pool.labels, HOSTNAME: name}, node_name=name))) for pool, name in names
    ]
    together = explore(roles, [Cell(node_of(pool), size) for pool in pools], budget=10**6)
    one_by_one = explore(roles, single, budget=10**6)
    assert isinstance(together, Exploration)
    assert isinstance(one_by_one, Exploration)
    for name in ("states", "complete", "zones", "stuck", "dead_end", "role_zones", "pairs"):
        assert getattr(together, name) == getattr(one_by_one, name), name


def test_workers_that_follow_their_coordinator_reach_a_dead_end_in_the_smaller_zone() -> None:
    # S 8: with zones of unequal size there are dead ends although complete placements exist.
    cells = [
        Cell(node("a1", {ZONE: "a"}, gpu="2")),
        Cell(node("b1", {ZONE: "b"}, gpu="2")),
        Cell(node("b2", {ZONE: "b"}, gpu="2")),
    ]
    coordinator = Role("coordinator", pod({"role": "c"}), 1)
    worker = Role(
        "worker", pod({"role": "w"}, limits={"nvidia.com/gpu": "2"}, affinity=near(term(ZONE, {"role": "c"}))), 2
    )
    found = explore([coordinator, worker], cells)
    assert isinstance(found, Exploration)
    assert found.zones == {frozenset({"b"})}
    assert found.dead_end
    assert found.dead_end_example is not None
    assert found.dead_end_example.placed == {"coordinator": {"a1": 1}, "worker": {"a1": 1}}
    assert found.dead_end_example.waiting == ("worker",)


def test_a_pod_that_waits_for_another_is_stuck_but_no_dead_end() -> None:
    follower = Role("follower", pod({"role": "f"}, affinity=near(term(ZONE, {"role": "c"}))), 1)
    leader = Role("leader", pod({"role": "c"}), 1)
    found = explore([follower, leader], [Cell(node("n", {ZONE: "a"}))])
    assert isinstance(found, Exploration)
    assert found.stuck
    assert not found.dead_end


def test_an_undetermined_request_leaves_the_group_undetermined() -> None:
    unknown = pod(limits={"nvidia.com/gpu": "${GPUS}"})
    found = explore([Role("worker", unknown, 2)], [Cell(node("n", gpu="8"))])
    assert isinstance(found, Because)
    assert "${GPUS}" in because_text(found)


def test_an_undetermined_amount_does_not_matter_on_nodes_that_refuse_anyway() -> None:
    roles = [Role("worker", pod(nodeSelector={ZONE: "a"}), 1)]
    unknown = node_of(Pool("elsewhere", {ZONE: "b"}, allocatable=None))
    found = explore(roles, [Cell(node("n", {ZONE: "a"})), Cell(unknown)])
    assert isinstance(found, Exploration)
    assert found.zones == {frozenset({"a"})}


def test_over_budget_there_is_no_answer_rather_than_a_part_of_one() -> None:
    cells = [Cell(node(f"n{index}", {ZONE: str(index)})) for index in range(6)]
    assert explore([Role("worker", pod(), 6)], cells, budget=100) is None


def test_every_set_of_zones_and_every_pair_comes_with_a_placement_that_shows_it() -> None:
    cells = [
        Cell(node("a1", {ZONE: "a"}, cpu="1")),
        Cell(node_of(Pool("b", {ZONE: "b"}, (), {"cpu": "1", "pods": "9"})), 3),
    ]
    found = explore([Role("leader", pod(limits={"cpu": "1"}), 1), Role("worker", pod(limits={"cpu": "1"}), 1)], cells)
    assert isinstance(found, Exploration)
    assert found.zone_examples.keys() == found.zones == {frozenset("b"), frozenset("ab")}
    united = found.zone_examples[frozenset("b")].placed
    assert {*united["leader"], *united["worker"]} == {"b/1", "b/2"}
    split = found.pair_examples[(0, 1), ("b", "a")].placed
    assert list(split["leader"]) == ["b/1"]
    assert list(split["worker"]) == ["a1"]


def test_thousands_of_equal_nodes_cost_no_more_than_a_few() -> None:
    roles = [Role("worker", pod({"role": "w"}, affinity=apart(term(HOSTNAME, {"role": "w"}))), 8)]
    pools = [Pool(name, {ZONE: name}, allocatable={"cpu": "4", "pods": "9"}) for name in "ab"]
    found = explore(roles, [Cell(node_of(pool), 5_000) for pool in pools], budget=200)
    assert isinstance(found, Exploration)
    assert len(found.zones) == 3
    assert not found.dead_end


def test_nodes_that_differ_only_in_a_value_of_their_own_are_one_class() -> None:
    cells = [Cell(node(f"n{index}", {ZONE: "a", "rack": f"r{index}"})) for index in range(40)]
    roles = [Role("worker", pod({"role": "w"}, affinity=apart(term("rack", {"role": "w"}))), 8)]
    found = explore(roles, cells, budget=50)
    assert isinstance(found, Exploration)
    assert found.complete == comb(40, 8)


def test_more_room_than_the_whole_group_needs_is_no_difference() -> None:
    cells = [Cell(node(f"n{index}", {ZONE: "a"}, cpu=str(32 + index))) for index in range(40)]
    found = explore([Role("worker", pod(limits={"cpu": "4"}), 6)], cells, budget=100)
    assert isinstance(found, Exploration)
    assert not found.stuck


def test_every_node_of_a_pool_counts_as_a_domain_of_its_own() -> None:
    # S 1.7: fewer domains than minDomains and the minimum is taken as 0.
    constraint = {
        "topologyKey": HOSTNAME,
        "maxSkew": 1,
        "whenUnsatisfiable": "DoNotSchedule",
        "minDomains": 3,
        "labelSelector": {"matchLabels": {"role": "w"}},
    }
    roles = [Role("worker", pod({"role": "w"}, topologySpreadConstraints=[constraint]), 4)]
    pool = node_of(Pool("p", {ZONE: "a"}, (), {"pods": "9"}))
    enough, few = explore(roles, [Cell(pool, 3)]), explore(roles, [Cell(pool, 2)])
    assert isinstance(enough, Exploration)
    assert isinstance(few, Exploration)
    assert enough.complete
    assert not few.complete


def test_the_first_pod_is_not_free_to_choose_where_a_placed_pod_matches_on_a_node_of_its_own() -> None:
    # S 1.6: the first-pod rule needs that no count exists anywhere.
    follower = pod({"app": "x"}, affinity=near(term(HOSTNAME, {"app": "x"})))
    full = Cell(node("full", {ZONE: "a"}, pods="1"), 1, (pod({"app": "x"}),))
    found = explore([Role("worker", follower, 1)], [full, Cell(node("free", {ZONE: "a"}))])
    assert isinstance(found, Exploration)
    assert found.dead_end
    assert not found.complete


CLAIM = [{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}]


def bound(modes: str) -> Storage:
    volume = PersistentVolume("pv", capacity="1Gi", driver="disk.example.com", handle="h")
    claim = Claim("default", "d", frozenset({modes}), volume="pv", bound=True)
    return Storage({"pv": volume}, {("default", "d"): claim}, complete=True)


def test_a_claim_for_one_pod_alone_stops_the_second_replica_everywhere() -> None:
    roles = [Role("worker", pod(volumes=CLAIM), 2)]
    cells = [Cell(node("a", {ZONE: "a"})), Cell(node("b", {ZONE: "b"}))]
    alone, shared = (explore(roles, cells, storage=bound(f"ReadWrite{modes}")) for modes in ("OncePod", "Once"))
    assert isinstance(alone, Exploration)
    assert isinstance(shared, Exploration)
    assert alone.dead_end
    assert not alone.complete
    assert shared.complete


def test_the_volumes_that_a_driver_attaches_to_a_node_are_counted_once_each() -> None:
    def role(name: str, claim: str, replicas: int) -> Role:
        return Role(name, pod(volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": claim}}]), replicas)

    storage = Storage(
        {n: PersistentVolume(n, capacity="1Gi", driver="disk.example.com", handle=n) for n in ("d", "e")},
        {("default", n): Claim("default", n, volume=n, bound=True) for n in ("d", "e")},
        csi_nodes={"n": CsiNode("n", {"disk.example.com": 1})},
        complete=True,
    )
    same = explore([role("a", "d", 3)], [Cell(node("n", {ZONE: "a"}))], storage=storage)
    two = explore([role("a", "d", 1), role("b", "e", 1)], [Cell(node("n", {ZONE: "a"}))], storage=storage)
    assert isinstance(same, Exploration)
    assert isinstance(two, Exploration)
    assert same.complete
    assert not two.complete
