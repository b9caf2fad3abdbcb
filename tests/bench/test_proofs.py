"""Proofs grow with pools and groups, never with replicas or nodes: counted, so that no clock is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest
from tests.bench.proofs import Shape, facts_of

from trainlint.model.known import Answer
from trainlint.scheduling import packing

SMALL = Shape(groups=24, pools=12, nodes=200)


@contextmanager
def steps() -> Iterator[list[int]]:
    """Counts how often anything is asked about what one node takes: the innermost step of every proof."""
    counter = [0]
    real = packing.pods_per_node

    def counted(*arguments: object) -> int:
        counter[0] += 1
        return real(*arguments)  # type: ignore[arg-type]

    modules = ("packing", "fragmentation")
    patches = [mock.patch(f"trainlint.scheduling.{module}.pods_per_node", counted) for module in modules]
    for patch in patches:
        patch.start()
    try:
        yield counter
    finally:
        for patch in patches:
            patch.stop()


def cost(shape: Shape) -> int:
    facts = facts_of(shape)
    with mock.patch.dict("trainlint.scheduling.shared_search._known", clear=True), steps() as counter:
        assert len(facts.proofs) == shape.groups
    return counter[0]


def test_every_group_of_the_benchmark_is_answered() -> None:
    facts = facts_of(SMALL)
    assert Answer.UNKNOWN not in {answer for proof in facts.proofs for answer in (proof.exists, proof.for_all)}
    assert {proof.for_all for proof in facts.proofs} == {Answer.PROVED, Answer.REFUTED}


def test_more_nodes_cost_nothing() -> None:
    assert cost(Shape(groups=24, pools=12, nodes=20_000)) <= 1.1 * cost(Shape(groups=24, pools=12, nodes=2_000))


def test_more_replicas_cost_nothing_while_they_fit() -> None:
    assert cost(Shape(groups=24, pools=12, nodes=20_000, replicas=8)) <= 1.1 * cost(
        Shape(groups=24, pools=12, nodes=20_000)
    )


@pytest.mark.parametrize("doubled", [Shape(groups=48, pools=12, nodes=200), Shape(groups=24, pools=24, nodes=200)])
def test_twice_the_groups_or_pools_cost_about_twice(doubled: Shape) -> None:
    assert cost(doubled) <= 2.6 * cost(SMALL)
