"""Searches that differ only in names share what they find, and find what each of them finds alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from trainlint.scheduling import shared_search
from trainlint.scheduling.domains import Domain
from trainlint.scheduling.packing import NodeClass
from trainlint.scheduling.placement import Placements
from trainlint.scheduling.role import PlacementRole, Repulsion
from trainlint.scheduling.state import States

KEY = "rack"


def problem(first: int, count: int = 3) -> tuple[list[PlacementRole], list[Domain], list[NodeClass]]:
    """Two roles that keep apart over racks, on nodes whose numbers begin with ``first``; others come before them."""
    classes = [NodeClass(pool, {"gpu": 8}, 2) for pool in range(first + count)]
    used = frozenset(range(first, first + count))
    domains = [Domain({KEY: f"rack-{pool}"}, (pool,)) for pool in sorted(used)]
    roles = [
        PlacementRole(
            {"gpu": 4},
            3,
            used,
            repulsions=(
                Repulsion(
                    KEY,
                    frozenset({1}),
                ),
            ),
        ),
        PlacementRole(
            {"gpu": 8},
            2,
            used,
            repulsions=(
                Repulsion(
                    KEY,
                    frozenset({0}),
                ),
            ),
        ),
    ]
    return roles, domains, classes


def placements(first: int, **changes: object) -> Placements:
    roles, domains, classes = problem(first)
    return Placements([replace(each, **changes) for each in roles], domains, classes)


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_search, "_known", {})


@pytest.fixture
def packed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each packing that is tried."""
    tried: list[int] = []
    before = States._packed

    def counting(self: States, demands: Sequence[object]) -> object:
        tried.append(len(demands))
        return before(self, demands)  # type: ignore[arg-type]

    monkeypatch.setattr(States, "_packed", counting)
    return tried


def test_the_second_of_two_that_are_alike_packs_nothing(packed: list[int]) -> None:
    first, second = placements(0), placements(5)
    assert first.completed
    tried = len(packed)
    assert tried
    assert second.completed
    assert second.dead_ends == first.dead_ends
    assert len(packed) == tried


def test_the_slots_are_told_in_the_numbers_of_each(packed: list[int]) -> None:
    first, second = placements(0).completed, placements(5).completed
    assert first
    assert second
    for one, other in zip(first, second, strict=True):
        assert one.state == other.state
        assert [each.pool + 5 for each in one.packing.slots] == [each.pool for each in other.packing.slots]
    assert {each.pool for placement in second for each in placement.packing.slots} <= {5, 6, 7}


@pytest.mark.parametrize(
    "changes", [{"count": 1}, {"requests": {"gpu": 2}}, {"per_node": 1}, {"starts": True}, {"repulsions": ()}]
)
def test_what_differs_in_more_than_names_is_searched_by_itself(changes: dict[str, object]) -> None:
    alone = placements(5, **changes).completed
    shared_search._known.clear()
    assert placements(0).completed
    assert placements(5, **changes).completed == alone


def test_values_of_domains_count_by_which_are_equal() -> None:
    roles, domains, classes = problem(0)
    apart = Placements(roles, domains, classes).completed
    one_rack = [replace(each, values={KEY: "rack-0"}) for each in domains]
    together = Placements(roles, one_rack, classes).completed
    named_otherwise = [replace(each, values={KEY: "other"}) for each in domains]
    assert apart
    assert together == ()
    assert Placements(roles, named_otherwise, classes).completed == ()


def test_no_more_is_kept_than_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_search, "_MOST", 3)
    for count in range(1, 9):
        assert placements(0, count=count).completed is not None
        assert len(shared_search._known) <= 3
