"""How a sentence is written in a table, and how it is filled with the values of its ground.

``{0}`` is a value, ``{}`` the next one, ``{0!}`` what would end it. ``[A|B|C]`` is A where none of its values is empty,
else B where none of its own is, else C; ``[A]`` is A or nothing. ``{0?}`` asks for a value without saying it: where one
is asked for in A, B or C, the others may be empty. ``{{`` and ``}}`` are braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from typing import Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["filled", "numbered", "places"]

_OPTIONS: Final = lazy_pattern(r"\[([^\[\]]*)\]")
_NEXT: Final = lazy_pattern(r"(?<!\{)\{\}(?!\})")
_VALUE: Final = lazy_pattern(r"\{(\d+)([?!]?)\}")
_BRACES: Final = lazy_pattern(r"(\{\{|\}\})|\{(\d+)([?!]?)\}")


@lru_cache(maxsize=1024)
def numbered(text: str) -> str:
    """The text with the number of each value written out."""
    numbers = count()
    return _NEXT.sub(lambda _: f"{{{next(numbers)}}}", text)


def places(text: str) -> frozenset[int]:
    """The numbers of the values that a text says or asks for."""
    return frozenset(int(number) for number, _ in _VALUE.findall(numbered(text)))


def filled(text: str, values: Sequence[object], said: Callable[[object], str], ends: Callable[[object], str]) -> str:
    """The text with its values, each as ``said`` says it; ``ends`` says what would end one."""

    def value(place: re.Match[str]) -> str:
        if place[1]:
            return place[1][0]
        found = values[int(place[2])]
        return "" if place[3] == "?" else ends(found) if place[3] else said(found)

    def holds(option: str, *, last: bool) -> bool:
        found = _VALUE.findall(option)
        asked = [each for each in found if each[1] == "?"] or ([] if last else found)
        return all(ends(values[int(n)]) if way == "!" else values[int(n)] for n, way in asked)

    def chosen(options: re.Match[str]) -> str:
        *first, last = options[1].split("|")
        return next((each for each in first if holds(each, last=False)), last if holds(last, last=bool(first)) else "")

    return _BRACES.sub(value, _OPTIONS.sub(chosen, numbered(text)))
