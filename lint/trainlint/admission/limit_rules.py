"""The rules in CEL of a CRD (``x-kubernetes-validations``), for objects that are created: no rule about a change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from trainlint.admission.flaws import SchemaFlaw
from trainlint.admission.plain import mapping
from trainlint.admission.problem import Problem
from trainlint.admission.syntax import meant_to_be_replaced
from trainlint.cel.expression import Variables, expression
from trainlint.finding import Path
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.source.document import Field

__all__ = ["of_rules"]

_SELF: Final[Variables] = (("self", "dyn"),)
_GENERATED: Final = "xxxxx"
_CHAIN: Final = lazy_pattern(r"\bself((?:\.\??\w+)+)")
_ESCAPES: Final = (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__"))
_RESERVED: Final = frozenset(
    {"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop"}
    | {"namespace", "null", "package", "return", "true", "var", "void", "while"}
)

Tree = Mapping[str, Any]


def of_rules(tree: Tree, item: Field) -> Iterator[tuple[Problem, Path]]:
    """Each rule that an object breaks, with the path of the value that it is a rule of."""
    if _has_rules(tree):
        whole = _with_defaults(tree, _named(item.value))
        yield from _below(tree, whole, (), item)


def _has_rules(tree: Tree) -> bool:
    return "rules" in tree or any(_has_rules(each) for each in _branches(tree))


def _branches(tree: Tree) -> Iterator[Tree]:
    yield from mapping(tree.get("properties")).values()
    for key in ("items", "additionalProperties"):
        if isinstance(tree.get(key), dict):
            yield tree[key]


def _named(value: Any) -> Any:
    """The object with the name that the API server gives it, and nothing else of its metadata."""
    metadata = mapping(value.get("metadata"))
    name = metadata.get("name") or f"{metadata.get('generateName', '')}{_GENERATED}"
    return {**value, "metadata": {"name": str(name)}}


def _with_defaults(tree: Tree, value: Any) -> Any:
    """A copy without nulls and with the defaults of the CRD."""
    if isinstance(value, dict):
        fields, rest = mapping(tree.get("properties")), mapping(tree.get("additionalProperties"))
        found = {
            key: _with_defaults(mapping(fields.get(key, rest)), each) for key, each in value.items() if each is not None
        }
        for key, each in fields.items():
            if "default" in each and key not in found:
                found[key] = each["default"]
        return found
    if isinstance(value, list):
        return [_with_defaults(mapping(tree.get("items")), each) for each in value]
    return _formed(str(tree.get("form", "")), value)


def _formed(form: str, value: Any) -> Any:
    """A value as CEL reads one of this format."""
    try:
        if form == "date-time" and isinstance(value, str):
            return datetime.fromisoformat(value)
    except ValueError:
        return value
    return float(value) if form == "number" and isinstance(value, int) else value


def _below(tree: Tree, value: Any, path: Path, item: Field) -> Iterator[tuple[Problem, Path]]:
    for rule in tree.get("rules", ()):
        if (problem := _broken(rule, value, path, item)) is not None:
            yield problem, path
    if isinstance(value, dict):
        fields, rest = mapping(tree.get("properties")), tree.get("additionalProperties")
        for key, each in value.items():
            if isinstance(inner := fields.get(key, rest), dict):
                yield from _below(inner, each, (*path, key), item)
    elif isinstance(value, list) and isinstance(tree.get("items"), dict):
        for index, each in enumerate(value):
            yield from _below(tree["items"], each, (*path, index), item)


def _broken(rule: Mapping[str, str], value: Any, path: Path, item: Field) -> Problem | None:
    text = rule["rule"]
    if _is_open(value, text):
        return None
    found = expression(text, _SELF).evaluate({"self": _escaped(value) if "__" in text else value})
    if found.value is True:
        return None
    at = _place(text, path, item)
    where = ".".join(map(str, at)) or "the object"
    said = " ".join(rule.get("message", "").split()).rstrip(".")
    if found.unknown or found.invalid:
        values = (where, repr(text), found.unknown or found.error)
        return Problem(at, Because(SchemaFlaw.RULE_NOT_EVALUATED, values), f"rule {text}", unknown=True)
    return Problem(at, Because(SchemaFlaw.RULE, (where, said, text)), f"rule {text}")


def _place(text: str, path: Path, item: Field) -> Path:
    """The deepest value that is written and that a rule names."""
    best = path
    for match in _CHAIN.finditer(text):
        here = path
        for step in re.findall(r"\w+", match[1]):
            if not item.down(*here, step).present:
                break
            here = (*here, step)
        best = here if len(here) > len(best) else best
    while not item.down(*best).present and best:
        best = best[:-1]
    return best


def _is_open(value: Any, text: str) -> bool:
    """Whether a rule looks at a value that is filled in later."""
    if isinstance(value, str):
        return meant_to_be_replaced(value)
    if isinstance(value, dict):
        return any(
            _is_open(each, text) and (not isinstance(each, str) or _names(text, key)) for key, each in value.items()
        )
    return isinstance(value, list) and any(_is_open(each, text) for each in value)


def _names(text: str, key: str) -> bool:
    return re.search(rf"\b{re.escape(key)}\b", text) is not None


def _escaped(value: Any) -> Any:
    """Fields under the names that rules have for them, too."""
    if isinstance(value, dict):
        found = {key: _escaped(each) for key, each in value.items()}
        return {**{_escape(key): each for key, each in found.items()}, **found}
    return [_escaped(each) for each in value] if isinstance(value, list) else value


def _escape(name: str) -> str:
    if name in _RESERVED:
        return f"__{name}__"
    for plain, escaped in _ESCAPES:
        name = name.replace(plain, escaped)
    return name
