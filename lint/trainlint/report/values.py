"""Evidence, witnesses and counterexamples: values of any type as plain data and as text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from typing import Any

from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.wording.because import because_text

__all__ = ["compact", "listed", "plain"]


def plain(value: Any) -> Any:
    """``value`` as JSON has it: mappings with text as keys, lists, text, whole and real numbers, true, false, null."""
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if isfinite(value) else str(value)
        case str():
            return str(value)
        case Undetermined():
            return f"unknown: {because_text(value.why)}"
        case Because():
            return because_text(value)
        case Location():
            return {"file": value.file, "document": value.document, "path": list(value.path)}
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case set() | frozenset():
            return sorted((plain(item) for item in value), key=str)
        case Collection() if not isinstance(value, bytes | bytearray):
            return [plain(item) for item in value]
        case _:
            return str(value)


def compact(value: Any) -> str:
    """``value`` in one line for people: ``a, b`` and ``key=value, key=value``, brackets only inside of another."""
    return _compact(plain(value), nested=False)


def _compact(value: Any, *, nested: bool) -> str:
    match value:
        case dict():
            text = ", ".join(f"{key}={_compact(item, nested=True)}" for key, item in value.items())
            return f"{{{text}}}" if nested or not text else text
        case list():
            text = ", ".join(_compact(item, nested=True) for item in value)
            return f"[{text}]" if nested or not text else text
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


def listed(parts: Sequence[str], number: int) -> str:
    """The first ``number`` of the parts; the others are counted."""
    more = f" and {len(parts) - number} more" if len(parts) > number else ""
    return ", ".join(parts[:number]) + more
