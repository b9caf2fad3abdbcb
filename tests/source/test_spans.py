"""Spans: lines and columns as an editor counts them, for every path of a document."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trainlint.finding import Span
from trainlint.source.document import Document
from trainlint.source.loader import load
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read
from trainlint.source.spans import locate, spans


def document(text, line=1):
    loaded = load(text)
    return Document("a.yaml", 0, line, text, loaded.data, loaded.duplicates)


def cut(text, span):
    """The text that a span covers."""
    lines = text.split("\n")
    if span.line == span.end_line:
        return lines[span.line - 1][span.column - 1 : span.end_column - 1]
    first, *middle, last = lines[span.line - 1 : span.end_line]
    return "\n".join([first[span.column - 1 :], *middle, last[: span.end_column - 1]])


TEXT = """\
kind: Pod
metadata:
  name: "a b"
  labels: {app: x, é😀: y}
spec:
  list:
  - one
  - two: 2
    three: 3
  -   - deep
  args: [a, "b", {c: d}]
  text: |
    line

    line 2

  folded: >-
    x
  empty:
  last: &x 1   # c
"""


@pytest.mark.parametrize(
    ("path", "value", "mark"),
    [
        (("kind",), "Pod", "kind: Pod"),
        (("metadata", "name"), '"a b"', 'name: "a b"'),
        (("metadata",), 'name: "a b"\n  labels: {app: x, é😀: y}', "metadata"),
        (("metadata", "labels"), "{app: x, é😀: y}", "labels: {app: x, é😀: y}"),
        (("metadata", "labels", "é😀"), "y", "é😀: y"),
        (("spec", "list"), None, "list"),
        (("spec", "list", 0), "one", "one"),
        (("spec", "list", 1), "two: 2\n    three: 3", "two: 2"),
        (("spec", "list", 1, "three"), "3", "three: 3"),
        (("spec", "list", 2), "- deep", "- deep"),
        (("spec", "list", 2, 0), "deep", "deep"),
        (("spec", "args", 2), "{c: d}", "{c: d}"),
        (("spec", "args", 2, "c"), "d", "c: d"),
        (("spec", "text"), "|\n    line\n\n    line 2", "text"),
        (("spec", "folded"), ">-\n    x", "folded"),
        (("spec", "empty"), "", "empty:"),
        (("spec", "last"), "&x 1", "last: &x 1"),
        ((), None, "kind: Pod"),
    ],
)
def test_a_path_has_the_span_of_its_value_and_one_to_underline(path, value, mark):
    found = spans(document(TEXT))
    if value is not None:
        assert cut(TEXT, found.value(path)) == value
    assert cut(TEXT, found.mark(path)) == mark


def test_columns_count_characters_from_one():
    found = spans(document("é: 😀\nb: c\n"))
    assert found.value(("é",)) == Span(1, 4, 1, 5)
    assert found.keys(("b",)) == (Span(2, 1, 2, 2),)


def test_lines_count_in_the_file_whatever_the_encoding_and_line_ends():
    content = "\ufeffa: 1\r\n---\r\n# c\r\nkind: Pod\r\nb: 2\r\n".encode("utf-16")
    (found,) = read("a.yaml", content, KindFilter({"Pod"})).documents
    assert locate(found, ("b",)) == (("b",), Span(5, 1, 5, 5))


def test_the_byte_order_mark_is_no_column():
    (found,) = read("a.yaml", b"\xef\xbb\xbfkind: Pod\n", KindFilter({"Pod"})).documents
    assert locate(found, ("kind",))[1] == Span(1, 1, 1, 10)


def test_line_separators_of_yaml_1_1_do_not_move_lines():
    found = spans(document("a: 'x\u2028 b\x85'\n# é\nkey: 1\n"))
    assert found.value(("key",)) == Span(3, 6, 3, 7)


def test_a_missing_path_is_found_at_its_nearest_parent():
    here = document(TEXT)
    assert locate(here, ("spec", "list", 1, "four", "five")) == (("spec", "list", 1), Span(8, 5, 8, 11))
    assert locate(here, ("nothing",)) == ((), Span(1, 1, 1, 10))
    assert locate(here, ("spec", "list", 9)) == (("spec", "list"), Span(6, 3, 6, 7))


def test_of_equal_keys_the_last_is_marked_and_all_are_known():
    text = "a:\n  r: {x: 1, w: 2}\n  b: 1\n  r: {x: 3}\n"
    found = spans(document(text))
    assert [span.line for span in found.keys(("a", "r"))] == [2, 4]
    assert found.mark(("a", "r")).line == 4
    assert found.value(("a", "r", "x")).line == 4
    assert found.value(("a", "r", "w")) is None


def test_a_value_behind_an_alias_stands_where_it_is_written():
    text = "base: &b\n  cpu: 1\n  gpu: {m: 2}\nuse: *b\nmore:\n  <<: *b\n  cpu: 3\nall:\n  <<: [{x: 1}, *b]\n"
    found = spans(document(text))
    assert cut(text, found.value(("use",))) == "*b"
    assert found.value(("use", "cpu")).line == 2
    assert found.value(("more", "gpu", "m")).line == 3
    assert found.value(("more", "cpu")).line == 7
    assert found.value(("all", "x")).line == 9
    assert found.value(("all", "gpu")).line == 3
    assert found.value(("all", "nothing")) is None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("a: &x name\nb:\n  *x : 1\n", "name"),
        ("a: &x 'the name'\nb:\n  *x : 1\n", "the name"),
        ("&x name: q\nb:\n  *x : 1\n", "name"),
        ("a: &x 5\nb:\n  *x : 1\n", "5"),
        ("a: &x !!str name\nb: {*x : 1}\n", "name"),
        ("a: [&x one, &x two]\nb: {*x : 1}\n", "two"),
    ],
)
def test_a_key_may_be_an_alias_of_any_scalar(text, key):
    assert document(text).data["b"] == {key: 1}
    assert cut(text, spans(document(text)).value(("b", key))) == "1"


def test_of_several_merges_the_one_that_wins_is_the_place():
    text = "a: &a {x: 1, w: 1}\nb: &b\n  {x: 2, v: 2}\nc: {<<: [*a, *b]}\nd:\n  <<: *a\n  <<: *b\n"
    here = document(text)
    found = spans(here)
    assert here.data["c"] == {"x": 1, "w": 1, "v": 2}
    assert here.data["d"] == {"x": 2, "w": 1, "v": 2}
    assert [found.value(("c", key)).line for key in "xwv"] == [1, 1, 3]
    assert [found.value(("d", key)).line for key in "xwv"] == [3, 1, 3]


def test_merges_of_merges_are_followed():
    text = "a: &a {x: {w: 1}}\nb: &b\n  <<: *a\n  x: &x\n    <<: [*a]\nc:\n  <<: [*b, *a]\n  x:\n    <<: *x\n    z: 1\n"
    here = document(text)
    found = spans(here)
    assert here.data["c"]["x"] == {"x": {"w": 1}, "z": 1}
    assert found.value(("c", "x", "x", "w")).line == 1
    assert found.value(("c", "x", "q")) is None


def test_a_merge_below_a_key_is_where_its_value_is_written():
    text = "a: &a {x: 1}\nb:\n  x: 2\n  <<: *a\nc:\n  <<: *a\n  x: 3\n"
    here = document(text)
    assert (here.data["b"], here.data["c"]) == ({"x": 1}, {"x": 3}), "go-yaml v2 lets what stands later win"
    assert spans(here).value(("b", "x")).line == 1
    assert spans(here).value(("c", "x")).line == 7


def test_an_alias_of_a_value_whose_key_stands_again_has_places():
    text = "a: &a {x: 1}\na: {w: 2}\nb: *a\n"
    here = document(text)
    assert here.data == {"a": {"w": 2}, "b": {"x": 1}}
    assert spans(here).value(("b", "x")).line == 1
    assert spans(here).value(("a", "x")) is None


def test_a_key_that_stands_twice_in_what_is_merged_in_has_a_place():
    text = "a:\n  <<: {x: 1,\n    x: 2}\n"
    here = document(text)
    (twice,) = here.duplicates
    assert cut(text, locate(here, twice)[1]) == "x: 2"


def test_a_chain_of_merges_may_be_longer_than_the_stack():
    lines = ["a0: &a0 {x: 1}", *(f"a{number}: &a{number} {{<<: *a{number - 1}}}" for number in range(1, 3000))]
    here = Document("a.yaml", 0, 1, "\n".join(lines) + "\n", None)
    assert spans(here).value(("a2999", "x")).line == 1


def test_what_merges_itself_is_not_endless():
    text = "a: &a\n  x: 1\n  <<: *a\n"
    found = spans(Document("a.yaml", 0, 1, text, {"a": {"x": 1}}))
    assert found.value(("a", "x")).line == 2
    assert found.value(("a", "w")) is None


def test_keys_are_those_that_json_has():
    found = spans(document("on: 1\n1.10: 2\n? x\n: 3\n"))
    assert [found.value((key,)).line for key in ("true", "1.1", "x")] == [1, 2, 4]


def test_json_has_spans_too():
    text = '{\n\t"kind": "Pod",\n\t"a": {"b": [1, "\\ud83d\\ude00\x7f", {"c": null}]}\n}'
    (found,) = read("a.json", text.encode(), KindFilter({"Pod"})).documents
    assert locate(found, ("a", "b", 2, "c"))[1] == Span(3, 35, 3, 44)
    text = '{"kind":"Secret"} {"kind":"Pod","x":1}'
    (found,) = read("a.json", text.encode(), KindFilter({"Pod"})).documents
    assert cut(text, locate(found, ("x",))[1]) == '"x":1'


def test_a_document_without_events_is_one_span():
    found = Document("a.json", 0, 3, "{{{", {"a": 1})
    assert locate(found, ("a",)) == ((), Span(3, 1, 3, 4))


def paths(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, child in value.items():
            yield from paths(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from paths(child, (*path, index))


WORDS = st.text("abé😀k ", min_size=1, max_size=6).map(lambda text: "k" + text.strip())
VALUES = st.recursive(
    WORDS | st.integers(0, 99) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=15,
)


@given(st.dictionaries(WORDS, VALUES, min_size=1, max_size=3), st.sampled_from([None, True, False]), st.integers(1, 50))
def test_what_a_span_covers_is_what_the_path_holds(value, flow, line):
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
    found = spans(document(text, line))
    padded = "\n" * (line - 1) + text
    for path in paths(value):
        here = value
        for step in path:
            here = here[step]
        covered = cut(padded, found.value(path))
        if isinstance(here, (str, int)):
            assert load(covered).data == here
        assert cut(padded, found.mark(path))
        if path and isinstance(path[-1], str):
            assert load(cut(padded, found.keys(path)[-1])).data == path[-1]


@given(VALUES, st.sampled_from([None, 1, "\t"]))
def test_every_path_of_json_has_a_span(value, indent):
    text = json.dumps({"a": value}, indent=indent)
    found = spans(document(text))
    assert all(found.value(path) for path in paths({"a": value}))
