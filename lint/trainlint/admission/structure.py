"""What the schema of a kind refuses: the API server cannot read the object.

Fields that a kind does not have are a matter of ``Structure.misplaced``; labels, variables and tolerations that only
lack quotes one of kube/strings.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from trainlint.admission.problem import Problem
from trainlint.admission.syntax import meant_to_be_replaced
from trainlint.finding import Path
from trainlint.kube.schema_faults import SchemaFault
from trainlint.kube.structure import Structure
from trainlint.source.document import Field

__all__ = ["of_schema", "problem_of"]

_FREE: Final = frozenset(
    {"annotations", "capacity", "divisor", "hard", "labels", "limits", "matchLabels", "minResources", "nodeSelector"}
    | {"overhead", "requests", "sizeLimit", "status", "storage", "value"}
)
"""Quantities, which may be numbers, and what kube/strings.py reads."""
_WORDS: Final = {"string": "text", "integer": "a whole number", "boolean": "true or false", "array": "a list"}
_WORDS_OF: Final = {**_WORDS, "object": "a mapping", "number": "a number"}
_SHOWN: Final = 8
"""Values that are listed of those that are allowed."""


def of_schema(structure: Structure, item: Field) -> Iterator[Problem]:
    """One for each value that the schema refuses; nothing below it is looked at."""
    for fault in structure.faults(item):
        if fault.keyword == "additionalProperties" or not _FREE.isdisjoint(map(str, fault.path)):
            continue
        if isinstance(fault.found, str) and meant_to_be_replaced(fault.found):
            continue
        yield problem_of(fault)


def problem_of(fault: SchemaFault) -> Problem:
    """What is refused, in words."""
    if fault.keyword == "type":
        return _of_type(fault)
    if fault.keyword == "required":
        key = str(fault.wanted)
        where = ".".join(map(str, (*fault.path, key)))
        return Problem(
            fault.path, f"{where} is missing, and must be there", f"write {key}", f"lacks {where}", lacks=key
        )
    wanted, remedy = _WANTED.get(fault.keyword, _other)(fault)
    why = f"{_where(fault.path)} {wanted}"
    return Problem(fault.path, why, remedy, f"{fault.keyword} {_cause(fault.path)}")


def _of_type(fault: SchemaFault) -> Problem:
    found, wanted = fault.found, fault.wanted
    quoted = wanted == "string" and isinstance(found, (bool, int, float))
    said = f"the {_kind(found)} {_shown(found)}" if not isinstance(found, (dict, list)) else _kind(found)
    why = f"{_where(fault.path)} is {said}, and must be {_WORDS_OF[wanted]}"
    remedy = f'write it in quotes: "{_shown(found)}"' if quoted else f"write {_WORDS_OF[wanted]}"
    put = (fault.path, _shown(found)) if quoted else None
    return Problem(fault.path, why, remedy, f"type {_cause(fault.path)}", put=put)


def _one_of(fault: SchemaFault) -> tuple[str, str]:
    more = f" and {len(fault.wanted) - _SHOWN} more" if len(fault.wanted) > _SHOWN else ""
    values = ", ".join(map(_shown, fault.wanted[:_SHOWN])) + more
    return f"is {_shown(fault.found)}, and must be one of {values}", f"write one of {values}"


def _pattern(fault: SchemaFault) -> tuple[str, str]:
    return f"is {_shown(fault.found)}, and must match {fault.wanted}", "write a value that matches"


def _format(fault: SchemaFault) -> tuple[str, str]:
    return f"is {_shown(fault.found)}, which is no {fault.wanted}", f"write it as {fault.wanted}"


def _limit(least: str, unit: str) -> Callable[[SchemaFault], tuple[str, str]]:
    def said(fault: SchemaFault) -> tuple[str, str]:
        found = len(fault.found) if unit else _shown(fault.found)
        has = f"has {found} {unit}" if unit else f"is {found}"
        return f"{has}, and must {'have' if unit else 'be'} {least} {fault.wanted}", f"{_CHANGE[least]} {fault.wanted}"

    return said


def _other(fault: SchemaFault) -> tuple[str, str]:
    return f"is not what the schema of the kind allows: {fault.text[:200]}", "write what the kind allows there"


_CHANGE: Final = {"at least": "raise it to", "at most": "lower it to", "more than": "raise it above"} | {
    "less than": "lower it below"
}
_WANTED: Final[dict[str, Callable[[SchemaFault], tuple[str, str]]]] = {
    "const": lambda fault: (f"is {_shown(fault.found)}, and must be {_shown(fault.wanted)}", "write that"),
    "enum": _one_of,
    "format": _format,
    "pattern": _pattern,
    "minimum": _limit("at least", ""),
    "maximum": _limit("at most", ""),
    "exclusiveMinimum": _limit("more than", ""),
    "exclusiveMaximum": _limit("less than", ""),
    "minLength": _limit("at least", "characters"),
    "maxLength": _limit("at most", "characters"),
    "minItems": _limit("at least", "elements"),
    "maxItems": _limit("at most", "elements"),
    "minProperties": _limit("at least", "entries"),
    "maxProperties": _limit("at most", "entries"),
}


def _where(path: Path) -> str:
    return ".".join(str(step) for step in path) or "the object"


def _cause(path: Path) -> str:
    return ".".join(str(step) for step in path if isinstance(step, str))[-60:]


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
