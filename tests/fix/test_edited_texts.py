"""Whole texts before and after an edit, as a reviewer would write them: in the style of the lines around."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.fix.texts import document

from trainlint.finding import Add, Append, Edit, Location, Move, Put, Quote, Remove, Rename, Span
from trainlint.fix.diff import replaced_lines, unified
from trainlint.fix.edit import edited, with_more
from trainlint.fix.editable_nodes import NotEditableError, parse, resolve
from trainlint.fix.file import rewritten
from trainlint.fix.flow_style import in_order_of
from trainlint.fix.intended_value import equal
from trainlint.fix.layout import Piece, apply, column_of, line_end, line_start
from trainlint.fix.new_document import object_text
from trainlint.fix.snippet import quoted, scalar, style_of
from trainlint.source.document import Document

LONG = "x" * 40


def at(*path: str | int) -> Location:
    return Location("a.yaml", 0, path)


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        # a value in place of another one, with the quotes that stood there
        ("a: 1  # why\n", Put(at("a"), 2), "a: 2  # why\n"),
        ("a: x\n", Put(at("a"), "w"), "a: w\n"),
        ("a: 'x'\n", Put(at("a"), "y"), "a: 'y'\n"),
        ('a: "x"\n', Put(at("a"), "it's"), 'a: "it\'s"\n'),
        ("a: 'x'\n", Put(at("a"), "it's"), "a: 'it''s'\n"),
        ("a: x\n", Put(at("a"), "1"), 'a: "1"\n'),
        ("b: 'x'\na: 1\n", Put(at("a"), "true"), "b: 'x'\na: 'true'\n"),
        ("a: 10%\n", Put(at("a"), "15%"), "a: 15%\n"),
        ("a: x\n", Put(at("a"), True), "a: true\n"),
        ("a: x\n", Put(at("a"), None), "a: null\n"),
        ("a: x\n", Put(at("a"), 1.5), "a: 1.5\n"),
        ("a: x\n", Put(at("a"), []), "a: []\n"),
        ("a: x\n", Put(at("a"), {"b": 1}), "a: {b: 1}\n"),
        ("a:\n", Put(at("a"), 1), "a: 1\n"),
        ("a:  # why\n", Put(at("a"), 1), "a: 1  # why\n"),
        ("a:\nb: 1\n", Put(at("a"), {"c": 1}), "a:\n  c: 1\nb: 1\n"),
        ("a:  # why\nb: 1\n", Put(at("a"), {"c": 1}), "a:  # why\n  c: 1\nb: 1\n"),
        ("a: {b: }\n", Put(at("a", "b"), 1), "a: {b:  1}\n"),
        ("a:\n  b: 1\nc: 2\n", Put(at("a"), {"d": 1}), "a:\n  d: 1\nc: 2\n"),
        ("a:\n  b: 1\nc: 2\n", Put(at("a"), 3), "a: 3\nc: 2\n"),
        ("a:\n- 1\nc: 2\n", Put(at("a"), [3]), "a:\n- 3\nc: 2\n"),
        ("a: null\n", Put(at("a", "b"), 1), "a: {b: 1}\n"),
        ("a: ~\nb: 1\n", Put(at("a", "b", "c"), 1), "a: {b: {c: 1}}\nb: 1\n"),
        ("a:\n", Put(at("a", 0, "b"), 1), "a:\n  - b: 1\n"),
        # one entry more
        ("a: 1\n", Put(at("b"), 2), "a: 1\nb: 2\n"),
        ("a: 1", Put(at("b"), 2), "a: 1\nb: 2"),
        ("a: 1  # why\n# the end\n", Put(at("b"), 2), "a: 1  # why\nb: 2\n# the end\n"),
        ("a:\n    b: 1\n", Put(at("a", "c"), {"d": {"e": 1}}), "a:\n    b: 1\n    c:\n        d:\n            e: 1\n"),
        (
            "a:\n  b: 1\n  # of c\n  c: 2\n",
            Put(at("a", "d"), 3, before=("c",)),
            "a:\n  b: 1\n  d: 3\n  # of c\n  c: 2\n",
        ),
        ("a: 1\nc: 2\n", Put(at("b"), 3, before=("c",)), "a: 1\nb: 3\nc: 2\n"),
        ("# of a\na: 1\nc: 2\n", Put(at("b"), 3, before=("a",)), "b: 3\n# of a\na: 1\nc: 2\n"),
        ("x: 1\nw:\n  # of a\n  a: 1\n", Put(at("w", "b"), 3, before=("a",)), "x: 1\nw:\n  b: 3\n  # of a\n  a: 1\n"),
        ("w:\n# of w\n  a: 1\n", Put(at("w", "b"), 3, before=("a",)), "w:\n# of w\n  b: 3\n  a: 1\n"),
        ("- a: 1\n  c: 2\n", Put(at(0, "b"), 3, before=("a",)), "- a: 1\n  b: 3\n  c: 2\n"),
        ("- a: 1\n", Put(at(0, "b"), [1, {"c": 2}]), "- a: 1\n  b:\n    - 1\n    - c: 2\n"),
        ("x:\n- 1\na: 1\n", Put(at("b"), [1]), "x:\n- 1\na: 1\nb:\n- 1\n"),
        ("a: {b: 1}\n", Put(at("a", "c"), 2), "a: {b: 1, c: 2}\n"),
        ("a: {}\n", Put(at("a", "c"), "d e"), 'a: {c: "d e"}\n'),
        ("a: { }\n", Put(at("a", "c"), 1), "a: {c: 1}\n"),
        ("a: {\n  b: 1\n}\n", Put(at("a", "c"), 2), "a: {\n  b: 1,\n  c: 2\n}\n"),
        ("a: {b: 1,\n    c: 2}\n", Put(at("a", "d"), 3), "a: {b: 1,\n    c: 2,\n    d: 3}\n"),
        ('{"a": {"b": 1}}', Put(at("a", "c"), True), '{"a": {"b": 1, "c": true}}'),
        ('{\n  "a": 1\n}\n', Put(at("b"), {"c": [1]}), '{\n  "a": 1,\n  "b": {\n    "c": [\n      1\n    ]\n  }\n}\n'),
        ('{"a": 1}', Put(at("b"), "é"), '{"a": 1, "b": "é"}'),
        ("a: |+\n  text\n\nb: 1\n", Put(at("c"), 1, before=("b",)), "a: |+\n  text\n\nc: 1\nb: 1\n"),
        ("a: |\n  text\n\nb: 1\n", Put(at("c"), 1, before=("b",)), "a: |\n  text\nc: 1\n\nb: 1\n"),
        ("a:\n  b: 1\n  # deeper\nc: 1\n", Put(at("d"), 1, before=("c",)), "a:\n  b: 1\n  # deeper\nd: 1\nc: 1\n"),
        # one element more
        ("a:\n- x\n", Append(at("a"), "w"), "a:\n- x\n- w\n"),
        ("a:\n  -   x\n", Append(at("a"), "w"), "a:\n  -   x\n  -   w\n"),
        ("a:\n-\n  x: 1\n", Append(at("a"), {"x": 2}), "a:\n-\n  x: 1\n- x: 2\n"),
        ("a:\n- {x: 1}\n", Append(at("a"), {"x": 2}), "a:\n- {x: 1}\n- {x: 2}\n"),
        ("a:\n- x: 1\n  w: 'a'\n", Append(at("a"), {"w": "b", "x": 2}), "a:\n- x: 1\n  w: 'a'\n- x: 2\n  w: 'b'\n"),
        ("a: [1]\n", Append(at("a"), 2), "a: [1, 2]\n"),
        ("a: []\n", Append(at("a"), {"b": 1}), "a: [{b: 1}]\n"),
        ("a: [{x: 1, w: 2}]\n", Append(at("a"), {"w": 3, "x": 4}), "a: [{x: 1, w: 2}, {x: 4, w: 3}]\n"),
        ("b: 1\n", Append(at("a"), "x"), "b: 1\na:\n  - x\n"),
        ("a:\n", Append(at("a"), "x"), "a:\n  - x\n"),
        ("a:\n- x\n# c\n", Append(at("a"), {}), "a:\n- x\n- {}\n# c\n"),
        ("a:\n- x\n", Append(at("a"), [1, 2]), "a:\n- x\n- [1, 2]\n"),
        # away with it
        ("a: 1\nb: 2\nc: 3\n", Remove(at("b")), "a: 1\nc: 3\n"),
        ("a: 1\nb: 2  # why\n", Remove(at("b")), "a: 1\n"),
        ("a: 1\nb: 2", Remove(at("b")), "a: 1"),
        ("a: 1\nb:\n  c: 1\n  d: 2\ne: 1\n", Remove(at("b")), "a: 1\ne: 1\n"),
        ("a:\n  b: 1\nc: 2\n", Remove(at("a", "b")), "a: {}\nc: 2\n"),
        ("a:\n- b\nc: 2\n", Remove(at("a", 0)), "a: []\nc: 2\n"),
        ("a:\n- b: 1\n", Remove(at("a", 0, "b")), "a:\n- {}\n"),
        ("a:\n- b: 1\n  c: 2\n", Remove(at("a", 0, "b")), "a:\n- c: 2\n"),
        ("a:\n- b\n- c\n", Remove(at("a", 0)), "a:\n- c\n"),
        ("a:\n- b\n- c\n", Remove(at("a", 1)), "a:\n- b\n"),
        ("a: {b: 1, c: 2, d: 3}\n", Remove(at("a", "b")), "a: {c: 2, d: 3}\n"),
        ("a: {b: 1, c: 2, d: 3}\n", Remove(at("a", "d")), "a: {b: 1, c: 2}\n"),
        ("a: {b: 1}\n", Remove(at("a", "b")), "a: {}\n"),
        ("a: [1, 2, 3]\n", Remove(at("a", 1)), "a: [1, 3]\n"),
        # another name
        ("a: 1\nb: 2\n", Rename(at("a"), "c"), "c: 1\nb: 2\n"),
        ("'a': 1\n", Rename(at("a"), "c d"), "'c d': 1\n"),
        ("a: 1\n", Rename(at("a"), "on"), '"on": 1\n'),
        ("a: {b: 1}\n", Rename(at("a", "b"), "c"), "a: {c: 1}\n"),
        # somewhere else
        ("a:\n  b: 1  # why\nc:\n  d: 2\n", Move(at("a", "b"), ("c", "b")), "a: {}\nc:\n  d: 2\n  b: 1  # why\n"),
        (
            "a:\n  b:\n    # of c\n    c: 1\n  e: 1\nx: 1\n",
            Move(at("a", "b"), ("b",)),
            "a:\n  e: 1\nx: 1\nb:\n  # of c\n  c: 1\n",
        ),
        ("a:\n  e: 1\nb: 1\nc: 2\n", Move(at("b"), ("a", "f")), "a:\n  e: 1\n  f: 1\nc: 2\n"),
        ("a:\n  e: 1\nb: 1\nc: 2\n", Move(at("b"), ("x", "w")), "a:\n  e: 1\nc: 2\nx:\n  w: 1\n"),
        ("a: {b: 1, c: 2}\nd: 1\n", Move(at("a", "b"), ("b",)), "a: {c: 2}\nd: 1\nb: 1\n"),
        ("a: {b: 1}\nd: 'x'\ne: 1\n", Move(at("d"), ("a", "d")), "a: {b: 1, d: 'x'}\ne: 1\n"),
        ("a: {b: 1}\nd: 2\ne: 1\n", Move(at("d"), ("a", "x", "w")), "a: {b: 1, x: {w: 2}}\ne: 1\n"),
        ("a: {b: 1}\nd:\ne: 1\n", Move(at("d"), ("a", "d")), "a: {b: 1, d: null}\ne: 1\n"),
        ("a:\n- b: 1\n  c: 2\nd: 1\n", Move(at("a", 0, "b"), ("e",)), "a:\n- c: 2\nd: 1\ne: 1\n"),
        (
            "a:\n  b:\n    c: 1\n    # of b\n  d: 1\ne: 1\n",
            Move(at("a", "b"), ("b",)),
            "a:\n  d: 1\ne: 1\nb:\n  c: 1\n  # of b\n",
        ),
        (
            "e: 1\na:\n  d: 1\n  b:\n    c: 1\n    # of b\n",
            Move(at("a", "b"), ("b",)),
            "e: 1\na:\n  d: 1\nb:\n  c: 1\n  # of b\n",
        ),
        ("a:\n  b: 1  # why\nc: 1\n", Remove(at("a", "b")), "a: {}\nc: 1\n"),
        # in quotes
        ("a: 1.10  # why\n", Quote(at("a")), 'a: "1.10"  # why\n'),
        ("b: 'x'\na: yes\n", Quote(at("a")), "b: 'x'\na: 'yes'\n"),
    ],
)
def test_the_whole_text(before: str, edit: Edit, after: str) -> None:
    assert edited(document(before), [edit]).text == after


@pytest.mark.parametrize(
    ("before", "edit", "reason"),
    [
        ("a: 1\n", Put(at("a", "b"), 1), "another kind of value stands on the way"),
        ("a: 1\n", Put(at("a", 0), 1), "another kind of value stands on the way"),
        ("a: [1]\n", Put(at("a", "b"), 1), "another kind of value stands on the way"),
        ("a: [1]\n", Put(at("a", 2), 1), "another kind of value stands on the way"),
        ("b: 1\n", Put(at("a", 1), 1), "another kind of value stands on the way"),
        ("a: {}\n", Append(at("a"), 1), "there is no list"),
        ("a: &x 1\n", Put(at("a"), 2), "an anchor or a tag stands before the value"),
        ("a: |\n  b\n", Put(at("a"), "c"), "the text has several lines"),
        ("a: b\n  c\n", Put(at("a"), "c"), "the text has several lines"),
        ("a:\n  b: 1  # why\n  c: 1\n", Put(at("a"), 1), "it holds a comment, an anchor or a tag"),
        ("a:\n  # why\n  b: 1\n", Remove(at("a", "b")), "a comment stands beside it"),
        ("a: 1\n", Remove(at("a")), "nothing would be left of the document"),
        ("a:\n- b: 1  # why\n  c: 1\n", Remove(at("a", 0, "b")), "a comment stands beside it"),
        ("- - 1\n  - 2\n", Remove(at(0, 0)), "it shares its line with something else"),
        ("a: {b: 1,  # why\n  c: 1}\n", Remove(at("a", "b")), "a comment stands beside it"),
        ("a: {  # why\n}\n", Put(at("a", "b"), 1), "there is a comment between the brackets"),
        ("&x a: 1\n", Rename(at("a"), "b"), "it has no key of its own"),
        ("a: 1\nb: 1\n", Move(at("a"), ("b", "c")), "another kind of value stands on the way"),
        ("a: 1\nb: [1]\n", Move(at("a"), ("b", 1)), "there is no mapping to move it to"),
        ("a: 1\nb: 1\n", Move(at("a"), ("c", 0)), "there is no mapping to move it to"),
        ("a: 1\n", Move(at("a"), ("a", "b")), "something stands there already"),
        ("a: 1\n", Put(at(), 1), "the document as a whole"),
        ("a: 1\na: 2\n", Put(at("a"), 1), "the key a stands twice"),
        ("x: &x {a: 1}\nw:\n  <<: *x\n", Put(at("w", "a"), 2), "a may be merged in from an anchor"),
        ("a: 1\n", Add(at(), {"b": 1}), None),
    ],
)
def test_what_is_refused_says_why(before: str, edit: Edit, reason: str | None) -> None:
    if reason is None:
        assert edited(document(before), [edit]).text == before
        return
    with pytest.raises(NotEditableError) as error:
        edited(document(before), [edit])
    assert reason in str(error.value)


def test_elements_go_from_the_end() -> None:
    text = "a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\nb: 1\n"
    edits = [Remove(at("a", 2)), Put(at("b"), 2), Remove(at("a", 10)), Remove(at("a", 0))]
    assert edited(document(text), edits).text == "a: [1, 3, 4, 5, 6, 7, 8, 9]\nb: 2\n"


@pytest.mark.parametrize(
    ("width", "wide"),
    [(110, False), (111, True)],
)
def test_brackets_that_grow_too_wide_are_broken(width: int, wide: bool) -> None:
    text = "x" * (width - len(f"a: {{b: {LONG}, c: []}}"))
    made = edited(document(f"k: {{z: 1}}\na: {{b: {LONG}}}\n"), [Put(at("a", "c"), [text])]).text
    assert made == (
        f"k: {{z: 1}}\na:\n  b: {LONG}\n  c: [{text}]\n" if wide else f"k: {{z: 1}}\na: {{b: {LONG}, c: [{text}]}}\n"
    )


@pytest.mark.parametrize(("start", "end"), [(0, 3), (4, 7)])
def test_where_lines_begin_and_end(start: int, end: int) -> None:
    text = "abc\ndef"
    for index in range(start, end):
        assert (line_start(text, index), line_end(text, index), column_of(text, index)) == (start, end, index - start)
    assert line_end(text, end) == end
    assert (line_start("\nabc", 1), line_start("\nabc", 3), line_start("\n", 0)) == (1, 1, 0)


def test_pieces_may_not_overlap() -> None:
    assert apply("abcdef", [Piece(4, 5, "X"), Piece(0, 1), Piece(1, 2, "Y")]) == "YcdXf"
    with pytest.raises(NotEditableError, match="two of the edits overlap"):
        apply("abcdef", [Piece(0, 3), Piece(2, 4)])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        ("a/b.c_d-e", "a/b.c_d-e"),
        ("a:b", "a:b"),
        ("a:1", '"a:1"'),
        ("a:", '"a:"'),
        ("10Gi", "10Gi"),
        ("1e3", '"1e3"'),
        ("10", '"10"'),
        ("yes", '"yes"'),
        ("null", '"null"'),
        ("", '""'),
        ("a b", '"a b"'),
        ("a\nb", '"a\\nb"'),
        ("é", '"é"'),
        ("\x85", '"\\u0085"'),
    ],
)
def test_texts_get_quotes_where_they_need_them(value: str, text: str) -> None:
    assert scalar(value) == text
    assert scalar(value, always=True).startswith('"')


@pytest.mark.parametrize(("text", "written"), [("a", "'a'"), ("it's", "'it''s'"), ("a\nb", '"a\\nb"'), ("é", "'é'")])
def test_single_quotes(text: str, written: str) -> None:
    assert quoted(text, "'") == written


@pytest.mark.parametrize(
    ("text", "step", "dash", "quote", "is_json"),
    [
        ("a: 1\n", 2, 2, '"', False),
        ("a:\n    b: 1\n", 4, 2, '"', False),
        ("a:\n  - 1\n", 2, 2, '"', False),
        ("a:\n- 1\n", 2, 0, '"', False),
        ("a:\n   - b:\n        c: 'x'\n", 3, 3, "'", False),
        ("a:\n  b: 1\nc:\n    d: 1\ne:\n    f: 1\n", 4, 2, '"', False),
        ("a:\n            b: 1\nc:\n  d: 1\n", 2, 2, '"', False),
        ("a: 'x'\nb: \"y\"\nc: 'z'\n", 2, 2, "'", False),
        ('{"a": 1}', 2, 2, '"', True),
        ('[{"a": 1}]', 2, 2, '"', True),
        ("{a: 1}", 2, 2, '"', False),
        ('{"a": {b: 1}}', 2, 2, '"', False),
    ],
)
def test_the_style_of_a_text(text: str, step: int, dash: int, quote: str, is_json: bool) -> None:
    style = style_of(text, parse(document(text)))
    assert (style.step, style.dash, style.quote, style.json) == (step, dash, quote, is_json)


def test_keys_come_in_the_order_of_the_element_before() -> None:
    top = parse(document("a:\n- {x: 1, y: 2, z: 3}\n"))
    holder = resolve(top, ("a",))
    assert holder is not None
    assert list(in_order_of(holder, {"z": 1, "w": 2, "x": 3})) == ["x", "z", "w"]
    assert list(in_order_of(holder, {"w": 2, "x": 3})) == ["w", "x"]
    assert in_order_of(holder, 1) == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1, True),
        (1, True, False),
        (1, 1.0, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [1], False),
        ([1, [2]], [1, [True]], False),
        ("a", "b", False),
    ],
)
def test_values_that_are_the_same(one: Any, other: Any, same: bool) -> None:
    assert equal(one, other) is same


@pytest.mark.parametrize(
    ("value", "like", "text"),
    [
        ({"a": {"b": 1}, "c": [1, {"d": 2}]}, None, "a:\n  b: 1\nc:\n- 1\n- d: 2\n"),
        ({"a": {"b": 1}}, "x: {y: 1}\n", "a: {b: 1}\n"),
        ({"a": {"b": 1}}, "x:\n    y: 1\n", "a:\n    b: 1\n"),
        ({"x": {"w": "z"}}, "x:\n  w: 'v'\n", "x:\n  w: 'z'\n"),
        ({"x": ["z"]}, 'x:\n  - "w"\n', "x:\n  - z\n"),
        ({"a": {"b": {"c": {"d": {"e": 1}}}}}, "x: {y: 1}\n", "a:\n  b: {c: {d: {e: 1}}}\n"),
        ({"a": {"b": {"c": {"d": 1}}}}, "x: {y: 1}\n", "a: {b: {c: {d: 1}}}\n"),
        ({"a": {"b": {"c": 1}, "d": 1}}, "x: {y: 1}\n", "a:\n  b: {c: 1}\n  d: 1\n"),
        ({"a": [{"b": 1}, {"c": {"d": 1}}]}, "x: {y: 1}\n", "a:\n  - {b: 1}\n  - c: {d: 1}\n"),
        ({"a": 1}, '{"a": 2}', "a: 1\n"),
    ],
)
def test_an_object_is_written_as_another_one(value: dict[str, Any], like: str | None, text: str) -> None:
    assert object_text(value, None if like is None else document(like)) == text


@pytest.mark.parametrize(("width", "wide"), [(100, False), (101, True)])
def test_brackets_of_a_new_object_stand_on_one_line_up_to_a_width(width: int, wide: bool) -> None:
    text = "x" * (width - len("a: {b: }"))
    made = object_text({"a": {"b": text}}, document("x: {y: 1}\n"))
    assert made == (f"a:\n  b: {text}\n" if wide else f"a: {{b: {text}}}\n")


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a: 1\n", "a: 1\n---\nb: 1\n"),
        ("a: 1", "a: 1\n---\nb: 1"),
        ("", "---\nb: 1\n"),
    ],
)
def test_a_document_more(text: str, after: str) -> None:
    made = with_more(Document("a.yaml", 0, 1, text, None), [Add(at(), {"b": 1})], lambda _: None)
    assert made.text == after


@pytest.mark.parametrize(("file", "text"), [("a.json", "a: 1\n"), ("a.yaml", '{"a": 1}'), ("a.yaml", " [1]")])
def test_json_holds_one_document(file: str, text: str) -> None:
    with pytest.raises(NotEditableError, match="a JSON file holds one document"):
        with_more(document(text, file), [Add(at(), {"b": 1})], lambda _: None)


@pytest.mark.parametrize(
    ("content", "after"),
    [
        (b"a: 1\r\nb: 2\r\n", b"a: 1\r\nx: 1\r\nb: 2\r\n"),
        (b"a: 1\nb: 2\r\n", b"a: 1\nx: 1\nb: 2\r\n"),
        (b"\xef\xbb\xbfa: 1\nb: 2", b"\xef\xbb\xbfa: 1\nx: 1\nb: 2"),
        ("a: 1\nb: 2\n".encode("utf-16"), "a: 1\nx: 1\nb: 2\n".encode("utf-16")),
    ],
)
def test_bytes_that_stay(content: bytes, after: bytes) -> None:
    before = document("a: 1\nb: 2\n" if content.rstrip(b"\x00").endswith(b"\n") else "a: 1\nb: 2")
    made = edited(before, [Put(at("x"), 1, before=("b",))])
    assert rewritten(content, before, made) == after
    assert rewritten(content, before, before) == content


def test_a_document_further_down() -> None:
    content = b"z: 1\n---\na: 1\n---\ny: 1\n"
    before = replace(document("a: 1\n"), line=3)
    assert rewritten(content, before, edited(before, [Put(at("a"), 2)])) == b"z: 1\n---\na: 2\n---\ny: 1\n"
    for line in (1, 2, 9):
        with pytest.raises(NotEditableError, match="the file is another one than was read"):
            rewritten(content, replace(before, line=line), edited(before, [Put(at("a"), 2)]))


SEVEN = "".join(f"{number}\n" for number in range(1, 21))


@pytest.mark.parametrize(
    ("before", "after", "diff"),
    [
        ("a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n"),
        ("a\n", "a\nb\n", "@@ -1 +1,2 @@\n a\n+b\n"),
        ("a\nb\n", "b\n", "@@ -1,2 +1 @@\n-a\n b\n"),
        ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
        ("a", "b\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"),
        ("a\n", "b", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n"),
        (
            SEVEN,
            SEVEN.replace("10\n", "x\n"),
            "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+x\n 11\n 12\n 13\n",
        ),
        (
            SEVEN,
            SEVEN.replace("\n2\n", "\nx\n").replace("19\n", "y\n"),
            "@@ -1,5 +1,5 @@\n 1\n-2\n+x\n 3\n 4\n 5\n@@ -16,5 +16,5 @@\n 16\n 17\n 18\n-19\n+y\n 20\n",
        ),
    ],
)
def test_the_unified_diff(before: str, after: str, diff: str) -> None:
    assert unified("a b.yaml", before.encode(), after.encode()) == f"--- a/a b.yaml\n+++ b/a b.yaml\n{diff}"


@pytest.mark.parametrize(
    ("name", "written"), [("a.yaml", "a/a.yaml"), ('a".yaml', '"a/a\\".yaml"'), ("a\tb", '"a/a\\tb"')]
)
def test_names_in_a_diff(name: str, written: str) -> None:
    assert unified(name, b"a\n", b"b\n").startswith(f"--- {written}\n")


@pytest.mark.parametrize(
    ("before", "after", "replaced"),
    [
        ("a\nb\nc\n", "a\nx\nc\n", [(Span(2, 1, 3, 1), "x\n")]),
        ("a\nb\n", "a\nb\nc\n", [(Span(3, 1, 3, 1), "c\n")]),
        ("a\nb\n", "b\n", [(Span(1, 1, 2, 1), "")]),
        ("a\nbcd", "a\nx", [(Span(2, 1, 2, 4), "x")]),
        ("a\nbcd", "a\nbcd\nx", [(Span(2, 1, 2, 4), "bcd\nx")]),
        ("", "a\n", [(Span(1, 1, 1, 1), "a\n")]),
        ("a\n", "a\n", []),
    ],
)
def test_the_lines_that_are_replaced(before: str, after: str, replaced: list[tuple[Span, str]]) -> None:
    assert list(replaced_lines(before.encode(), after.encode())) == replaced
