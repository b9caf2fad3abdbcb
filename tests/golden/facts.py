"""Facts as text, one value a line, without places and defaults: for golden files that people read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any

from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.source.document import Field as Cursor
from trainlint.wording.because import because_text

__all__ = ["told"]


def told(value: Any, name: str = "") -> Iterator[str]:
    """The lines of a value: ``name: value``, and what it holds below it."""
    short = _short(value)
    if short is not None:
        yield f"{name}: {short}"
        return
    yield f"{name or type(value).__name__}:"
    for key, item in _parts(value):
        yield from (f"  {line}" for line in told(item, key))


def _short(value: Any) -> str | None:
    """The value in one line, where it is a plain one."""
    match value:
        case None | bool() | int() | float() | str():
            return repr(str(value)) if isinstance(value, str) else str(value)
        case Enum():
            return str(value)
        case Undetermined():
            return f"unknown, {because_text(value.why)}"
        case Because():
            return repr(because_text(value))
        case Location():
            return "a place"
        case Cursor():
            return f"{value.value!r}"
        case tuple() | list() | set() | frozenset() if all(_short(each) is not None for each in value):
            texts = [str(_short(each)) for each in value]
            return f"({', '.join(sorted(texts) if isinstance(value, set | frozenset) else texts)})"
        case Mapping() if not value:
            return "{}"
        case _:
            return None


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((str(key) if isinstance(key, str) else str(_short(key)), item) for key, item in value.items())
    elif is_dataclass(value):
        for each in fields(value):
            item = getattr(value, each.name)
            if not isinstance(item, Location) and not _is_default(each, item):
                yield each.name, item
    else:
        yield from ((str(number), item) for number, item in enumerate(value))


def _is_default(each: Field[Any], item: Any) -> bool:
    if each.default is not MISSING:
        return bool(item == each.default and type(item) is type(each.default))
    return each.default_factory is not MISSING and item == each.default_factory()
