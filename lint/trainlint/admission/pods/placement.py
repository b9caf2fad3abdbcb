"""Where a pod wants to be: node selectors, affinity, tolerations, spread constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import lacks, refused, since, word
from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import label_key, label_value, rfc1123_label
from trainlint.admission.plain_values import elements, known, mapping, number, text
from trainlint.admission.problem import Problem
from trainlint.admission.selectors import NODE_OPERATORS, of_label, of_requirement, of_selector, of_values
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because

__all__ = ["of_placement"]

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS: Final = ("Exists", "Equal", "Lt", "Gt")
_UNSATISFIABLE: Final = ("DoNotSchedule", "ScheduleAnyway")
_WHOLE: Final = lazy_pattern(r"0|-?[1-9][0-9]*")
_VALUES_SINCE: Final = (1, 33)
"""The first release that looks at the values of required node affinity."""


def of_placement(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """What is refused of a pod's wishes for a place."""
    for key, value in mapping(spec.get("nodeSelector")).items():
        yield from of_label(key, value, (*path, "nodeSelector", key), "nodeSelector")
    for at, toleration in elements(spec.get("tolerations"), *path, "tolerations"):
        yield from _toleration(toleration, at)
    seen: set[tuple[str, str]] = set()
    for at, constraint in elements(spec.get("topologySpreadConstraints"), *path, "topologySpreadConstraints"):
        yield from _spread(constraint, at, seen)
    yield from _affinity(mapping(spec.get("affinity")), (*path, "affinity"))


def _toleration(toleration: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    key, value = text(toleration.get("key")), text(toleration.get("value"))
    operator, effect = text(toleration.get("operator")), text(toleration.get("effect"))
    if any(is_placeholder(each) for each in (key, value, operator, effect)):
        return
    cause = f"toleration {key}"
    if operator and operator not in _OPERATORS:
        yield Problem((*at, "operator"), Because(PodFlaw.TOLERATION_OPERATOR, (operator,)), cause)
    elif not key and operator != "Exists":
        yield Problem(at, Because(PodFlaw.TOLERATION_KEY), cause, lacks="key")
    elif operator == "Exists" and value:
        yield Problem((*at, "value"), Because(PodFlaw.TOLERATION_VALUE, (key, value)), cause)
    elif key and (wrong := label_key(key)):
        yield Problem((*at, "key"), Because(PodFlaw.TAINT_KEY, (key, wrong)), cause)
    elif operator in {"Gt", "Lt"} and not _WHOLE.fullmatch(value):
        yield (
            refused((*at, "value"), FieldFlaw.WHOLE, value)
            if value
            else refused(at, FieldFlaw.MISSING, "value", key="value")
        )
    elif operator in {"", "Equal"} and (wrong := label_value(value)):
        yield Problem((*at, "value"), Because(PodFlaw.TAINT_VALUE, (value, wrong)), cause)
    if effect and effect not in _EFFECTS:
        yield Problem((*at, "effect"), Because(PodFlaw.TAINT_EFFECT, (effect, tuple(_EFFECTS))), f"effect {effect}")
    elif toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        yield Problem((*at, "tolerationSeconds"), Because(PodFlaw.TOLERATION_SECONDS, (key,)), f"seconds {key}")


def _spread(constraint: Mapping[str, Any], at: Path, seen: set[tuple[str, str]]) -> Iterator[Problem]:
    key, when = text(constraint.get("topologyKey")), text(constraint.get("whenUnsatisfiable"))
    skew, domains = constraint.get("maxSkew"), number(constraint.get("minDomains"))
    if is_placeholder(key) or is_placeholder(when):
        return
    if not key:
        yield Problem(at, Because(PodFlaw.NO_SPREAD_KEY), "spread", lacks="topologyKey")
    if when not in _UNSATISFIABLE:
        place = (*at, "whenUnsatisfiable") if when else at
        lacks = "" if when else "whenUnsatisfiable"
        yield Problem(
            place,
            Because(PodFlaw.WHEN_UNSATISFIABLE, (key, when, " or ".join(_UNSATISFIABLE))),
            f"spread {key}",
            lacks=lacks,
        )
    if skew is None or (number(skew) is not None and (number(skew) or 0) < 1):
        lacks = "maxSkew" if skew is None else ""
        yield Problem(
            (*at, "maxSkew") if skew is not None else at,
            Because(PodFlaw.MAX_SKEW, (key, skew is None, skew)),
            f"skew {key}",
            lacks=lacks,
        )
    if domains is not None and (domains < 1 or when == "ScheduleAnyway"):
        yield Problem((*at, "minDomains"), Because(PodFlaw.MIN_DOMAINS, (key, domains, domains < 1)), f"domains {key}")
    if (key, when) in seen:
        yield Problem(at, Because(PodFlaw.SPREAD_TWICE, (key, when)), f"spread {key}")
    seen.add((key, when))
    for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        yield from word(constraint, at, policy, ("Honor", "Ignore"))
    yield from _label_keys(constraint, at, ("matchLabelKeys",))
    yield from of_selector(constraint.get("labelSelector"), (*at, "labelSelector"))


def _affinity(affinity: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    node = mapping(affinity.get("nodeAffinity"))
    place = (*at, "nodeAffinity", _REQUIRED)
    required = node.get(_REQUIRED)
    if isinstance(required, dict):
        terms = required.get("nodeSelectorTerms")
        if not terms and not isinstance(terms, str):
            yield Problem(place, Because(PodFlaw.NO_NODE_TERMS, (_REQUIRED,)), "node terms", lacks="nodeSelectorTerms")
        for where, term in elements(terms, *place, "nodeSelectorTerms"):
            yield from _node_term(term, where, required=True)
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
        place, lacks = ((*at, "weight"), "") if weight is not None else (at, "weight")
        yield Problem(place, Because(PodFlaw.WEIGHT, (found,)), "weight", lacks=lacks)


def _pod_term(term: Mapping[str, Any], at: Path, kind: str) -> Iterator[Problem]:
    key = term.get("topologyKey")
    if not key:
        yield Problem(at, Because(PodFlaw.NO_TERM_KEY, (kind,)), f"{kind} key", lacks="topologyKey")
    elif (given := known(key)) and (wrong := label_key(given)):
        yield Problem((*at, "topologyKey"), Because(PodFlaw.KEY, (given, wrong)), f"{kind} {given}")
    for selector in ("labelSelector", "namespaceSelector"):
        yield from of_selector(term.get(selector), (*at, selector))
    namespaces = term.get("namespaces")
    for index, namespace in enumerate(namespaces if isinstance(namespaces, list) else ()):
        if (given := known(namespace)) and (wrong := rfc1123_label(given)):
            yield refused((*at, "namespaces", index), FieldFlaw.NAME, given, wrong)
    yield from _label_keys(term, at, ("matchLabelKeys", "mismatchLabelKeys"))


def _label_keys(holder: Mapping[str, Any], at: Path, lists: tuple[str, ...]) -> Iterator[Problem]:
    """Keys whose values of the pod itself count (ValidateMatchLabelKeysAndMismatchLabelKeys).

    A key of ``matchLabelKeys`` may stand in no other place of the term.
    """
    selector = mapping(holder.get("labelSelector"))
    chosen = set(mapping(selector.get("matchLabels")))
    chosen.update(text(each.get("key")) for _, each in elements(selector.get("matchExpressions")))
    mismatched = holder.get("mismatchLabelKeys")
    for kind in lists:
        keys = holder.get(kind)
        if not isinstance(keys, list) or not keys:
            continue
        if holder.get("labelSelector") is None:
            yield refused((*at, kind), FieldFlaw.NEEDS, "labelSelector", where=kind)
        for index, key in enumerate(keys):
            if not (given := known(key)):
                continue
            if wrong := label_key(given):
                yield refused((*at, kind, index), FieldFlaw.NAME, given, wrong)
            if kind != "matchLabelKeys":
                continue
            twice = isinstance(mismatched, list) and given in mismatched
            other = "labelSelector" if given in chosen else "mismatchLabelKeys" if twice else ""
            if other:
                yield refused((*at, kind, index), FieldFlaw.SELECTED_KEY, other, where=given)


def _node_term(term: Mapping[str, Any], at: Path, *, required: bool = False) -> Iterator[Problem]:
    for where, requirement in elements(term.get("matchExpressions"), *at, "matchExpressions"):
        yield from of_requirement(requirement, where, NODE_OPERATORS)
        if required:
            yield from (replace(each, since=since(_VALUES_SINCE)) for each in of_values(requirement, where))
    for where, requirement in elements(term.get("matchFields"), *at, "matchFields"):
        yield from word(requirement, where, "key", ("metadata.name",))
        yield from word(requirement, where, "operator", ("In", "NotIn"))
        yield from lacks(requirement, where, "key", "operator", "values")
        values = requirement.get("values")
        if isinstance(values, list) and len(values) > 1:
            yield refused((*where, "values"), FieldFlaw.TOO_MANY, len(values), 1, "values")
