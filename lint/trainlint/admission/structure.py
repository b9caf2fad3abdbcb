"""Values of another type than the schema of the kind has at their place: the API server cannot read the object.

Labels, variables and tolerations that only lack quotes are a matter of kube/strings.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.problem import Problem
from trainlint.admission.syntax import meant_to_be_replaced
from trainlint.finding import Path
from trainlint.kube.structure import Structure

__all__ = ["mistyped"]

_DEEPEST: Final = 40
_FREE: Final = frozenset(
    {"annotations", "capacity", "divisor", "hard", "labels", "limits", "matchLabels", "minResources", "nodeSelector"}
    | {"overhead", "requests", "sizeLimit", "status", "storage", "value"}
)
"""Quantities, which may be numbers, and what kube/strings.py reads."""
_WORDS: Final = {"string": "text", "integer": "a whole number", "boolean": "true or false", "array": "a list"}
_WORDS_OF: Final = {**_WORDS, "object": "a mapping", "number": "a number"}


def mistyped(structure: Structure, value: Any) -> Iterator[Problem]:
    """One for each value that has another type; nothing below it is looked at."""
    for path, wanted, found in _walk(structure, structure.root, value, ()):
        where = ".".join(str(step) for step in path)
        quoted = wanted == "string" and isinstance(found, (bool, int, float))
        said = f"the {_kind(found)} {_shown(found)}" if not isinstance(found, (dict, list)) else _kind(found)
        why = f"{where} is {said}, and must be {_WORDS_OF[wanted]}"
        remedy = f'write it in quotes: "{_shown(found)}"' if quoted else f"write {_WORDS_OF[wanted]}"
        cause = ".".join(str(step) for step in path if isinstance(step, str))[-60:]
        yield Problem(path, why, remedy, f"type {cause}", put=(path, _shown(found)) if quoted else None)


def _walk(structure: Structure, node: Mapping[str, Any], value: Any, path: Path) -> Iterator[tuple[Path, str, Any]]:
    node = structure.resolve(node)
    wanted = node.get("type")
    if value is None or wanted is None or len(path) > _DEEPEST:
        return
    if isinstance(value, dict):
        if wanted != "object":
            if wanted != "string" or not any("{" in str(key) for key in value):
                yield path, wanted, value
            return
        known, rest = node.get("properties"), node.get("additionalProperties")
        for key, inner in value.items():
            below = known.get(key) if known is not None else None
            if below is None:
                below = rest if isinstance(rest, dict) else None
            if below is not None and key not in _FREE:
                yield from _walk(structure, below, inner, (*path, key))
    elif isinstance(value, list):
        if wanted != "array":
            yield path, wanted, value
            return
        items = node.get("items")
        if not isinstance(items, dict):
            return
        for index, inner in enumerate(value):
            yield from _walk(structure, items, inner, (*path, index))
    elif _differs(wanted, value):
        yield path, wanted, value


def _differs(wanted: str, value: Any) -> bool:
    """Whether a scalar has another type."""
    if isinstance(value, str):
        return wanted != "string" and value != "" and not meant_to_be_replaced(value)
    if isinstance(value, bool):
        return wanted != "boolean"
    if isinstance(value, (int, float)):
        if wanted == "integer":
            return isinstance(value, float) and not value.is_integer()
        return wanted != "number"
    return False


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "a mapping"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)[:40]
