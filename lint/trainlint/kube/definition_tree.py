"""The structure that a CustomResourceDefinition gives its kind, as a schema that objects can be judged by.

It reads what the API server reads (k8s.io/apiextensions-apiserver:pkg/apiserver/schema), and raises for what that
refuses, or what is too large: a structure counts as a whole or not at all. Regular expressions become rules in CEL,
which matches them as Go does and in linear time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from trainlint.finding import Path

__all__ = ["DefinitionError", "Tree", "definition_tree"]

Tree = dict[str, Any]

_DEEPEST: Final = 50
_NODES: Final = 20_000
_RULES: Final = 2_000
_TYPES: Final = frozenset({"array", "boolean", "integer", "number", "object", "string"})
_SIZES: Final = ("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties")
_BOUNDS: Final = ("maximum", "minimum", "multipleOf")
_FORMS: Final = frozenset({"byte", "date", "date-time", "duration"})
"""Formats of which CEL reads the values as another type."""
_SHAPES: Final = {
    "byte": r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$",
    "cidr": r"/[0-9]{1,3}$",
    "date": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "date-time": r"(?i)^[0-9]{4}-[0-9]{2}-[0-9]{2}[t ][0-9]{2}:[0-9]{2}:[0-9]{2}",
    "ipv4": r"^[0-9]{1,3}([.][0-9]{1,3}){3}$",
    "ipv6": r":",
    "uuid": r"(?i)^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$",
}
"""What a text of a format surely looks like."""
_JUNCTIONS: Final = ("allOf", "anyOf", "oneOf")
_OF_OBJECTS: Final = ("apiVersion", "kind", "metadata")


class DefinitionError(Exception):
    """A structure that is none, or that is too large to be judged here; ``path`` is the place in it."""

    def __init__(self, why: str, path: Path) -> None:
        super().__init__(why)
        self.why = why
        self.path = path


def definition_tree(written: Any, *, everything: bool = False) -> Tree:
    """What the objects of a kind must be; ``everything``: unknown fields are kept.

    ``additionalProperties: false`` stands where the API server drops fields that it does not know.

    Raises:
        DefinitionError: see there.
    """
    reader = _Reader(keeps=everything)
    found = reader.node(written, (), 0)
    fields: Tree = found.setdefault("properties", {})
    fields.update({key: {} for key in (*_OF_OBJECTS, "status")})
    found["required"] = [key for key in found.get("required", ()) if key not in fields or fields[key]]
    return found


class _Reader:
    """Reads one structure, and counts what it reads."""

    def __init__(self, *, keeps: bool) -> None:
        self._keeps = keeps
        self._nodes = 0
        self._rules = 0

    def node(self, written: Any, path: Path, depth: int, *, plain: bool = False) -> Tree:
        """One node with all below it; ``plain``: below a junction, where values alone are judged.

        Raises:
            DefinitionError: see there.
        """
        self._count(depth, path)
        if not isinstance(written, dict):
            raise DefinitionError("it must be a mapping", path)
        found = _values(written, path)
        if "type" in found and _is(written, "x-kubernetes-int-or-string"):
            del found["type"]
        fields = _mapping(written, "properties", path)
        below = {
            name: self.node(each, (*path, "properties", name), depth + 1, plain=plain) for name, each in fields.items()
        }
        if below:
            found["properties"] = below
        if "required" in found:  # null is a value of what may be null
            found["required"] = [key for key in found["required"] if not _is(fields.get(key, {}), "nullable")]
        if isinstance(written.get("items"), dict):
            found["items"] = self.node(written["items"], (*path, "items"), depth + 1, plain=plain)
        rest = written.get("additionalProperties")
        if isinstance(rest, dict):
            found["additionalProperties"] = self.node(rest, (*path, "additionalProperties"), depth + 1, plain=plain)
        self._junctions(found, written, path, depth)
        if not plain:
            self._of_kubernetes(found, written, path)
        return found

    def _count(self, depth: int, path: Path) -> None:
        self._nodes += 1
        if depth > _DEEPEST or self._nodes > _NODES:
            raise DefinitionError("it is larger than what is judged here", path if depth <= _DEEPEST else ())

    def _junctions(self, found: Tree, written: Mapping[str, Any], path: Path, depth: int) -> None:
        if _is(written, "x-kubernetes-int-or-string"):
            return
        for key in _JUNCTIONS:
            branches = written.get(key)
            if branches is not None:
                if not isinstance(branches, list) or not branches:
                    raise DefinitionError(f"{key} must be a list", (*path, key))
                found[key] = [
                    self.node(each, (*path, key, index), depth + 1, plain=True) for index, each in enumerate(branches)
                ]
        if "not" in written:
            found["not"] = self.node(written["not"], (*path, "not"), depth + 1, plain=True)

    def _of_kubernetes(self, found: Tree, written: Mapping[str, Any], path: Path) -> None:
        """What is Kubernetes' own: rules, defaults, lists without duplicates, fields that are dropped."""
        if "default" in written:
            found["default"] = written["default"]
        form = "number" if found.get("type") == "number" else written.get("format")
        if form == "number" or form in _FORMS:
            found["form"] = form
        if rules := [*self._matches(written, path), *self._of_cel(written, path)]:
            found["rules"] = rules
        kind = written.get("x-kubernetes-list-type")
        if kind in ("map", "set"):
            found["unique"] = _texts(written, "x-kubernetes-list-map-keys", path) if kind == "map" else []
        embedded = _is(written, "x-kubernetes-embedded-resource")
        if embedded:
            found["properties"] = {**{key: {} for key in _OF_OBJECTS}, **found.get("properties", {})}
        kept = self._keeps or _is(written, "x-kubernetes-preserve-unknown-fields")
        if found.get("type") == "object" and not kept and "additionalProperties" not in written:
            found["additionalProperties"] = False

    def _matches(self, written: Mapping[str, Any], path: Path) -> list[Tree]:
        """The regular expression of a node, and the shape of its format, as rules."""
        found: list[Tree] = []
        pattern, form = written.get("pattern"), written.get("format")
        if pattern is not None:
            if not isinstance(pattern, str):
                raise DefinitionError("pattern must be text", (*path, "pattern"))
            found.append({"rule": _match(pattern), "pattern": pattern})
        if isinstance(form, str) and form in _SHAPES and written.get("type") == "string":
            found.append({"rule": _match(_SHAPES[form]), "format": form})
        for _ in found:
            self._more_rules(path)
        return found

    def _of_cel(self, written: Mapping[str, Any], path: Path) -> list[Tree]:
        found: list[Tree] = []
        rules = written.get("x-kubernetes-validations", [])
        for number, each in enumerate(rules if isinstance(rules, list) else ()):
            if not isinstance(each, dict) or not isinstance(each.get("rule"), str):
                raise DefinitionError("a rule must be text", (*path, "x-kubernetes-validations"))
            if "oldSelf" not in each["rule"] or _is(each, "optionalOldSelf"):
                self._more_rules(path)
                found.append(_rule(each, number))
        return found

    def _more_rules(self, path: Path) -> None:
        self._rules += 1
        if self._rules > _RULES:
            raise DefinitionError("it has more rules than are judged here", path)


def _rule(written: Mapping[str, Any], number: int) -> Tree:
    """A rule with what it says, by itself or by an expression. Of an object that is created there is no old value,
    which a rule that asks for it as an optional is told.
    """
    said = {key: written[key] for key in ("message", "messageExpression") if isinstance(written.get(key), str)}
    if "oldSelf" in written["rule"]:
        said["bound"] = f"cel.bind(oldSelf, optional.none(), {written['rule']})"
        said.pop("messageExpression", "")
    return {"rule": written["rule"], "message": "", **said, "number": number}


def _match(pattern: str) -> str:
    """The rule that a text matches."""
    return f"self.matches({json.dumps(pattern, ensure_ascii=False)})"  # whose escapes are those of CEL


def _values(written: Mapping[str, Any], path: Path) -> Tree:
    """The keywords about values that JSON Schema has too."""
    found: Tree = {}
    if "type" in written:
        if written["type"] not in _TYPES:
            raise DefinitionError(f"type must be one of {', '.join(sorted(_TYPES))}", (*path, "type"))
        found["type"] = written["type"]
    _take(found, written, path, _SIZES, lambda value: type(value) is int and value >= 0, "a whole number")
    _take(found, written, path, _BOUNDS, lambda value: type(value) in (int, float), "a number")
    _take(found, written, path, ("enum",), lambda value: isinstance(value, list) and bool(value), "a list of values")
    if "required" in written:
        found["required"] = _texts(written, "required", path)
    for bound in ("Minimum", "Maximum"):
        if written.get(f"exclusive{bound}") is True and bound.lower() in found:
            found[f"exclusive{bound}"] = found.pop(bound.lower())
    return found


def _take(
    found: Tree,
    written: Mapping[str, Any],
    path: Path,
    keys: tuple[str, ...],
    fits: Callable[[Any], bool],
    wanted: str,
) -> None:
    for key in keys:
        if written.get(key) is not None:
            if not fits(written[key]):
                raise DefinitionError(f"{key} must be {wanted}", (*path, key))
            found[key] = written[key]


def _is(written: Any, key: str) -> bool:
    return isinstance(written, dict) and written.get(key) is True


def _mapping(written: Mapping[str, Any], key: str, path: Path) -> Mapping[str, Any]:
    found = written.get(key)
    if found is not None and not isinstance(found, dict):
        raise DefinitionError(f"{key} must be a mapping", (*path, key))
    return found or {}


def _texts(written: Mapping[str, Any], key: str, path: Path) -> list[str]:
    found = written.get(key) or []
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise DefinitionError(f"{key} must be a list of names", (*path, key))
    return list(found)
