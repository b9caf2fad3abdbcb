"""Whether one name was probably meant where another one stands."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trainlint.kube.names import distance
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["misspelt", "only_meant", "probably_meant"]

_NUMBER = lazy_pattern(r"\d+")
_FARTHEST = 2


def misspelt(written: str, meant: str) -> bool:
    """Whether a name is at most two letters off another one: no other number, and no other last word of one letter
    (``zone-a`` and ``zone-b`` are two zones, and no slip of the pen).
    """
    if not written or not meant or written == meant or _NUMBER.findall(written) != _NUMBER.findall(meant):
        return False
    one, other = (re.split(r"[^A-Za-z]+", each.lower()) for each in (written, meant))
    if len(one) == len(other) and any(a != b and len(a) == len(b) <= 2 for a, b in zip(one, other, strict=True)):
        return False
    return distance(written, meant) <= min(_FARTHEST, max(len(written) // 3, 1))


def only_meant(written: str, names: Iterable[str]) -> str:
    """The one of some names that was probably meant; empty if there is none, or a choice."""
    found = [each for each in dict.fromkeys(names) if misspelt(written, each)]
    return found[0] if len(found) == 1 else ""


def probably_meant(written: str, names: Iterable[str]) -> str:
    """The same, or the only one of which the name is the beginning or that begins it, up to a dash (``cheap`` and
    ``cheap-flavor``).
    """
    others = [each for each in dict.fromkeys(names) if each and each != written]
    near = only_meant(written, others)
    longer = [each for each in others if each.startswith(f"{written}-") or written.startswith(f"{each}-")]
    return near or (longer[0] if written and len(longer) == 1 else "")
