"""The rules in CEL of a CRD (``x-kubernetes-validations``), for objects that are created: no rule about a change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from trainlint.admission.flaws import SchemaFlaw
from trainlint.admission.name_syntax import meant_to_be_replaced
from trainlint.admission.plain_values import mapping
from trainlint.admission.problem import Problem
from trainlint.cel.evaluation import Evaluation
from trainlint.cel.expression import Variables, expression, is_installed
from trainlint.effort import StepBudget
from trainlint.finding import Path
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.source.document import Field

__all__ = ["branches", "has_placeholder", "of_rules"]

_SELF: Final[Variables] = (("self", "dyn"),)
_GENERATED: Final = "xxxxx"
_CHAIN: Final = lazy_pattern(r"\bself((?:\.\??\w+)+)")
_LOOP: Final = lazy_pattern(r"\.(?:all|exists|exists_one|existsOne|filter|map|transformList|transformMap)\s*\(")
_MOST: Final = 100_000
_ORDER: Final = "it compares lists that are sets"
_ESCAPES: Final = (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__"))
_RESERVED: Final = frozenset(
    {"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop"}
    | {"namespace", "null", "package", "return", "true", "var", "void", "while"}
)

Tree = Mapping[str, Any]


def of_rules(tree: Tree, item: Field, allowance: StepBudget | None = None) -> Iterator[tuple[Problem, Path]]:
    """Each rule that an object breaks, with the path of the value that it is a rule of.

    Past an ``allowance`` rules are not evaluated, which is told once. Without the library of CEL none is: that is an
    assumption of the whole run (``snapshot/cluster_assumptions.py``).
    """
    if _has_rules(tree):
        whole = _with_defaults(tree, _named(item.value))
        yield from _Rules(item, allowance).below(tree, whole, ())


def _has_rules(tree: Tree) -> bool:
    return "rules" in tree or "unique" in tree or any(_has_rules(each) for each in branches(tree))


def branches(tree: Tree) -> Iterator[Tree]:
    """The schemas of what lies one step below."""
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
                found[key] = _with_defaults(each, each["default"])  # which has defaults of its own inside
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


class _Rules:
    """The rules about one object."""

    def __init__(self, item: Field, allowance: StepBudget | None) -> None:
        self._item = item
        self._allowance = allowance
        self._exhausted = False
        self._sets: dict[int, bool] = {}

    def below(self, tree: Tree, value: Any, path: Path) -> Iterator[tuple[Problem, Path]]:
        """What is broken at a path and below it."""
        for rule in tree.get("rules", ()):
            if (problem := self._broken(rule, tree, value, path)) is not None:
                yield problem, path
        if isinstance(value, dict):
            fields, rest = mapping(tree.get("properties")), tree.get("additionalProperties")
            for key, each in value.items():
                if isinstance(inner := fields.get(key, rest), dict):
                    yield from self.below(inner, each, (*path, key))
        elif isinstance(value, list):
            if (keys := tree.get("unique")) is not None:
                yield from _twice(value, keys, path)
            if isinstance(tree.get("items"), dict):
                for index, each in enumerate(value):
                    yield from self.below(tree["items"], each, (*path, index))

    def _broken(self, rule: Mapping[str, Any], tree: Tree, value: Any, path: Path) -> Problem | None:
        text = rule["rule"]
        if not is_installed():
            return None
        shape = rule.get("pattern") or rule.get("format")
        if shape:
            value = self._item.down(*path).value
        if (shape and not isinstance(value, str)) or _is_open(value, text):
            return None
        if not self._takes(text, value):
            return self._left_out(path)
        variables = {"self": _escaped(value) if "__" in text else value}
        found = self._evaluated(rule, tree, value)
        if found.value is True:
            return None
        at = path if shape else _place(text, path, self._item)
        where = ".".join(map(str, at)) or "the object"
        if found.unknown or found.invalid or (shape and found.error) or "overload" in found.error:
            values = (where, repr(text), found.unknown or found.error)
            return Problem(at, Because(SchemaFlaw.RULE_NOT_EVALUATED, values), f"rule {text}", unknown=True)
        if shape:
            flaw = SchemaFlaw.PATTERN if "pattern" in rule else SchemaFlaw.FORMAT
            return Problem(at, Because(flaw, (where, value[:40], shape)), f"{flaw.name} {where}")
        said = " ".join(_message(rule, variables).split()).rstrip(".")
        return Problem(at, Because(SchemaFlaw.RULE, (where, said, text)), f"rule {text}")

    def _evaluated(self, rule: Mapping[str, Any], tree: Tree, value: Any) -> Evaluation:
        """What a rule comes to. Kubernetes compares lists that are sets without their order, so they are brought into
        one; what else asks for an order of them is left open.
        """
        text = rule["rule"]
        evaluated = expression(rule.get("bound", text), _SELF)
        found = evaluated.evaluate({"self": _escaped(value) if "__" in text else value})
        if not ("==" in text or "!=" in text) or not self._holds_sets(tree):
            return found
        ordered = _ordered(tree, value)
        if ordered == value:
            return found
        again = evaluated.evaluate({"self": _escaped(ordered) if "__" in text else ordered})
        decided = "[" not in text or (found.value is True and again.value is True)
        return again if decided else Evaluation(unknown=_ORDER)

    def _holds_sets(self, tree: Tree) -> bool:
        """Whether lists below are told to be sets, as far as rules look."""
        known = self._sets.get(id(tree))
        if known is None:
            known = "unique" in tree or any(map(self._holds_sets, branches(tree)))
            self._sets[id(tree)] = known
        return known

    def _takes(self, text: str, value: Any) -> bool:
        """Whether the evaluation of a rule is within what is allowed."""
        if self._allowance is None:
            return True
        loops = len(_LOOP.findall(text))
        steps = 1 if not loops else 1 + min(_size(value) ** min(loops, 2), _MOST) // 10
        return not self._exhausted and self._allowance.take(steps)

    def _left_out(self, path: Path) -> Problem | None:
        if self._exhausted:
            return None
        self._exhausted = True
        why = Because(SchemaFlaw.RULES_LEFT_OUT, (".".join(map(str, path)) or "the object",))
        return Problem(path, why, "rules", unknown=True)


def _message(rule: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
    """What a broken rule says: what its expression comes to, else its message."""
    made = rule.get("messageExpression", "")
    found = expression(made, _SELF).evaluate(variables).value if made else None
    if isinstance(found, str) and found.strip() and "\n" not in found.strip():
        return found
    return str(rule.get("message", ""))


def _ordered(tree: Tree, value: Any) -> Any:
    """A copy in which lists that are sets stand in one order, since Kubernetes compares them without their order."""
    if isinstance(value, dict):
        fields, rest = mapping(tree.get("properties")), mapping(tree.get("additionalProperties"))
        return {key: _ordered(mapping(fields.get(key, rest)), each) for key, each in value.items()}
    if isinstance(value, list):
        found = [_ordered(mapping(tree.get("items")), each) for each in value]
        return found if tree.get("unique") is None else sorted(found, key=lambda each: json.dumps(each, default=str))
    return value


def _size(value: Any) -> int:
    """How many values it holds, up to the most that matters."""
    pending, size = [value], 0
    while pending and size < _MOST:
        here = pending.pop()
        size += 1
        if isinstance(here, dict):
            pending += here.values()
        elif isinstance(here, list):
            pending += here
    return size


def _twice(value: list[Any], keys: Sequence[str], path: Path) -> Iterator[tuple[Problem, Path]]:
    """Elements that are there twice: of a set, or of a list whose elements are told apart by some fields."""
    seen: set[str] = set()
    for index, each in enumerate(value):
        told = [mapping(each).get(key) for key in keys] if keys else [each]
        if any(isinstance(part, str) and meant_to_be_replaced(part) for part in told):
            continue
        identity = json.dumps(told, sort_keys=True, default=str)
        if identity in seen and (not keys or isinstance(each, dict)):
            name = ", ".join(f"{key} {part}" for key, part in zip(keys, told, strict=True)) if keys else str(each)[:40]
            at = (*path, index)
            where = ".".join(map(str, path))
            yield Problem(at, Because(SchemaFlaw.DUPLICATE, (where, name)), f"twice {where} {identity[:80]}"), at
        seen.add(identity)


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


def has_placeholder(value: Any) -> bool:
    """Whether any text in a value is filled in later."""
    if isinstance(value, str):
        return meant_to_be_replaced(value)
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(has_placeholder, children))


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
