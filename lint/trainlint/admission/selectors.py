"""Selectors of labels, of nodes and of pods (apimachinery: ValidateLabelSelector)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import label_key, label_value
from trainlint.admission.plain_values import elements, known, mapping, text
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["NODE_OPERATORS", "of_label", "of_requirement", "of_selector", "of_values"]

_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS: Final = (*_OPERATORS, "Gt", "Lt")


def of_label(key: str, value: Any, at: Path, where: str) -> Iterator[Problem]:
    """A label that is asked for, with a key or a value that no label has."""
    if not is_placeholder(key) and (wrong := label_key(key)):
        yield Problem(at, Because(PodFlaw.LABEL_KEY_IN, (key, where, wrong)), f"label {key}")
    elif (given := known(value)) and (wrong := label_value(given)):
        yield Problem(at, Because(PodFlaw.LABEL_VALUE_IN, (given, where, wrong)), f"label {key}")


def of_selector(selector: Any, at: Path) -> Iterator[Problem]:
    """What is refused of a selector of labels."""
    for key, value in mapping(mapping(selector).get("matchLabels")).items():
        yield from of_label(key, value, (*at, "matchLabels", key), "a selector")
    for where, requirement in elements(mapping(selector).get("matchExpressions"), *at, "matchExpressions"):
        yield from of_requirement(requirement, where, _OPERATORS)
        yield from of_values(requirement, where)


def of_values(requirement: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """Values of a requirement that no label has."""
    values = requirement.get("values")
    for index, value in enumerate(values if isinstance(values, list) else ()):
        if (given := known(value)) and (wrong := label_value(given)):
            why = Because(PodFlaw.LABEL_VALUE_IN, (given, f"a requirement on {requirement.get('key')}", wrong))
            yield Problem((*at, "values", index), why, f"value {given}")


def of_requirement(requirement: Mapping[str, Any], at: Path, operators: tuple[str, ...]) -> Iterator[Problem]:
    """What is refused of the key, the operator and the number of values of a requirement."""
    key, operator, values = text(requirement.get("key")), text(requirement.get("operator")), requirement.get("values")
    if is_placeholder(key) or is_placeholder(operator) or (values is not None and not isinstance(values, list)):
        return
    count, cause = len(values or ()), f"requirement {key}"
    if not key:
        yield Problem(at, Because(PodFlaw.NO_REQUIREMENT_KEY), cause, lacks="key")
    elif wrong := label_key(key):
        yield Problem((*at, "key"), Because(PodFlaw.KEY, (key, wrong)), cause)
    if operator not in operators:
        place = (*at, "operator") if operator else at
        yield Problem(place, Because(PodFlaw.OPERATOR, (operator, key, tuple(operators))), cause)
    elif operator in {"In", "NotIn"} and not count:
        yield Problem(at, Because(PodFlaw.NO_VALUES, (operator, key)), cause, lacks="values")
    elif operator in {"Exists", "DoesNotExist"} and count:
        yield Problem((*at, "values"), Because(PodFlaw.NEEDLESS_VALUES, (operator, key)), cause)
    elif operator in {"Gt", "Lt"} and count != 1:
        place, lacks = ((*at, "values"), "") if values is not None else (at, "values")
        yield Problem(place, Because(PodFlaw.ONE_NUMBER, (operator, key)), cause, lacks=lacks)
