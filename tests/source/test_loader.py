"""Values of documents: merge keys, anchors, aliases, tags, duplicates, depth, JSON, and the words of errors."""

import json
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.loader import json_stream, load
from trainlint.source.yaml_tree import MAX_DEPTH


def data(text):
    return load(text).data


def refusal(text):
    with pytest.raises(YamlError) as caught:
        load(text)
    return caught.value


def test_a_merge_key_brings_entries_in_where_it_stands():
    base = "x: &x {a: 1, b: 2}\n"
    assert data(base + "z: {<<: *x, a: 3}")["z"] == {"a": 3, "b": 2}
    assert data(base + "z: {a: 3, <<: *x}")["z"] == {"a": 1, "b": 2}, "go-yaml v2 lets a later merge win"


def test_of_a_list_of_merges_the_earlier_wins():
    assert data("x: &x {a: 1}\ny: &y {a: 2, b: 2}\nz: {<<: [*x, *y]}")["z"] == {"a": 1, "b": 2}


def test_an_anchor_that_stands_twice_is_read_as_the_last_one_above():
    assert data("a: &x 1\nb: *x\nc: &x 2\nd: *x") == {"a": 1, "b": 1, "c": 2, "d": 2}


def test_an_alias_without_an_anchor_names_it():
    error = refusal("a: 1\nb: *absent\n")
    assert "*absent" in error.message
    assert error.index == 8


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: *a}", "&a [&b [*a, *b]]", "a: &a {<<: *a}"])
def test_an_anchor_that_holds_itself_is_an_error_not_a_loop(text):
    assert "holds itself" in refusal(text).message


def test_an_alias_bomb_is_refused_in_no_time():
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 40)]
    begin = time.perf_counter()
    assert "aliases" in refusal("\n".join(lines)).message
    assert time.perf_counter() - begin < 2


def test_aliases_share_their_value():
    loaded = data("a: &x {b: [1]}\nc: *x")
    assert loaded["a"] is loaded["c"]


def test_unknown_tags_are_ignored_and_nothing_is_constructed():
    assert data("a: !ENV [X, false]\nb: !!python/object/apply:os.getcwd []\nc: !Ref x\nd: !x {e: 1}") == {
        "a": ["X", False],
        "b": [],
        "c": "x",
        "d": {"e": 1},
    }


def test_of_equal_keys_the_last_wins_and_the_path_is_recorded():
    loaded = load("a:\n- b: 1\n  c: 2\n  b: 3\na2: {d: 1, d: 2}\non: 1\n'true': 2\n")
    assert loaded.data == {"a": [{"b": 3, "c": 2}], "a2": {"d": 2}, "true": 2}
    assert loaded.duplicates == (("a", 0, "b"), ("a2", "d"), ("true",))


def test_a_key_that_a_merge_also_brings_is_no_duplicate():
    assert load("x: &x {a: 1}\ny: {<<: *x, a: 2}").duplicates == ()


def test_infinity_is_no_value_but_may_be_a_key():
    assert "infinity" in refusal("a: .inf").message
    assert "infinity" in refusal("- [.nan]").message
    assert data(".inf: 1") == {".inf": 1}


@pytest.mark.parametrize("opening", ["[", "- ", "{a: "])
def test_nesting_is_read_up_to_the_limit_and_no_further(opening):
    def nested(depth):
        if opening == "- ":
            return "- " * depth + "x"
        return opening * depth + ("]" if opening == "[" else "}") * depth

    data(nested(MAX_DEPTH))
    with pytest.raises(TooDeepError):
        load(nested(MAX_DEPTH + 1))
    with pytest.raises(TooDeepError):
        load(nested(50_000))


def test_nesting_through_aliases_counts_too():
    lines = ["a0: &a0 [" + "[" * 100 + "]" * 100 + "]"]
    lines += [f"a{level}: &a{level} [*a{level - 1}]" for level in range(1, 200)]
    with pytest.raises(TooDeepError):
        load("\n".join(lines))


def test_json_is_read_as_json():
    assert data('{"a": "\\ud83d\\ude00", "b": "\\/", "c": 1e3, "d": "yes"}') == {
        "a": "😀",
        "b": "/",
        "c": 1000,
        "d": "yes",
    }
    assert data('{"a": "\\ud83d"}') == {"a": "\ufffd"}, "Go replaces half of a pair"
    assert data("{a: yes}") == {"a": True}
    assert data('{"a": .5, }') == {"a": 0.5}


def test_duplicate_keys_of_json_are_recorded():
    loaded = load('{"a": {"b": 1, "b": 2}}')
    assert loaded.data == {"a": {"b": 2}}
    assert loaded.duplicates == (("a", "b"),)


def test_json_values_may_follow_one_another():
    found = list(json_stream('{"a": 1}\n{"b": 2} [3]\n'))
    assert [(index, loaded.data) for index, loaded in found] == [(0, {"a": 1}), (9, {"b": 2}), (18, [3])]


@pytest.mark.parametrize("text", ["", "a: 1", '{"a": 1} x', '{"a": NaN}', '{"a": 1e999}', "{'a': 1}", '{"a": 1,}'])
def test_what_is_no_json_yields_nothing(text):
    assert list(json_stream(text)) == []


def test_json_that_is_nested_too_deeply_says_so():
    with pytest.raises(TooDeepError):
        list(json_stream("[" * 300 + "]" * 300))
    assert list(json_stream("[" * 100_000)) == []


@pytest.mark.parametrize(
    ("text", "advice", "index"),
    [
        ("a: b: c\n", "mapping value is not allowed here: quote", 4),
        ("endpointSelector: matchLabels: {app: x}\n", "mapping value is not allowed here", 29),
        ("a: 1\nb\nc: 2\n", "a key without `:`", 7),
        ("a: - b\n", "a list cannot start on this line", 3),
        ("a: [b\nc: d\n", "add `]` or `,`", 7),
        ("a: {b\nc: d\n", "add `}` or `,`", 7),
        ('a: "b\n', "close its quote", 6),
        ("a:\n\t- b\n", "a tab", 3),
        ("a: @b\n", "`@` cannot start a value: quote", 3),
        ("a: `b`\n", "backquote cannot start a value: quote", 3),
        ('a: "\\q"\n', "double the backslash", 4),
        ("a: !e!x 1\n", "handle is not defined", 3),
        ("a: x\x07y\n", "U+0007 is not allowed", 4),
        ("~: x\n", "a key is empty or null", 0),
        ("? [a]\n: b\n", "a mapping or list stands where a key should be", 2),
        ("<<: 3\n", "`<<` merges a mapping", 4),
        ("a: !!int x\n", "!!int", 3),
    ],
)
def test_an_error_says_where_what_and_how_to_fix_it(text, advice, index):
    error = refusal(text)
    assert advice in error.message
    assert error.index == index


PRINTABLE = st.characters(
    codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\x85\u2028\u2029\ufeff\ufffe\uffff"
)


def documents(texts):
    return st.recursive(
        st.none() | st.booleans() | st.integers(-(2**62), 2**62) | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=12,
    )


ANY_TEXT = documents(st.text(PRINTABLE, max_size=8))
PLAIN_TEXT = documents(st.text(PRINTABLE, max_size=8).map(lambda text: "k" + text))  # not `y`, which PyYAML leaves bare


@given(ANY_TEXT, st.sampled_from([None, True, False]), st.sampled_from(["'", '"']))
def test_what_was_dumped_in_quotes_is_loaded_again(value, flow, style):
    text = yaml.safe_dump(value, default_flow_style=flow, default_style=style, allow_unicode=True)
    assert data(text) == value


@given(PLAIN_TEXT, st.sampled_from([None, True, False]))
def test_what_was_dumped_is_loaded_again(value, flow):
    assert data(yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)) == value


@given(PLAIN_TEXT)
def test_without_libyaml_the_values_are_the_same(value):
    text = yaml.safe_dump(value, allow_unicode=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(yaml, "CSafeLoader")
        assert data(text) == value


@given(ANY_TEXT)
def test_json_that_was_dumped_is_loaded_again(value):
    assert data(json.dumps({"a": value}, indent=1)) == {"a": value}


BAD = ["a: b: c", "a: [b", "a: \x07", "a: *b", 'a: "\\ud800"', "~: x", "{{ x }}: y", "a: !e!x 1"]


@pytest.mark.parametrize("text", BAD)
def test_without_libyaml_errors_are_errors_too(text, monkeypatch):
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert refusal(text).message
