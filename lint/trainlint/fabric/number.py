"""Numbers, levels and words in NCCL's variables, as its releases read them (N 1.2, 2.3; recorded)."""

from __future__ import annotations

from typing import Final

from trainlint.fabric.release import NEWEST, Release
from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["Number", "is_plain_number", "leading_number", "read_disable", "read_flag", "read_level", "read_number"]

_NUMBER: Final = lazy_pattern(r"[ \t\n\v\f\r]*+(?P<sign>[+-]?)(?P<body>0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")
_PLAIN: Final = lazy_pattern(r"-?(0x[0-9a-fA-F]+|0|[1-9][0-9]*)")
_STRICT: Final[Release] = (2, 32)
"""From here on a text without a leading number leaves the default."""
_DIGITS: Final = 100
"""More digits than that make no difference: the number does not fit anyway."""
_LONG: Final = range(-(2**63), 2**63)
_LEVELS: Final = ("LOC", "NVL", "NVB", "PIX", "PXB", "PXN", "PHB", "SYS")
_NEWER_LEVELS: Final = {"C2C": (2, 27), "P2C": (2, 28)}
_OLD_LEVELS: Final = ("LOC", "PIX", "PXB", "PHB", "SYS")


@fact
class Number:
    """What NCCL makes of a value; ``None`` is its default. ``valid`` is whether it takes the text without complaint."""

    value: int | None
    valid: bool = True


def leading_number(text: str) -> int | None:
    """The number that ``strtoll(text, NULL, 0)`` reads, without bounds: octal, hexadecimal, blanks before it; ``None``
    without any digit.
    """
    match = _NUMBER.match(text)
    if match is None:
        return None
    body = match["body"].lower()
    base = 16 if body.startswith("0x") else 8 if len(body) > 1 and body.startswith("0") else 10
    number = int(body[:_DIGITS], base)
    return -number if match["sign"] == "-" else number


def is_plain_number(text: str) -> bool:
    """Whether all parsers read the text as the same number."""
    return _PLAIN.fullmatch(text) is not None


def read_number(text: str, release: Release = NEWEST) -> Number:
    """The value of a numeric variable: empty is the default, and so is what does not fit into 64 bits."""
    if not text:
        return Number(None)
    number = leading_number(text)
    if number is None:
        return Number(None, valid=False) if release >= _STRICT else Number(0)
    return Number(number) if number in _LONG else Number(None, valid=False)


def read_flag(text: str) -> bool | None:
    """A typed boolean (2.30 and newer); ``None`` where the text is none, so that the default stays."""
    return {"1": True, "T": True, "TRUE": True, "0": False, "F": False, "FALSE": False}.get(text.upper())


def read_disable(text: str) -> bool:
    """Whether NCCL_P2P_DISABLE takes effect: for exactly 1, as a 32-bit number."""
    number = max(_LONG.start, min(leading_number(text) or 0, _LONG.stop - 1))
    return number % 2**32 == 1


def read_level(text: str, release: Release = NEWEST) -> str | None:
    """NCCL_P2P_LEVEL and NCCL_NET_GDR_LEVEL: a name in exact case or an old number; ``None`` has no effect."""
    if text in _LEVELS or release >= _NEWER_LEVELS.get(text, (99,)):
        return text
    if text[:1] in set("0123456789"):
        number = leading_number(text) or 0
        return _OLD_LEVELS[min(number % 2**32, len(_OLD_LEVELS) - 1)]
    return None
