"""Which parts of a value a change touched: elements keep their identity when they move, names tell them apart."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.engine.changes import _elements, _pair
from trainlint.source.document import MISSING


def touched(now: list[Any], then: list[Any]) -> list[int]:
    return [index for index, value, before in _elements(now, then) if value != before]


@pytest.mark.parametrize(
    ("now", "then", "expected"),
    [
        ([1, 2], [1, 2], []),
        ([2], [1, 2], []),
        ([1], [1, 2], []),
        ([0, 1, 2], [1, 2], [0]),
        ([1, 9], [1, 2], [1]),
        ([9, 1], [1, 2], [0]),
        ([1, 1], [1], [1]),
        ([{"name": "b", "x": 1}, {"name": "a", "x": 2}], [{"name": "a", "x": 1}, {"name": "b", "x": 1}], [1]),
        ([{"name": "c"}], [{"name": "a"}], [0]),
        ([], [1], []),
    ],
)
def test_elements_are_told_apart_by_value_then_name_then_place(
    now: list[Any], then: list[Any], expected: list[int]
) -> None:
    assert touched(now, then) == expected


VALUES = st.lists(st.integers(0, 5) | st.dictionaries(st.sampled_from(["name", "x"]), st.integers(0, 2)), max_size=6)


@given(VALUES, st.randoms())
def test_moving_elements_touches_none(values: list[Any], random: Any) -> None:
    moved = list(values)
    random.shuffle(moved)
    assert touched(moved, values) == []


@given(VALUES, VALUES)
def test_every_element_was_one_element_at_most(now: list[Any], then: list[Any]) -> None:
    before = [old for _, _, old in _elements(now, then) if old is not MISSING]
    left = list(then)
    for each in before:
        left.remove(each)


def test_a_named_element_keeps_what_is_below_it() -> None:
    now = {"containers": [{"name": "side"}, {"name": "train", "image": "b"}]}
    then = {"containers": [{"name": "train", "image": "a"}]}
    assert _pair(now, then, ("containers", 1, "image")) == ("b", "a")
    assert _pair(now, then, ("containers", 0)) == ({"name": "side"}, MISSING)
    assert _pair(now, then, ("containers", 7, "x")) == (MISSING, MISSING)
