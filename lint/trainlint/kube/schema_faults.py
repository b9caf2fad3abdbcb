"""Where a value is not what its JSON Schema says. A quick look decides whether jsonschema is asked, which says all.

The quick look costs a tenth of the validator and never passes what that would refuse: what it does not know (a keyword,
a nesting) it leaves to the validator. So a repository without faults does not even load jsonschema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder

__all__ = ["COMMON", "Schema", "SchemaFault", "schema_faults"]

COMMON: Final = "kubernetes.json"
"""The file of the types that the schemas of all kinds refer to."""

_DEEPEST: Final = 60
_NUMBERS: Final = frozenset({"integer", "number"})
_LOOKED_AT: Final = frozenset(
    {"$defs", "$ref", "$schema", "additionalProperties", "default", "description", "enum", "items", "maxItems"}
    | {"maxLength", "maximum", "minItems", "minLength", "minimum", "pattern", "properties", "required", "title", "type"}
    | {"form", "from", "operator", "release", "rules", "since", "unique"}
)
"""Those of a schema, and what ``kind_limits`` holds beside them, which are looked at elsewhere."""

Schema = Mapping[str, Any]


@fact
class SchemaFault:
    """What a schema refuses at a path: its keyword with what it wants, and what is there.

    ``beside`` are the fields that the schema knows there, for a field that it does not (``additionalProperties``).
    ``text`` is the validator's own sentence.
    """

    path: Path
    keyword: str
    wanted: Any
    found: Any
    text: str
    beside: tuple[str, ...] = ()


def schema_faults(root: Schema, common: Schema, value: Any) -> tuple[SchemaFault, ...]:
    """What a schema refuses of a value, in the order of the value; ``common`` is what stands in COMMON.

    Kubernetes drops a field that is null, so it counts as absent. A placeholder may become a value of any type.
    """
    if _Look(root, common).passes(root, value):
        return ()
    found = _validator(_Held(root), _Held(common)).iter_errors(value)
    told = [_fault(each) for each in found if each.instance is not None]
    return tuple(sorted(told, key=lambda fault: _rank(value, fault.path)))


class _Look:
    """Whether a value surely is what the schema says."""

    def __init__(self, root: Schema, common: Schema) -> None:
        self._root = root
        self._common = common

    def passes(self, node: Schema, value: Any, depth: int = 0) -> bool:
        """False where it is not, and where only the validator can tell."""
        while (to := node.get("$ref")) is not None:
            file, _, name = to.partition("#/$defs/")
            node = (self._common if file else self._root)["$defs"][name]
        if value is None or not node:
            return True
        if depth > _DEEPEST or not node.keys() <= _LOOKED_AT or ("enum" in node and value not in node["enum"]):
            return False
        if isinstance(value, dict):
            return node.get("type", "object") == "object" and self._mapping(node, value, depth)
        if isinstance(value, list):
            items = node.get("items")
            long = node.get("minItems", 0) <= len(value) <= node.get("maxItems", len(value))
            return (node.get("type", "array") == "array" and long) and (
                items is None or all(self.passes(items, each, depth + 1) for each in value)
            )
        return _is_scalar(node, value)

    def _mapping(self, node: Schema, value: Mapping[str, Any], depth: int) -> bool:
        known, rest = node.get("properties", {}), node.get("additionalProperties")
        for key, inner in value.items():
            below = known.get(key)
            if below is None:
                if rest is False:
                    return False
                below = rest
            if isinstance(below, dict) and not self.passes(below, inner, depth + 1):
                return False
        return all(value.get(key) is not None for key in node.get("required", ()))


def _is_scalar(node: Schema, value: Any) -> bool:
    wanted = node.get("type")
    if wanted is not None and _differs(wanted, value):
        return False
    if isinstance(value, str):
        long = node.get("minLength", 0) <= len(value) <= node.get("maxLength", len(value))
        return long and ("pattern" not in node or re.search(node["pattern"], value) is not None)
    if isinstance(value, bool):
        return True
    return bool(node.get("minimum", value) <= value <= node.get("maximum", value))


def _differs(wanted: str, value: Any) -> bool:
    """Whether a value has another type than its schema wants; a whole number may be written as 1.0."""
    if isinstance(value, str):
        return wanted != "string" and value != "" and not is_placeholder(value)
    if isinstance(value, bool):
        return wanted != "boolean"
    if isinstance(value, float) and wanted == "integer":
        return not value.is_integer()
    if isinstance(value, dict):  # a template's {{ name }} reads as a mapping whose key is one
        return wanted != "object" and (wanted != "string" or not any("{" in str(key) for key in value))
    if isinstance(value, list):
        return wanted != "array"
    return wanted not in _NUMBERS


@fact(eq=False)
class _Held:
    """A schema as a key: the same one is compiled once."""

    schema: Schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and self.schema is other.schema


@lru_cache(maxsize=64)
def _validator(root: _Held, common: _Held) -> Any:
    from referencing import Registry  # noqa: PLC0415 (heavy; only for what has a fault)
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415

    registry: Registry[Any] = Registry().with_resource(COMMON, DRAFT202012.create_resource(common.schema))
    of_kubernetes = _dialect()
    return of_kubernetes(root.schema, registry=registry, format_checker=of_kubernetes.FORMAT_CHECKER)


@cache
def _dialect() -> Any:
    """JSON Schema as Kubernetes reads it."""
    from jsonschema import Draft202012Validator, ValidationError, validators  # noqa: PLC0415

    def of_type(_validator: Any, wanted: str, value: Any, _schema: Schema) -> Iterator[ValidationError]:
        if value is not None and _differs(wanted, value):
            yield ValidationError(f"{value!r} is not of type {wanted!r}")

    def additional(validator: Any, rest: Any, value: Any, schema: Schema) -> Iterator[ValidationError]:
        for key, inner in value.items() if isinstance(value, dict) else ():
            if key in schema.get("properties", {}):
                continue
            if isinstance(rest, dict):
                yield from validator.descend(inner, rest, path=key)
            elif rest is False and not key.startswith("$") and not is_placeholder(key):
                yield ValidationError(f"{key!r} is no field here", path=(key,))

    def required(_validator: Any, keys: list[str], value: Any, _schema: Schema) -> Iterator[ValidationError]:
        for key in keys if isinstance(value, dict) else ():
            if value.get(key) is None:
                yield ValidationError(f"{key!r} is a required property", validator_value=key)

    kept: Callable[..., Any] = validators.extend
    return kept(Draft202012Validator, {"type": of_type, "additionalProperties": additional, "required": required})


def _fault(error: Any) -> SchemaFault:
    known = error.schema.get("properties", {}) if error.validator == "additionalProperties" else {}
    path = tuple(error.absolute_path)
    return SchemaFault(path, error.validator, error.validator_value, error.instance, error.message, tuple(known))


def _rank(value: Any, path: Path) -> tuple[int, ...]:
    """Where a path comes in the order in which the value is written."""
    ranks = []
    for step in path:
        if isinstance(value, dict):
            ranks.append(list(value).index(str(step)) if step in value else len(value))
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int):
            ranks.append(step)
            value = value[step]
    return tuple(ranks)
