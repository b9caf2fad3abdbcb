"""Text to values, as Kubernetes reads it: JSON where it is JSON, else YAML."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from trainlint.finding import Path
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import MISSING
from trainlint.source.events import TooDeepError, TooManyDigitsError, YamlError
from trainlint.source.yaml_fast_path import ordinary
from trainlint.source.yaml_tree import MAX_DEPTH
from trainlint.source.yaml_values import MAX_DIGITS, Loaded, build, has_long_number, height

__all__ = ["json_stream", "load", "lost_keys"]

_SURROGATE: Final = lazy_pattern(r"\\u[dD][89a-fA-F]")


def load(text: str) -> Loaded:
    """The value of the first document in ``text``. Raises YamlError and TooDeepError."""
    if text.lstrip().startswith("{"):
        found = list(json_stream(text))
        if len(found) == 1:
            return found[0][1]
    data = ordinary(text) if len(text) <= MAX_DIGITS or not has_long_number(text) else MISSING
    return build(text) if data is MISSING else Loaded(data)


def lost_keys(text: str) -> tuple[Path, ...]:
    """The paths of keys that stand twice in the first document and whose earlier value is lost: it is neither empty nor
    the one that counts. Nothing where the text cannot be read.
    """
    try:
        return build(text).lost
    except (YamlError, TooDeepError):
        return ()


def json_stream(text: str) -> Iterator[tuple[int, Loaded]]:
    """JSON values that follow one another, each with the index of its first character; nothing if ``text`` is no JSON.

    Raises:
        TooDeepError: a value is nested too deeply.
        TooManyDigitsError: a number has too many digits.
    """
    duplicate = False

    def pairs(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal duplicate
        value = dict(entries)
        duplicate |= len(value) != len(entries)
        return value

    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_constant=_refuse, parse_float=_finite)
    found: list[tuple[int, Loaded]] = []
    index, length = _skip(text, 0), len(text)
    while index < length:
        duplicate = False
        try:
            data, end = decoder.raw_decode(text, index)
        except (ValueError, RecursionError):
            return
        if height(data) > MAX_DEPTH:
            raise TooDeepError
        if end - index > MAX_DIGITS and any(has_long_number(each) for each in _texts(data)):
            raise TooManyDigitsError
        if _SURROGATE.search(text, index, end):  # Go's decoder replaces halves of pairs, and they cannot be printed
            whole = json.dumps(data, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            data = json.loads(whole)
        loaded = Loaded(data)
        if duplicate:  # which keys stand twice, only the YAML reader knows
            with suppress(YamlError):
                loaded = Loaded(data, build(text[index:end]).duplicates)
        found.append((index, loaded))
        index = _skip(text, end)
    yield from found


def _texts(data: Any) -> Iterator[str]:
    """All texts of a value, keys among them, that are long enough to hold such a number."""
    if isinstance(data, dict):
        yield from (key for key in data if len(key) > MAX_DIGITS)
        data = list(data.values())
    if isinstance(data, list):
        for each in data:
            yield from _texts(each)
    elif isinstance(data, str) and len(data) > MAX_DIGITS:
        yield data


def _skip(text: str, index: int) -> int:
    """The next index that is no JSON white space."""
    while index < len(text) and text[index] in " \t\n\r":
        index += 1
    return index


def _refuse(constant: str) -> Any:
    raise ValueError(constant)  # NaN and Infinity are Python's, not JSON's


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number
