"""Restart policies of single containers, and their rules (validateContainerRestartPolicy)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw, FieldPlace
from trainlint.admission.fields import lacks, refused, word
from trainlint.admission.plain_values import elements, known, mapping
from trainlint.admission.problem import Problem
from trainlint.finding import Path

__all__ = ["of_restarts"]

_POLICIES: Final = ("Always", "Never", "OnFailure")
_ACTIONS: Final = ("Restart", "RestartAllContainers")
_OPERATORS: Final = ("In", "NotIn")
_MOST_RULES: Final = 20
_MOST_CODES: Final = 255
_RULES_SINCE: Final = (1, 35)
"""The first release that reads the restart policy of each container by default (ContainerRestartRules)."""
_SIDECARS_SINCE: Final = (1, 29)


def of_restarts(container: Mapping[str, Any], at: Path, version: tuple[int, ...], *, init: bool) -> Iterator[Problem]:
    """What is refused of a container's own restart policy; before 1.35 only init containers have one, Always."""
    policy, rules = known(container.get("restartPolicy")), container.get("restartPolicyRules")
    if version and version < _RULES_SINCE:
        if policy and init and version >= _SIDECARS_SINCE:
            yield from word(container, at, "restartPolicy", ("Always",))
        elif policy and not init and version >= _SIDECARS_SINCE:
            yield refused((*at, "restartPolicy"), FieldFlaw.BELONGS, FieldPlace.INIT_CONTAINER)
        return
    yield from word(container, at, "restartPolicy", _POLICIES)
    if not isinstance(rules, list) or not rules:
        return
    place = (*at, "restartPolicyRules")
    if not container.get("restartPolicy"):
        yield refused(place, FieldFlaw.NEEDS, "restartPolicy", where="restartPolicyRules")
    if len(rules) > _MOST_RULES:
        yield refused(place, FieldFlaw.TOO_MANY, len(rules), _MOST_RULES, "rules", where="restartPolicyRules")
    for where, rule in elements(rules, *place):
        yield from _rule(rule, where)


def _rule(rule: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    yield from lacks(rule, at, "action", "exitCodes")
    yield from word(rule, at, "action", _ACTIONS)
    codes = mapping(rule.get("exitCodes"))
    if codes:
        yield from lacks(codes, (*at, "exitCodes"), "operator")
        yield from word(codes, (*at, "exitCodes"), "operator", _OPERATORS)
    values = codes.get("values")
    if isinstance(values, list) and len(values) > _MOST_CODES:
        yield refused((*at, "exitCodes", "values"), FieldFlaw.TOO_MANY, len(values), _MOST_CODES, "values")
