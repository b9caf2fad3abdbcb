"""How a sentence is written in a table, and how it is filled with the values of its ground.

``{0}`` is a value, ``{}`` the next one, ``{0!}`` what would end it. ``[A|B|C]`` is the first of these in which no value
is empty, nothing where there is none. ``{0?}`` in brackets asks for a value and does not say it. ``{{`` and ``}}`` are
braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from typing import Final

__all__ = ["filled", "numbered", "places"]

_OPTIONS: Final = re.compile(r"\[([^\[\]]*)\]")
_NEXT: Final = re.compile(r"(?<!\{)\{\}(?!\})")
_VALUE: Final = re.compile(r"\{(\d+)([?!]?)\}")
_BRACES: Final = re.compile(r"(\{\{|\}\})|\{(\d+)([?!]?)\}")


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

    def holds(option: str) -> bool:
        return all(ends(values[int(n)]) if way == "!" else values[int(n)] for n, way in _VALUE.findall(option))

    def chosen(options: re.Match[str]) -> str:
        return next(filter(holds, options[1].split("|")), "")

    return _BRACES.sub(value, _OPTIONS.sub(chosen, numbered(text)))
