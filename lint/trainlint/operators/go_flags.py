"""Command-line flags as the flag package of Go reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

__all__ = ["parsed"]

_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})


def parsed(arguments: Sequence[Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags with what the arguments set; reading ends at a word without a dash and at the first mistake."""
    found = dict(flags)
    for name, value in _pairs([str(each) for each in arguments], flags):
        try:
            found[name] = _read(value, flags[name])
        except ValueError:
            break
    return found


def _pairs(arguments: list[str], flags: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    left = list(arguments)
    while left:
        word = left.pop(0)
        if len(word) < 2 or not word.startswith("-") or word == "--":
            return
        name, given, value = word.removeprefix("-").removeprefix("-").partition("=")
        if name not in flags:
            return
        if not given and flags[name] is not True and flags[name] is not False:
            if not left:
                return
            value = left.pop(0)
        yield name, value if given or not isinstance(flags[name], bool) else "true"


def _read(value: str, default: Any) -> Any:
    if isinstance(default, bool):
        if value not in _TRUE | _FALSE:
            raise ValueError(value)
        return value in _TRUE
    return int(value, 0) if isinstance(default, int) else value
