"""Quantities: ``quantity("40Gi")`` and what is asked of them (k8s.io/apiserver:pkg/cel/library/quantity.go)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from trainlint.cel.opaque import QUANTITY, Opaque, content, opaque
from trainlint.model.quantity import QuantityError, parse_quantity

__all__ = [
    "add",
    "amount",
    "approximate",
    "as_integer",
    "is_integer",
    "is_quantity",
    "quantity",
    "quantity_of",
    "sign",
    "subtract",
]

_INTEGERS: Final = range(-(2**63), 2**63)


def quantity(text: str) -> Opaque:
    """The quantity that a text is. Raises ValueError if it is none."""
    return quantity_of(parse_quantity(text))


def is_quantity(text: str) -> bool:
    """Whether a text is a quantity."""
    try:
        parse_quantity(text)
    except QuantityError:
        return False
    return True


def amount(value: Any) -> Fraction:
    """The exact amount of a quantity, or of a number beside one, in units of one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    above, below = content(value, QUANTITY)
    return Fraction(int(above), int(below))


def quantity_of(value: Fraction) -> Opaque:
    """The quantity of an exact amount."""
    return opaque(QUANTITY, [str(value.numerator), str(value.denominator)])


def is_integer(value: Opaque) -> bool:
    """Whether it is a whole number of 64 bits."""
    found = amount(value)
    return found.denominator == 1 and found.numerator in _INTEGERS


def as_integer(value: Opaque) -> int:
    """The whole number that it is. Raises ValueError for a fraction."""
    if not is_integer(value):
        raise ValueError("cannot convert value to integer")
    return amount(value).numerator


def approximate(value: Opaque) -> float:
    """The nearest float, in units of one."""
    return float(amount(value))


def sign(value: Opaque) -> int:
    """-1, 0 or 1."""
    found = amount(value)
    return (found > 0) - (found < 0)


def add(one: Opaque, other: Any) -> Opaque:
    """The sum of a quantity and another one, or a number."""
    return quantity_of(amount(one) + amount(other))


def subtract(one: Opaque, other: Any) -> Opaque:
    """The difference of a quantity and another one, or a number."""
    return quantity_of(amount(one) - amount(other))
