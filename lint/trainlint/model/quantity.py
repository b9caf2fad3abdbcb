"""Kubernetes quantities, exactly (S 1.5): decimals of any notation to integers, never floats."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Known, Undetermined

__all__ = ["Amount", "QuantityError", "exact", "milli", "parse_quantity", "readable", "units"]

_SHAPE = lazy_pattern(
    r"(?P<sign>[+-]?)(?P<number>[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?P<suffix>[A-Za-z]{0,2}|[eE][+-]?[0-9]+)"
)
_SUFFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 10**3),
    "": Fraction(1),
    **{suffix: Fraction(10 ** (3 * power)) for power, suffix in enumerate("kMGTPE", 1)},
    **{f"{suffix}i": Fraction(1024**power) for power, suffix in enumerate("KMGTPE", 1)},
}
_NANO = 10**9
_MOST = Fraction(2**63 - 1)
_DIGITS = 1000
_EXPONENT_DIGITS = 3
"""Longer exponents than this are beyond any capped value; they must not cost memory."""


@fact
class Amount:
    """An amount of a resource, as the filters count it: ``readable`` says it as people write it."""

    resource: str
    number: int


class QuantityError(ValueError):
    """The text is no quantity; the API server refuses the object."""


@lru_cache(maxsize=16384)
def parse_quantity(text: str) -> Fraction:
    """The exact value, in units of one (bytes of memory, cores of a CPU).

    Finer parts than 1e-9 are rounded up, more than 2^63-1 is capped, as upstream does.

    Raises QuantityError if the text is no quantity.
    """
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise QuantityError(f"{text!r} is no quantity")
    if len(shape["number"]) > _DIGITS:
        raise QuantityError("a number of so many digits is no quantity")
    suffix = shape["suffix"]
    scale = _SUFFIXES.get(suffix)
    if scale is None:
        if suffix[0] not in "eE" or len(suffix) == 1 or not suffix[-1].isdigit():
            raise QuantityError(f"{text!r} is no quantity: unknown suffix {suffix!r}")
        if len(suffix.lstrip("eE+-")) > _EXPONENT_DIGITS:
            raise QuantityError(f"{text!r} is no quantity: the exponent is out of range")
        scale = Fraction(10) ** int(suffix[1:])
    value = min(_round_up(Fraction(shape["number"].rstrip(".")) * scale, _NANO), _MOST)
    return -value if shape["sign"] == "-" else value


def milli(text: str) -> int:
    """The value in thousandths, rounded up: what defaulting makes of every quantity in a pod or node."""
    return _ceil(parse_quantity(text) * 1000)


def units(text: str) -> int:
    """The value in whole units, rounded up."""
    return _ceil(parse_quantity(text))


def _ceil(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)


def _round_up(value: Fraction, denominator: int) -> Fraction:
    return Fraction(_ceil(value * denominator), denominator)


def readable(resource: str, amount: int) -> str:
    """An amount in the units of Requests as people write it: cpu in cores, bytes in the largest whole binary unit."""
    if resource == "cpu":
        return f"{amount // 1000}" if amount % 1000 == 0 else f"{amount / 1000:.3f}".rstrip("0")
    if resource in {"memory", "ephemeral-storage"} or resource.startswith("hugepages-"):
        for unit, size in (("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
            if amount and amount % size == 0:
                return f"{amount // size}{unit}"
    return str(amount)


def exact(amount: Known[str] | None) -> Fraction | None:
    """The amount, in units of one; ``None`` where there is none, or it is unknown or no quantity."""
    if amount is None or isinstance(amount, Undetermined):
        return None
    try:
        return parse_quantity(amount)
    except QuantityError:
        return None
