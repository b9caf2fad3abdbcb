"""Admission policies of Kubernetes as they are written (admissionregistration.k8s.io/v1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from trainlint.cel.expression import Expression, Variables, expression
from trainlint.fact import fact
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_text
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Field

__all__ = ["Policy", "Validation", "read_policy", "variable_name"]

_VARIABLES: Final = ("object", "oldObject", "request", "namespaceObject", "authorizer")
_USED: Final = lazy_pattern(r"\bvariables\.(\w+)")


@fact(eq=False)
class Validation:
    """What must hold of an object: the expression, and what is said where it does not."""

    item: Field
    rule: Expression
    message: str = ""
    says: Expression | None = None


@fact(eq=False)
class Policy:
    """A policy: its conditions, variables and validations, and what happens where an expression fails.

    ``params`` is the API version and the kind of its parameters, if it has any.
    """

    name: str
    item: Field
    conditions: tuple[Expression, ...]
    variables: Mapping[str, Expression]
    validations: tuple[Validation, ...]
    fails: bool = True
    params: tuple[str, str] = ("", "")
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def expressions(self) -> int:
        """How many are evaluated for each object."""
        return len(self.conditions) + len(self.variables) + len(self.validations)

    def whole(self, text: str) -> str:
        """An expression with those of the variables that it uses, and of theirs."""
        seen: dict[str, None] = {}
        wanted = _USED.findall(text)
        while wanted:
            name = wanted.pop()
            if name not in seen and name in self.texts:
                seen[name] = None
                wanted.extend(_USED.findall(self.texts[name]))
        return "\n".join((text, *(self.texts[each] for each in seen)))


def variable_name(name: str) -> str:
    """How a variable of the policy is called in its expressions."""
    return f"variables.{name}"


def read_policy(meta: Meta, item: Field) -> Policy:
    """The policy that is written."""
    spec = item["spec"]
    texts = {
        read_text(each["name"]): read_text(each["expression"])
        for each in spec["variables"].elements()
        if read_text(each["name"]).isidentifier()
    }
    kind = spec["paramKind"]
    params = ("params",) if kind.present else ()
    known: Variables = tuple((each, "dyn") for each in (*_VARIABLES, *params, *map(variable_name, texts)))
    conditions = tuple(expression(read_text(each["expression"]), known) for each in spec["matchConditions"].elements())
    return Policy(
        meta.name,
        item,
        conditions,
        {name: expression(text, known) for name, text in texts.items()},
        tuple(_validation(each, known) for each in spec["validations"].elements()),
        fails=read_text(spec["failurePolicy"]) != "Ignore",
        params=(read_text(kind["apiVersion"]), read_text(kind["kind"])),
        texts=texts,
    )


def _validation(item: Field, known: Variables) -> Validation:
    says = read_text(item["messageExpression"])
    return Validation(
        item,
        expression(read_text(item["expression"]), known),
        read_text(item["message"]).strip(),
        expression(says, known) if says else None,
    )
