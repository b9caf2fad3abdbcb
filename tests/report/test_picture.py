"""The layout of pictures: nothing covers anything else, whatever there is to draw."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.report.picture.horizontal_layout import beside
from trainlint.report.picture.layout import Layout, Rect, free_place, wrapped
from trainlint.report.picture.vertical_layout import below
from trainlint.report.picture.view import Arrow, Box, Column, Note, RoleState, View

ARRANGED = pytest.mark.parametrize("arrange", [beside, below])


@st.composite
def views(draw: st.DrawFn) -> View:
    """Some roles in some zones, with some arrows between them."""
    zones = draw(st.integers(1, 4))
    rows = draw(st.integers(1, 4))
    places = [(row, zone) for row in range(rows) for zone in range(zones)]
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, max_size=8, unique=True))
    text = st.text("abc ", max_size=90)
    boxes = tuple(Box(row, f"z{zone}", RoleState.PLACED, f"r{row}", (draw(text),), 0) for row, zone in chosen)
    ends = st.integers(0, len(boxes) - 1)
    lines = st.lists(st.text("TCP0123", min_size=1, max_size=40), min_size=1, max_size=4).map(tuple)
    arrows = st.lists(st.builds(Arrow, ends, ends, st.sampled_from(["good", "bad"]), lines, st.just(0)), max_size=8)
    pools = st.lists(st.lists(text, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)
    columns = tuple(Column(f"z{zone}", f"zone {zone}", None, draw(pools), 0) for zone in range(zones))
    return View("all", "t", columns, boxes, tuple(draw(arrows)), (Note("n"),))


def inside(rect: Rect, outer: Rect) -> bool:
    return rect.x >= outer.x and rect.y >= outer.y and rect.right <= outer.right and rect.bottom <= outer.bottom


def apart(rects: list[Rect]) -> bool:
    return not any(one.meets(other) for one, other in combinations(rects, 2))


@ARRANGED
@settings(max_examples=60)
@given(view=views())
def test_zones_hold_their_pools_and_roles_and_nothing_covers_anything(
    arrange: Callable[[View], Layout], view: View
) -> None:
    found = arrange(view)
    assert arrange(view) == found
    whole = Rect(0, 0, found.width, found.height)
    assert apart(list(found.columns))
    keys = [column.key for column in view.columns]
    for column, zone, pools in zip(view.columns, found.columns, found.pools, strict=True):
        here = [rect for box, rect in zip(view.boxes, found.boxes, strict=True) if box.column == column.key]
        assert all(inside(rect, zone) for rect in (*pools, *here))
        assert apart([*pools, *here])
    assert all(box.column in keys for box in view.boxes)
    labels = [line.label for line in found.lines]
    assert apart([*labels, *found.boxes])
    assert all(inside(rect, whole) for rect in (*labels, *found.columns))


def test_a_label_moves_to_the_nearest_free_place_and_takes_it() -> None:
    taken = [Rect(0, 100, 50, 20)]
    found = free_place(Rect(10, 105, 20, 10, ("x",)), taken)
    assert not any(found.meets(other) for other in taken[:1])
    assert abs(found.y - 105) <= 30
    assert taken[-1] == found


@given(st.text("ab/.= -", max_size=60), st.integers(2, 12), st.integers(1, 4))
def test_lines_are_never_longer_than_they_may_be_and_nothing_is_lost_unmarked(
    text: str, chars: int, lines: int
) -> None:
    found = wrapped(text, chars, lines)
    assert len(found) <= lines
    assert all(len(line) <= chars for line in found)
    if not found[-1].endswith("…"):
        assert "".join("".join(found).split()) == "".join(text.split())


def test_text_that_does_not_fit_is_cut_and_marked() -> None:
    assert wrapped("one two three", 7, 2) == ("one two", "three")
    assert wrapped("one two three four", 7, 2) == ("one two", "three…")
    assert wrapped("abcdefghij", 5, 3) == ("abcde", "fghij")
    assert wrapped("it requires topology.kubernetes.io/zone=a", 20, 9) == (
        "it requires",
        "topology.kubernetes.",
        "io/zone=a",
    )
    assert wrapped("", 5, 3) == ("",)
