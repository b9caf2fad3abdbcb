"""Where a pod wants to be: node selectors, affinity, tolerations, spread constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.plain import elements, known, mapping, number, text
from trainlint.admission.problem import Problem
from trainlint.admission.syntax import label_key, label_value
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder

__all__ = ["of_placement"]

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS: Final = ("Exists", "Equal", "Lt", "Gt")
_UNSATISFIABLE: Final = ("DoNotSchedule", "ScheduleAnyway")
_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS: Final = (*_LABEL_OPERATORS, "Gt", "Lt")


def of_placement(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """What is refused of a pod's wishes for a place."""
    for key, value in mapping(spec.get("nodeSelector")).items():
        yield from _label(key, value, (*path, "nodeSelector", key), "nodeSelector")
    for at, toleration in elements(spec.get("tolerations"), *path, "tolerations"):
        yield from _toleration(toleration, at)
    seen: set[tuple[str, str]] = set()
    for at, constraint in elements(spec.get("topologySpreadConstraints"), *path, "topologySpreadConstraints"):
        yield from _spread(constraint, at, seen)
    yield from _affinity(mapping(spec.get("affinity")), (*path, "affinity"))


def _label(key: str, value: Any, at: Path, where: str) -> Iterator[Problem]:
    if not is_placeholder(key) and (wrong := label_key(key)):
        yield Problem(at, f"{key} in {where} is no key of a label: {wrong}", "correct the key", f"label {key}")
    elif (given := known(value)) and (wrong := label_value(given)):
        why = f"{given} in {where} is no value of a label: {wrong}"
        yield Problem(at, why, "correct the value", f"label {key}")


def _toleration(toleration: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    key, value = text(toleration.get("key")), text(toleration.get("value"))
    operator, effect = text(toleration.get("operator")), text(toleration.get("effect"))
    if any(is_placeholder(each) for each in (key, value, operator, effect)):
        return
    cause = f"toleration {key}"
    if operator and operator not in _OPERATORS:
        why = f"{operator} is no operator of a toleration: there are Exists and Equal"
        yield Problem((*at, "operator"), why, "write Exists, or Equal with a value", cause)
    elif not key and operator != "Exists":
        yield Problem(
            at, "a toleration without a key must have the operator Exists", "name the key", cause, lacks="key"
        )
    elif operator == "Exists" and value:
        why = (
            f"the toleration of {key or 'every taint'} has the operator Exists and the value {value}, which excludes it"
        )
        yield Problem((*at, "value"), why, "remove the value, or write the operator Equal", cause)
    elif key and (wrong := label_key(key)):
        yield Problem((*at, "key"), f"{key} is no key of a taint: {wrong}", "correct the key", cause)
    elif operator in {"", "Equal"} and (wrong := label_value(value)):
        yield Problem((*at, "value"), f"{value} is no value of a taint: {wrong}", "correct the value", cause)
    if effect and effect not in _EFFECTS:
        why = f"{effect} is no effect of a taint: there are {', '.join(_EFFECTS)}"
        yield Problem((*at, "effect"), why, "write one of them", f"effect {effect}")
    elif toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        why = f"the toleration of {key} has tolerationSeconds, which only the effect NoExecute may have"
        yield Problem((*at, "tolerationSeconds"), why, "remove it, or write the effect NoExecute", f"seconds {key}")


def _spread(constraint: Mapping[str, Any], at: Path, seen: set[tuple[str, str]]) -> Iterator[Problem]:
    key, when = text(constraint.get("topologyKey")), text(constraint.get("whenUnsatisfiable"))
    skew, domains = constraint.get("maxSkew"), number(constraint.get("minDomains"))
    if is_placeholder(key) or is_placeholder(when):
        return
    if not key:
        yield Problem(
            at, "a topologySpreadConstraint has no topologyKey", "name the label", "spread", lacks="topologyKey"
        )
    if when not in _UNSATISFIABLE:
        found = f"is {when}" if when else "is missing"
        why = f"whenUnsatisfiable of the spread over {key} {found}, and must be {' or '.join(_UNSATISFIABLE)}"
        place = (*at, "whenUnsatisfiable") if when else at
        lacks = "" if when else "whenUnsatisfiable"
        yield Problem(place, why, "write one of the two", f"spread {key}", lacks=lacks)
    if skew is None or (number(skew) is not None and (number(skew) or 0) < 1):
        found = "is missing" if skew is None else f"is {skew}"
        why = f"maxSkew of the spread over {key} {found}, and must be 1 or more"
        lacks = "maxSkew" if skew is None else ""
        yield Problem((*at, "maxSkew") if skew is not None else at, why, "set it to 1", f"skew {key}", lacks=lacks)
    if domains is not None and (domains < 1 or when == "ScheduleAnyway"):
        rule = "must be 1 or more" if domains < 1 else "goes with DoNotSchedule only"
        why = f"minDomains of the spread over {key} is {domains}, and {rule}"
        yield Problem((*at, "minDomains"), why, "remove it", f"domains {key}")
    if (key, when) in seen:
        why = f"two spread constraints are over {key} with {when}"
        yield Problem(at, why, "keep one of them", f"spread {key}")
    seen.add((key, when))
    yield from _selector(constraint.get("labelSelector"), (*at, "labelSelector"))


def _affinity(affinity: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    node = mapping(affinity.get("nodeAffinity"))
    place = (*at, "nodeAffinity", _REQUIRED)
    required = node.get(_REQUIRED)
    if isinstance(required, dict):
        terms = required.get("nodeSelectorTerms")
        if not terms and not isinstance(terms, str):
            why = f"nodeAffinity requires nodeSelectorTerms in {_REQUIRED}"
            yield Problem(place, why, "add a term, or remove the block", "node terms", lacks="nodeSelectorTerms")
        for where, term in elements(terms, *place, "nodeSelectorTerms"):
            yield from _node_term(term, where)
    for where, weighted in elements(node.get(_PREFERRED), *at, "nodeAffinity", _PREFERRED):
        yield from _weight(weighted, where)
        yield from _node_term(mapping(weighted.get("preference")), (*where, "preference"))
    for kind in ("podAffinity", "podAntiAffinity"):
        block = mapping(affinity.get(kind))
        for where, term in elements(block.get(_REQUIRED), *at, kind, _REQUIRED):
            yield from _pod_term(term, where, kind)
        for where, weighted in elements(block.get(_PREFERRED), *at, kind, _PREFERRED):
            yield from _weight(weighted, where)
            yield from _pod_term(mapping(weighted.get("podAffinityTerm")), (*where, "podAffinityTerm"), kind)


def _weight(term: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    weight = term.get("weight")
    if weight is None or (number(weight) is not None and not 1 <= (number(weight) or 0) <= 100):
        found = "missing" if weight is None else str(weight)
        why = f"the weight of a preferred term is {found}, and must be 1 to 100"
        place, lacks = ((*at, "weight"), "") if weight is not None else (at, "weight")
        yield Problem(place, why, "set a weight of 1 to 100", "weight", lacks=lacks)


def _pod_term(term: Mapping[str, Any], at: Path, kind: str) -> Iterator[Problem]:
    key = term.get("topologyKey")
    if not key:
        why = f"a term of {kind} has no topologyKey"
        yield Problem(at, why, "name the node label of the domain", f"{kind} key", lacks="topologyKey")
    elif (given := known(key)) and (wrong := label_key(given)):
        yield Problem((*at, "topologyKey"), f"{given} is no key of a label: {wrong}", "correct it", f"{kind} {given}")
    yield from _selector(term.get("labelSelector"), (*at, "labelSelector"))


def _node_term(term: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    for where, requirement in elements(term.get("matchExpressions"), *at, "matchExpressions"):
        yield from _requirement(requirement, where, _NODE_OPERATORS)


def _selector(selector: Any, at: Path) -> Iterator[Problem]:
    for key, value in mapping(mapping(selector).get("matchLabels")).items():
        yield from _label(key, value, (*at, "matchLabels", key), "a selector")
    for where, requirement in elements(mapping(selector).get("matchExpressions"), *at, "matchExpressions"):
        yield from _requirement(requirement, where, _LABEL_OPERATORS)


def _requirement(requirement: Mapping[str, Any], at: Path, operators: tuple[str, ...]) -> Iterator[Problem]:
    key, operator, values = text(requirement.get("key")), text(requirement.get("operator")), requirement.get("values")
    if is_placeholder(key) or is_placeholder(operator) or (values is not None and not isinstance(values, list)):
        return
    count, cause = len(values or ()), f"requirement {key}"
    if not key:
        yield Problem(at, "a requirement on labels names no key", "set key", cause, lacks="key")
    elif wrong := label_key(key):
        yield Problem((*at, "key"), f"{key} is no key of a label: {wrong}", "correct it", cause)
    if operator not in operators:
        why = f"{operator or 'no operator'} on {key}: the operators are {', '.join(operators)}"
        yield Problem((*at, "operator") if operator else at, why, "write one of them", cause)
    elif operator in {"In", "NotIn"} and not count:
        yield Problem(at, f"{operator} on {key} has no values", "list the values", cause, lacks="values")
    elif operator in {"Exists", "DoesNotExist"} and count:
        why = f"{operator} on {key} has values, which it must not have"
        yield Problem((*at, "values"), why, "remove them, or write In", cause)
    elif operator in {"Gt", "Lt"} and (count != 1 or not _whole((values or [None])[0])):
        yield Problem((*at, "values"), f"{operator} on {key} needs one whole number", "write one number", cause)


def _whole(value: Any) -> bool:
    given = str(value)
    return is_placeholder(given) or given.lstrip("+-").isdecimal()
