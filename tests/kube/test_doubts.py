"""Parts of a spec whose value is a placeholder, and what is taken in their place."""

from __future__ import annotations

import pytest

from trainlint.kube.doubts import Doubts
from trainlint.source.document import Document, Field


def field(value: object) -> Field:
    return Document("a.yaml", 0, 1, "", {"part": value}).root["part"]


@pytest.mark.parametrize(
    ("value", "number", "doubted"),
    [(3, 3, False), (0, 0, False), (None, 7, False), ("${N}", 7, True), ("three", 7, True), (3.0, 3, False)],
)
def test_a_number_that_is_not_known_is_the_default(value: object, number: int, doubted: bool) -> None:
    doubts = Doubts()
    assert doubts.number("count", field(value), 7) == number
    assert list(doubts.parts) == ["count"] * doubted


def test_the_default_of_a_number_is_0() -> None:
    doubts = Doubts()
    assert doubts.number("count", field(None)) == 0
    assert doubts.number("count", field("${N}")) == 0


@pytest.mark.parametrize(
    ("value", "flag", "doubted"),
    [(True, True, False), (False, False, False), (None, False, False), ("${F}", False, True), ("true", False, False)],
)
def test_a_flag_that_is_not_known_is_false(value: object, flag: bool, doubted: bool) -> None:
    doubts = Doubts()
    assert doubts.flag("host", field(value)) is flag
    assert list(doubts.parts) == ["host"] * doubted


@pytest.mark.parametrize(
    ("value", "text", "doubted"), [("a", "a", False), (None, "", False), ("x-${N}", "x-${N}", True), (7, "7", False)]
)
def test_a_text_keeps_its_placeholder(value: object, text: str, doubted: bool) -> None:
    doubts = Doubts()
    assert doubts.text("name", field(value)) == text
    assert list(doubts.parts) == ["name"] * doubted


@pytest.mark.parametrize(
    ("value", "doubted"), [("${SPEC}", True), ("plain", False), ({"a": "${B}"}, False), (None, False)]
)
def test_a_structure_is_in_doubt_where_a_placeholder_stands_in_its_place(value: object, doubted: bool) -> None:
    doubts = Doubts()
    assert doubts.note("spec", field(value)).value == value
    assert list(doubts.parts) == ["spec"] * doubted
