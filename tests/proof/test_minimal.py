"""Irreducible sets, of things that hold for reasons that are known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.causes.quickxplain import Oracle, OutOfQuestionsError, irreducible

CAUSES = st.lists(st.frozensets(st.integers(0, 9), min_size=1, max_size=4), max_size=4)


@given(CAUSES, st.frozensets(st.integers(0, 9)))
def test_what_is_found_is_one_of_the_smallest_reasons(causes: list[frozenset[int]], likely: frozenset[int]) -> None:
    oracle: Oracle[int] = Oracle(lambda kept: any(cause <= kept for cause in causes), 10_000)
    found = irreducible(oracle, range(10), likely)
    if not causes:
        assert found is None
        return
    assert found is not None
    assert frozenset(found) in causes
    assert not any(cause < frozenset(found) for cause in causes)


@given(st.lists(st.booleans(), min_size=64, max_size=64))
def test_no_part_can_be_left_out_even_where_more_parts_do_not_make_it_hold(table: list[bool]) -> None:
    def holds(kept: frozenset[int]) -> bool:
        return table[sum(1 << part for part in kept)]

    oracle: Oracle[int] = Oracle(holds, 10_000)
    found = irreducible(oracle, range(6))
    if found is not None and holds(frozenset(found)):
        assert not any(holds(frozenset(found) - {part}) for part in found)


def test_the_first_parts_are_kept_where_there_is_a_choice() -> None:
    oracle: Oracle[int] = Oracle(lambda kept: bool({1, 2} <= kept or {7, 8} <= kept), 100)
    assert irreducible(oracle, range(10)) == (1, 2)


def test_likely_parts_are_tried_by_themselves_first() -> None:
    oracle: Oracle[int] = Oracle(lambda kept: bool({1, 2} <= kept or {7, 8} <= kept), 100)
    assert irreducible(oracle, range(10), [7, 8, 9]) == (7, 8)


def test_it_says_when_it_may_ask_no_more_and_what_it_knows_till_then() -> None:
    oracle: Oracle[int] = Oracle(lambda kept: {3, 700} <= kept, 5)
    with pytest.raises(OutOfQuestionsError):
        irreducible(oracle, range(1000))
    assert oracle.smallest is not None
    assert {3, 700} <= oracle.smallest
