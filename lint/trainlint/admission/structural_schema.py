"""What the schema of a kind refuses: the API server cannot read the object.

Fields that a kind does not have are a matter of ``Structure.misplaced``; labels, variables and tolerations that only
lack quotes one of kube/strings.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.admission.flaws import SchemaFlaw, ValueType
from trainlint.admission.name_syntax import meant_to_be_replaced
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.schema_faults import SchemaFault
from trainlint.kube.structure import Structure
from trainlint.model.because import Because
from trainlint.model.definition import DefinedVersion, says
from trainlint.source.document import Field

__all__ = ["of_schema", "problem_of"]

_FREE: Final = frozenset(
    {"annotations", "capacity", "divisor", "hard", "labels", "limits", "matchLabels", "minResources", "nodeSelector"}
    | {"overhead", "requests", "sizeLimit", "status", "storage", "value"}
)
"""Quantities, which may be numbers, and what kube/strings.py reads."""
_TYPES: Final = {
    "array": ValueType.A_LIST,
    "boolean": ValueType.TRUE_OR_FALSE,
    "integer": ValueType.A_WHOLE_NUMBER,
    "number": ValueType.A_NUMBER,
    "object": ValueType.A_MAPPING,
    "string": ValueType.TEXT,
}
_SHOWN: Final = 8
"""Values that are listed of those that are allowed."""


def of_schema(structure: Structure, item: Field, version: DefinedVersion | None = None) -> Iterator[Problem]:
    """One for each value that the schema refuses; nothing below it is looked at.

    What the ``version`` of a CRD in the repository says of a value is left to that.
    """
    for fault in structure.faults(item):
        if version is not None and version.tree and says(version, fault.path):
            continue
        if fault.keyword == "additionalProperties" or not _FREE.isdisjoint(map(str, fault.path)):
            continue
        if isinstance(fault.found, str) and meant_to_be_replaced(fault.found):
            continue
        yield problem_of(fault)


def problem_of(fault: SchemaFault) -> Problem:
    """What is refused."""
    if fault.keyword == "required":
        key = str(fault.wanted)
        where = ".".join(map(str, (*fault.path, key)))
        why = Because(SchemaFlaw.REQUIRED, (where, key))
        return Problem(fault.path, why, f"lacks {where}", lacks=key)
    if fault.keyword == "type":
        return _of_type(fault)
    if fault.keyword in ("anyOf", "oneOf", "not"):
        flaw = SchemaFlaw.EXCLUDED_FORM if fault.keyword == "not" else SchemaFlaw.NO_FORM
        return Problem(fault.path, Because(flaw, (_where(fault.path), fault.keyword)), f"form {_cause(fault.path)}")
    why = Because(_FLAWS.get(fault.keyword, SchemaFlaw.OTHER), (_where(fault.path), *_values(fault)))
    return Problem(fault.path, why, f"{fault.keyword} {_cause(fault.path)}")


def _of_type(fault: SchemaFault) -> Problem:
    found, wanted = fault.found, fault.wanted
    quoted = wanted == "string" and isinstance(found, (bool, int, float))
    scalar = not isinstance(found, (dict, list))
    values = (_where(fault.path), _type(found), _shown(found), _TYPES[wanted], quoted, scalar)
    why = Because(SchemaFlaw.TYPE, values)
    put = (fault.path, _shown(found)) if quoted else None
    return Problem(fault.path, why, f"type {_cause(fault.path)}", put=put)


_FLAWS: Final = {
    "const": SchemaFlaw.CONST,
    "enum": SchemaFlaw.ENUM,
    "format": SchemaFlaw.FORMAT,
    "pattern": SchemaFlaw.PATTERN,
    "minimum": SchemaFlaw.MINIMUM,
    "maximum": SchemaFlaw.MAXIMUM,
    "exclusiveMinimum": SchemaFlaw.EXCLUSIVE_MINIMUM,
    "exclusiveMaximum": SchemaFlaw.EXCLUSIVE_MAXIMUM,
    "minLength": SchemaFlaw.MIN_LENGTH,
    "maxLength": SchemaFlaw.MAX_LENGTH,
    "minItems": SchemaFlaw.MIN_ITEMS,
    "maxItems": SchemaFlaw.MAX_ITEMS,
    "minProperties": SchemaFlaw.MIN_PROPERTIES,
    "maxProperties": SchemaFlaw.MAX_PROPERTIES,
    "multipleOf": SchemaFlaw.MULTIPLE,
}
_SIZES: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"})


def _values(fault: SchemaFault) -> tuple[object, ...]:
    """What a sentence names beside the path: what is there, and what is wanted."""
    if fault.keyword not in _FLAWS:
        return (fault.text[:200],)
    if fault.keyword == "enum":
        values = tuple(map(_shown, fault.wanted[:_SHOWN]))
        return _shown(fault.found), values, max(0, len(fault.wanted) - _SHOWN)
    if fault.keyword == "const":
        return _shown(fault.found), _shown(fault.wanted)
    return len(fault.found) if fault.keyword in _SIZES else _shown(fault.found), fault.wanted


def _where(path: Path) -> str:
    return ".".join(str(step) for step in path) or "the object"


def _cause(path: Path) -> str:
    return ".".join(str(step) for step in path if isinstance(step, str))[-60:]


def _type(value: Any) -> ValueType:
    match value:
        case bool():
            return ValueType.BOOLEAN
        case int() | float():
            return ValueType.NUMBER
        case str():
            return ValueType.TEXT
        case list():
            return ValueType.A_LIST
        case _:
            return ValueType.A_MAPPING


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)[:40]
