"""Numbers, flags and levels as NCCL reads them (N 1.2, 2.3, surprise 8)."""

from __future__ import annotations

import pytest

from trainlint.fabric.number import (
    Number,
    is_plain_number,
    leading_number,
    read_disable,
    read_flag,
    read_level,
    read_number,
)


@pytest.mark.parametrize(
    ("text", "value", "plain"),
    [
        ("0", 0, True),
        ("16", 16, True),
        ("-2", -2, True),
        ("+3", 3, False),
        ("0x10", 16, True),
        ("0X1f", 31, False),
        ("-0x10", -16, True),
        ("010", 8, False),  # octal
        ("08", 0, False),  # the 8 is no octal digit
        (" 7", 7, False),
        ("\t\n7", 7, False),
        ("1 ", 1, False),
        ("1M", 1, False),
        ("1;2", 1, False),
        ("1.5", 1, False),
        ("", None, False),
        ("true", None, False),
        ("-", None, False),
        ("x1", None, False),
    ],
)
def test_a_number_is_what_the_text_begins_with(text: str, value: int | None, plain: bool) -> None:
    assert (leading_number(text), is_plain_number(text)) == (value, plain)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (str(2**63 - 1), Number(2**63 - 1)),
        (str(2**63), Number(None, valid=False)),
        (str(-(2**63)), Number(-(2**63))),
        (str(-(2**63) - 1), Number(None, valid=False)),
        ("", Number(None)),
        ("0x7fffffffffffffff", Number(2**63 - 1)),
        ("0x8000000000000000", Number(None, valid=False)),
    ],
)
def test_what_does_not_fit_into_64_bits_and_what_is_empty_leave_the_default(text: str, number: Number) -> None:
    assert read_number(text) == number


def test_words_are_zero_before_2_32_and_leave_the_default_from_then_on() -> None:
    assert read_number("on", (2, 31, 9)) == Number(0)
    assert read_number("on", (2, 32)) == read_number("on") == Number(None, valid=False)


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        *((each, True) for each in ("1", "T", "t", "TRUE", "True", "true")),
        *((each, False) for each in ("0", "F", "f", "FALSE", "False", "false")),
        *((each, None) for each in ("", "2", "yes", "on", "01", " 1", "TRUE ")),
    ],
)
def test_a_typed_flag_is_one_of_six_words(text: str, flag: bool | None) -> None:
    assert read_flag(text) is flag


@pytest.mark.parametrize(
    ("text", "off"),
    [
        *((each, True) for each in ("1", "1 ", "0x1", "1.5", "4294967297", "01")),
        *((each, False) for each in ("0", "2", "-1", "", "true", "4294967296", "9" * 30)),
    ],
)
def test_peer_to_peer_is_off_for_exactly_one(text: str, off: bool) -> None:
    # Recorded: surprise 8. What does not fit into 64 bits is the largest number, whose last 32 bits are no 1.
    assert read_disable(text) is off


@pytest.mark.parametrize(
    ("text", "level"),
    [
        *((each, each) for each in ("LOC", "NVL", "NVB", "PIX", "PXB", "PXN", "PHB", "SYS", "C2C", "P2C")),
        *(("0", "LOC"), ("1", "PIX"), ("2", "PXB"), ("3", "PHB"), ("4", "SYS"), ("5", "SYS"), ("99", "SYS")),
        *((each, None) for each in ("loc", "Sys", "", "NODE", "-1", " 1")),
    ],
)
def test_a_level_is_a_name_in_exact_case_or_an_old_number(text: str, level: str | None) -> None:
    assert read_level(text) == level


@pytest.mark.parametrize(("text", "first"), [("C2C", (2, 27)), ("P2C", (2, 28))])
def test_newer_levels_have_no_effect_before_their_release(text: str, first: tuple[int, int]) -> None:
    assert read_level(text, first) == text
    assert read_level(text, (first[0], first[1] - 1)) is None
