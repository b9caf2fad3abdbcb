"""Scalars as go-yaml v2 (resolve.go) and sigs.k8s.io/yaml resolve them; test_go_yaml.py has the recorded breadth."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.source.scalars import ScalarError, key, plain, tagged

TAG = "tag:yaml.org,2002:"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("y Y yes Yes YES on On ON true True TRUE", True),
        ("n N no No NO off Off OFF false False FALSE", False),
        ("~ null Null NULL", None),
    ],
)
def test_words_of_yaml_1_1_are_booleans_and_null(words, value):
    assert all(plain(word) is value for word in words.split())
    assert plain("") is None


LOOKALIKES = "yEs tRue nULL oN 10:30 1:30:00 2001-01-01 1.0.0 0o8 0xg 1e _1 3h 1Gi ${N} <n> __N__"


@pytest.mark.parametrize("text", LOOKALIKES.split())
def test_what_only_looks_like_a_word_or_number_stays_text(text):
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [("0777", 511), ("0o17", 15), ("0x1F", 31), ("0b101", 5), ("-0x1", -1), ("1_000", 1000), ("+7", 7), ("0", 0)],
)
def test_integers_of_all_bases(text, value):
    assert plain(text) == value
    assert type(plain(text)) is int


@pytest.mark.parametrize(("text", "value"), [("1e3", 1000.0), ("08", 8.0), ("1.", 1.0), (".5", 0.5), ("-1e-3", -0.001)])
def test_floats(text, value):
    assert plain(text) == value
    assert type(plain(text)) is float


def test_numbers_beyond_64_bits_are_floats_and_beyond_those_text():
    assert plain("18446744073709551615") == 2**64 - 1
    assert type(plain("18446744073709551616")) is float
    assert plain("1e999") == "1e999"
    assert plain("9" * 6000) == "9" * 6000


def test_infinity_and_not_a_number():
    assert plain(".inf") == math.inf
    assert plain("-.Inf") == -math.inf
    assert math.isnan(plain(".NaN"))


def test_a_tag_decides():
    assert tagged(TAG + "str", "yes") == "yes"
    assert tagged(TAG + "int", "0x10") == 16
    assert tagged(TAG + "float", "1") == 1.0
    assert tagged(TAG + "bool", "on") is True
    assert tagged(TAG + "null", "~") is None
    assert tagged(TAG + "binary", "aGVs\nbG8=") == "hello"
    assert tagged("!Ref", "yes") == "yes"
    assert tagged(TAG + "python/name:os.system", "x") == "x"


@pytest.mark.parametrize(
    ("tag", "text"), [("int", "x"), ("bool", "1"), ("null", "x"), ("binary", "?"), ("timestamp", "y")]
)
def test_a_value_that_contradicts_its_tag_is_an_error(tag, text):
    with pytest.raises(ScalarError, match=f"!!{tag}"):
        tagged(TAG + tag, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (False, "false"),
        (1, "1"),
        (1.1, "1.1"),
        (1.0, "1"),
        (1e6, "1e+06"),
        (0.1, "0.1"),
        (16777217.0, "1.6777216e+07"),
        (math.inf, ".inf"),
        (3.5e38, ".inf"),
        (math.nan, ".nan"),
        (-0.0, "-0"),
        ("on", "on"),
    ],
)
def test_keys_become_the_text_that_json_gets(value, text):
    assert key(value) == text


@pytest.mark.parametrize("value", [None, 2**63, [], {}])
def test_keys_that_json_cannot_have_are_errors(value):
    with pytest.raises(ScalarError):
        key(value)


@given(st.text(max_size=12))
def test_any_text_resolves_to_something(text):
    assert isinstance(plain(text), (str, int, float, bool, type(None)))


@given(st.integers(-(2**63), 2**64 - 1))
def test_integers_of_64_bits_are_themselves(number):
    assert plain(str(number)) == number
