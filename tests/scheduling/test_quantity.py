"""Quantities (S 1.5): exact, in every notation, rounded up."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.scheduling.quantity import QuantityError, milli, parse_quantity, units

NOTATIONS = {
    "512m": Fraction(512, 1000),
    "1": Fraction(1),
    "1.": Fraction(1),
    ".5": Fraction(1, 2),
    "0.1": Fraction(1, 10),
    "1e3": Fraction(1000),
    "1E3": Fraction(1000),
    "1E": Fraction(10**18),
    "2e-3": Fraction(2, 1000),
    "1k": Fraction(1000),
    "1Ki": Fraction(1024),
    "1.5Gi": Fraction(3 * 1024**3, 2),
    "7812.5Ki": Fraction(8_000_000),
    "100u": Fraction(1, 10_000),
    "1n": Fraction(1, 10**9),
    "-1": Fraction(-1),
    "+2": Fraction(2),
    "0.1n": Fraction(1, 10**9),
    "9999999999Ei": Fraction(2**63 - 1),
}


@pytest.mark.parametrize(("text", "value"), NOTATIONS.items())
def test_a_quantity_is_read_exactly(text: str, value: Fraction) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "Gi", "1 Gi", "1gi", "1KI", "1Kib", "1.2.3", "0x10", "1e", "1e+", "1_000", "1,5", "inf", "1e99999", "٣"],
)
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(text)


ROUNDED = [("0.5m", 1, 1), ("1.0001", 1001, 2), ("100u", 1, 1), ("2", 2000, 2)]


@pytest.mark.parametrize(("text", "thousandths", "whole"), ROUNDED)
def test_parts_of_a_unit_are_rounded_up(text: str, thousandths: int, whole: int) -> None:
    assert (milli(text), units(text)) == (thousandths, whole)


suffixes = st.sampled_from(["", "m", "k", "M", "G", "Ki", "Mi", "Gi", "u", "n"])
numbers = st.builds(lambda whole, part: f"{whole}.{part}", st.integers(0, 10**6), st.integers(0, 999))
texts = st.builds(lambda number, suffix: number + suffix, numbers, suffixes)


@given(texts, texts)
def test_rounding_up_keeps_the_order(one: str, other: str) -> None:
    if parse_quantity(one) <= parse_quantity(other):
        assert milli(one) <= milli(other)
        assert units(one) <= units(other)


@given(texts)
def test_rounding_adds_less_than_one_unit(text: str) -> None:
    assert 0 <= milli(text) - parse_quantity(text) * 1000 < 1
    assert 0 <= units(text) - parse_quantity(text) < 1


@given(st.integers(0, 10**12))
def test_notations_of_one_number_are_equal(number: int) -> None:
    assert parse_quantity(f"{number}k") == parse_quantity(f"{number}e3") == parse_quantity(f"{number}000")
    assert parse_quantity(f"{number * 1024}") == parse_quantity(f"{number}Ki")


@given(st.text(max_size=12))
def test_no_text_does_anything_but_parse_or_be_refused(text: str) -> None:
    with contextlib.suppress(QuantityError):
        assert -(2**63) <= parse_quantity(text) < 2**63
