"""Scalars as Kubernetes resolves them: go-yaml v2 (resolve.go), then sigs.k8s.io/yaml's conversion to JSON."""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from typing import Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["FIRST", "WORDS", "Scalar", "ScalarError", "key", "plain", "tagged"]

Scalar = str | int | float | bool | None

_TAG = "tag:yaml.org,2002:"
WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
"""Plain scalars that are no text, numbers apart."""
FIRST: Final = frozenset("yYnNtTfFoO~+-.0123456789")
"""A plain scalar that begins otherwise is the text that it is."""
_NUMERIC = frozenset("+-0123456789")
_FLOAT = lazy_pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_DOT_FLOAT = lazy_pattern(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?", re.ASCII)
_INTEGER = lazy_pattern(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO]?(?P<oct>[0-7]+)|(?P<dec>0|[1-9][0-9]*))"
)
_DATE = lazy_pattern(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})?)?"
)
_INVALID = lazy_pattern("[\udc80-\udcff]")
_BASES = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}


class ScalarError(Exception):
    """A value that contradicts its tag, or a key that JSON cannot have; the message says which."""


def plain(text: str) -> Scalar:
    """The value of a plain scalar without a tag."""
    if not text:
        return None
    first = text[0]
    if first not in FIRST:
        return text
    if text in WORDS:
        return WORDS[text]
    if first == ".":
        return _float(text.replace("_", ""), text) if _DOT_FLOAT.fullmatch(text) else text
    if first not in _NUMERIC:
        return text
    digits = text.replace("_", "")
    number = _integer(digits)
    if number is not None:
        return number
    return _float(digits, text) if _FLOAT.fullmatch(digits) else text


def tagged(tag: str, text: str) -> Scalar:
    """The value of a scalar with a tag (long form), in whatever style it is written. Raises ScalarError.

    Tags that go-yaml does not know (``!Ref``, ``!!python/name:...``) leave the text as it stands.
    """
    name = tag.removeprefix(_TAG) if tag.startswith(_TAG) else ""
    match name:
        case "binary":
            try:
                content = base64.b64decode(text.replace("\n", ""), validate=True)
                return _INVALID.sub("\ufffd", content.decode("utf-8", "surrogateescape"))  # as Go's JSON encoder does
            except (binascii.Error, ValueError):
                raise ScalarError("a !!binary value must be base64") from None
        case "bool" | "int" | "float" | "null":
            value = plain(text)
            kind = {bool: "bool", int: "int", float: "float", type(None): "null"}.get(type(value), "str")
            if name == "float" and kind == "int" and value is not None and -(2**63) <= int(value) < 2**63:
                return float(value)
            if kind != name:
                raise ScalarError(f"the value {text!r} is no {name}, as its tag !!{name} says: remove the tag")
            return value
        case "timestamp":
            if not _DATE.fullmatch(text):
                raise ScalarError(f"the value {text!r} is no date, as its tag !!timestamp says: remove the tag")
            return text
        case _:
            return text


def key(value: object) -> str:
    """The JSON key that sigs.k8s.io/yaml makes of a key: ``on`` is "true", 1.10 is "1.1". Raises ScalarError."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() if value < 2**63:
            return str(value)
        case float():
            return _float32(value)
        case None:
            raise ScalarError("a key is empty or null: write the key, or quote it")
        case int():
            raise ScalarError(f"the number {value} is too large for a key: quote it")
        case _:
            raise ScalarError(
                "a mapping or list stands where a key should be: quote the text, or render it if it is a template"
            )


def _integer(digits: str) -> int | None:
    """Go's strconv.ParseInt and ParseUint with base 0, 64 bits; ``None`` where both refuse."""
    found = _INTEGER.fullmatch(digits)
    if not found:
        return None
    name = found.lastgroup or "dec"
    if name == "dec" and len(digits) > 21:  # more than 64 bits; Python refuses to convert thousands of digits
        return None
    number = int(found[name], _BASES[name])
    if found["sign"] == "-":
        number = -number
    if -(2**63) <= number < (2**63 if found["sign"] else 2**64):
        return number
    return None


def _float(digits: str, text: str) -> float | str:
    number = float(digits)
    return text if math.isinf(number) else number  # ParseFloat reports the overflow, so the text stays


def _float32(number: float) -> str:
    """Go's strconv.FormatFloat(number, 'g', -1, 32): the shortest text that is the same 32-bit float."""
    if math.isnan(number):
        return ".nan"
    try:
        single = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        single = math.copysign(math.inf, number)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    for precision in range(9):
        text = f"{single:.{precision}e}"
        if struct.unpack("f", struct.pack("f", float(text)))[0] == single:
            break
    exponent = int(text.partition("e")[2])
    if exponent < -4 or exponent >= 6:  # FormatFloat decides by 6 digits where it is asked for the shortest text
        return text
    return f"{float(text):.{max(precision - exponent, 0)}f}"
