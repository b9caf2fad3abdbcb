"""Packing and crowding against every placement, one pod at a time, on clusters small enough to try them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.model.known import Answer
from trainlint.scheduling.fragmentation import always_fits
from trainlint.scheduling.packing import Demand, NodeClass, pack

Node = tuple[int, tuple[int, ...]]
"""A node: its class, and how many pods of each demand it holds."""


@st.composite
def clusters(draw: st.DrawFn) -> tuple[list[NodeClass], list[Demand]]:
    count = draw(st.integers(1, 3))
    classes = [
        NodeClass(
            index,
            {
                "cpu": draw(st.integers(0, 6)),
                "gpu": draw(st.sampled_from([0, 0, 1, 2, 4])),
                "pods": draw(st.integers(1, 4)),
            },
            draw(st.integers(1, 2)),
        )
        for index in range(count)
    ]
    demands = [
        Demand(
            role,
            {"cpu": draw(st.integers(1, 3)), "gpu": draw(st.sampled_from([0, 1, 2])), "pods": 1},
            draw(st.integers(1, 3)),
            frozenset(draw(st.sets(st.integers(0, count - 1), min_size=1))),
            per_node=draw(st.sampled_from([None, None, 1])),
            apart=frozenset(draw(st.sets(st.integers(0, 1), max_size=1))) - {role},
        )
        for role in range(draw(st.integers(1, 2)))
    ]
    # of two pods, either both are apart from each other or neither is
    if len(demands) == 2 and (demands[0].apart or demands[1].apart):
        demands = [
            Demand(each.role, each.requests, each.count, each.classes, each.per_node, frozenset({1 - each.role}))
            for each in demands
        ]
    return classes, demands


def takes(classes: Sequence[NodeClass], demands: Sequence[Demand], node: Node, role: int) -> bool:
    kind, held = node
    demand = demands[role]
    if kind not in demand.classes or any(held[other] for other in demand.apart if other < len(held)):
        return False
    if demand.per_node is not None and held[role] >= demand.per_node:
        return False
    return all(
        sum(count * demands[other].requests.get(name, 0) for other, count in enumerate(held)) + amount
        <= classes[kind].room.get(name, 0)
        for name, amount in demand.requests.items()
    )


def outcomes(classes: Sequence[NodeClass], demands: Sequence[Demand]) -> tuple[bool, bool]:
    """Whether some order of placement is complete, and whether some order gets stuck."""
    nodes = tuple((each.pool, (0,) * len(demands)) for each in classes for _ in range(each.count))

    @cache
    def explore(state: tuple[Node, ...], left: tuple[int, ...]) -> tuple[bool, bool]:
        if not any(left):
            return True, False
        complete = stuck = moved = False
        for role, count in enumerate(left):
            if count == 0:
                continue
            for index, node in enumerate(state):
                if takes(classes, demands, node, role):
                    moved = True
                    held = tuple(number + (other == role) for other, number in enumerate(node[1]))
                    after = tuple(sorted((*state[:index], (node[0], held), *state[index + 1 :])))
                    rest = tuple(number - (other == role) for other, number in enumerate(left))
                    one, two = explore(after, rest)
                    complete, stuck = complete or one, stuck or two
        return complete, stuck or not moved

    return explore(tuple(sorted(nodes)), tuple(demand.count for demand in demands))


@given(clusters())
@settings(max_examples=400, deadline=None)
def test_packing_agrees_with_every_placement(cluster: tuple[list[NodeClass], list[Demand]]) -> None:
    classes, demands = cluster
    complete, _ = outcomes(classes, demands)
    packing = pack(classes, demands)
    assert packing.answer is (Answer.PROVED if complete else Answer.REFUTED)


@given(clusters())
@settings(max_examples=400, deadline=None)
def test_a_witness_holds_every_pod_and_no_node_more_than_it_has(cluster: tuple[list[NodeClass], list[Demand]]) -> None:
    classes, demands = cluster
    packing = pack(classes, demands)
    if packing.answer is not Answer.PROVED:
        return
    for demand in demands:
        assert sum(slot.pods.get(demand.role, 0) * slot.nodes for slot in packing.slots) == demand.count
    for each in classes:
        assert sum(slot.nodes for slot in packing.slots if slot.pool == each.pool) <= each.count
    for slot in packing.slots:
        for name, room in classes[slot.pool].room.items():
            used = sum(demands[role].requests.get(name, 0) * count for role, count in slot.pods.items())
            assert used <= room


@given(clusters())
@settings(max_examples=400, deadline=None)
def test_crowding_is_never_wrong(cluster: tuple[list[NodeClass], list[Demand]]) -> None:
    classes, demands = cluster
    complete, stuck = outcomes(classes, demands)
    if not complete:
        return
    answer = always_fits(classes, demands)
    assert answer in {Answer.UNKNOWN, Answer.REFUTED if stuck else Answer.PROVED}


@given(clusters(), st.integers(0, 2), st.sampled_from(["cpu", "gpu", "pods"]))
@settings(max_examples=300, deadline=None)
def test_more_room_never_turns_fits_into_never(
    cluster: tuple[list[NodeClass], list[Demand]], which: int, resource: str
) -> None:
    classes, demands = cluster
    which %= len(classes)
    room = {**classes[which].room, resource: classes[which].room[resource] + 1}
    larger = [NodeClass(each.pool, room, each.count) if index == which else each for index, each in enumerate(classes)]
    if pack(classes, demands).answer is Answer.PROVED:
        assert pack(larger, demands).answer is Answer.PROVED


def test_thousands_of_pods_on_thousands_of_nodes_are_counted_not_enumerated() -> None:
    classes = [NodeClass(0, {"gpu": 8, "cpu": 96, "pods": 110}, 2_000), NodeClass(1, {"cpu": 64, "pods": 110}, 500)]
    workers = Demand(0, {"gpu": 4, "cpu": 30, "pods": 1}, 4_000, frozenset({0}))
    coordinator = Demand(1, {"cpu": 2, "pods": 1}, 1, frozenset({0, 1}))

    assert pack(classes, [workers, coordinator]).answer is Answer.PROVED
    more = Demand(0, workers.requests, 4_001, workers.classes)
    assert pack(classes, [more, coordinator]).answer is Answer.REFUTED


def test_pods_that_are_there_already_take_no_room() -> None:
    """Others, near which pods must be, ask for nothing here: they fit on every node, also on a full one."""
    classes = [NodeClass(0, {"cpu": 1, "pods": 1}, 1)]
    there, own = Demand(1, {}, 1, frozenset({0})), Demand(0, {"cpu": 1, "pods": 1}, 1, frozenset({0}))
    assert pack(classes, [own, there]).answer is Answer.PROVED
    assert pack(classes, [there]).answer is Answer.PROVED
    assert pack(classes, [replace(there, classes=frozenset())]).answer is Answer.REFUTED


def test_numbers_of_any_size_are_looked_at_or_left_undecided() -> None:
    """Loads of one node are counted before they are listed."""
    node = NodeClass(0, {"cpu": 10**21, "pods": 10**21}, 1)
    for count in (10**6, 2**31, 2**63, 10**20):
        demands = [Demand(role, {"cpu": 1, "pods": 1}, count, frozenset({0})) for role in (0, 1)]
        assert always_fits([node], demands) is not Answer.REFUTED


def fit(room: dict[str, int], nodes: int, *demands: tuple[dict[str, int], int]) -> Answer:
    classes = [NodeClass(0, room, nodes)]
    return pack(
        classes, [Demand(role, each, count, frozenset({0})) for role, (each, count) in enumerate(demands)]
    ).answer


@pytest.mark.parametrize("nodes", [1, 2, 7])
def test_pods_that_fill_every_node_exactly_fit_and_one_more_does_not(nodes: int) -> None:
    room = {"gpu": 8, "cpu": 96, "pods": 3}
    worker, sidecar = {"gpu": 4, "cpu": 40, "pods": 1}, {"cpu": 16, "pods": 1}
    assert fit(room, nodes, (worker, 2 * nodes), (sidecar, nodes)) is Answer.PROVED
    assert fit(room, nodes, (worker, 2 * nodes), (sidecar, nodes + 1)) is Answer.REFUTED
    assert fit(room, nodes, (worker, 2 * nodes + 1), (sidecar, nodes)) is Answer.REFUTED
    assert fit({**room, "cpu": 95}, nodes, (worker, 2 * nodes), (sidecar, nodes)) is Answer.REFUTED


def test_sizes_that_only_fit_when_they_are_paired_are_paired() -> None:
    # 5 + 3, 5 + 3 and 4 + 4 fill three nodes of 8; 4 + 3 on one of them would leave a 5 without a node.
    threes, fours, fives = ({"gpu": 3}, 2), ({"gpu": 4}, 2), ({"gpu": 5}, 2)
    assert fit({"gpu": 8}, 3, threes, fours, fives) is Answer.PROVED
    assert fit({"gpu": 8}, 3, threes, fours, ({"gpu": 5}, 3)) is Answer.REFUTED
    # The sum fits (24 of 24), the pods do not: two of 5 share no node, and 4 + 4 leave no room for a 3.
    assert fit({"gpu": 8}, 3, ({"gpu": 4}, 1), ({"gpu": 5}, 4)) is Answer.REFUTED


def test_a_witness_of_nodes_that_are_filled_exactly_names_all_of_them() -> None:
    (slot,) = pack([NodeClass(4, {"gpu": 8}, 3)], [Demand(2, {"gpu": 4}, 6, frozenset({0}))]).slots
    assert (slot.pool, slot.nodes, slot.pods) == (4, 3, {2: 2})
    full, rest = pack([NodeClass(4, {"gpu": 8}, 3)], [Demand(2, {"gpu": 4}, 5, frozenset({0}))]).slots
    assert ((full.nodes, full.pods), (rest.nodes, rest.pods)) == ((2, {2: 2}), (1, {2: 1}))


def test_what_is_short_is_named_with_the_room_that_there_is() -> None:
    packing = pack([NodeClass(0, {"gpu": 8}, 3)], [Demand(7, {"gpu": 5}, 4, frozenset({0}))])
    assert (packing.answer, packing.short, packing.room) == (Answer.REFUTED, 7, 3)
