"""The limits of Jobs: indexes, rules about failed pods and about success (kubernetes:pkg/apis/batch/validation)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from trainlint.admission.flaws import JobFlaw, SchemaFlaw
from trainlint.admission.kinds.field_values import at_least, one_of
from trainlint.admission.plain_values import below, elements, mapping, names, number, text, written
from trainlint.admission.problem import KUBERNETES, Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because

__all__ = ["of_failure_rules", "of_indexes", "of_success_rules"]

_MOST_RULES: Final = 20
_MOST_CODES: Final = 255
_MOST_INDEXES: Final = 100_000
_MOST_AT_ONCE: Final = 10_000
"""Pods at once, and failed indexes, where there are more completions than the limit of indexes."""
_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_SUCCESS_SINCE: Final = (1, 31)
_PER_INDEX_SINCE: Final = (1, 29)
"""Releases that have the fields by default; older ones drop them."""
_LONGEST: Final = 40
_INTERVALS: Final = lazy_pattern(r"\d+(-\d+)?(,\d+(-\d+)?)*")


def of_indexes(spec: Mapping[str, Any]) -> Iterator[Problem]:
    """What is refused of the numbers of an Indexed Job."""
    yield from at_least(spec, ("parallelism",), 0, most=_MOST_INDEXES)
    completions, failed = number(spec.get("completions")), number(spec.get("maxFailedIndexes"))
    per_index = written(spec.get("backoffLimitPerIndex"))
    if completions is not None and failed is not None and failed > completions:
        why = Because(JobFlaw.ABOVE_COMPLETIONS, ("maxFailedIndexes", failed, completions))
        yield _since(Problem(("maxFailedIndexes",), why, "failed indexes"), _PER_INDEX_SINCE)
    elif completions is not None and completions > _MOST_INDEXES and per_index:
        if failed is None and not written(spec.get("maxFailedIndexes")):
            why = Because(JobFlaw.HIGH_COMPLETIONS, (_MOST_INDEXES, _MOST_AT_ONCE))
            yield _since(Problem((), why, "high completions", lacks="maxFailedIndexes"), _PER_INDEX_SINCE)
        for key in ("parallelism", "maxFailedIndexes"):
            for problem in at_least(spec, (key,), 0, most=_MOST_AT_ONCE):
                yield _since(problem, _PER_INDEX_SINCE)


def of_failure_rules(spec: Mapping[str, Any]) -> Iterator[Problem]:
    """What is refused of the rules of podFailurePolicy."""
    at: Path = ("podFailurePolicy", "rules")
    yield from _too_many(below(spec, *at), at, _MOST_RULES)
    for path, rule in elements(below(spec, *at), *at):
        yield from one_of(spec, (*path, "action"), _ACTIONS)
        if rule.get("action") == "FailIndex" and not written(spec.get("backoffLimitPerIndex")):
            yield _since(Problem((*path, "action"), Because(JobFlaw.FAIL_INDEX), "fail index"), _PER_INDEX_SINCE)
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions")
        if written(codes) == bool(conditions):
            yield Problem(path, Because(JobFlaw.ONE_CONDITION, (bool(conditions),)), "one condition")
        yield from _exit_codes(spec, mapping(codes), (*path, "onExitCodes"))
        yield from _too_many(conditions, (*path, "onPodConditions"), _MOST_RULES)
        for place, _ in elements(conditions, *path, "onPodConditions"):
            yield from one_of(spec, (*place, "status"), ("False", "True", "Unknown"))


def _exit_codes(spec: Mapping[str, Any], codes: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    if not codes:
        return
    yield from one_of(spec, (*at, "operator"), ("In", "NotIn"))
    pod = mapping(below(spec, "template", "spec"))
    known = [*names(pod.get("containers")), *names(pod.get("initContainers"))]
    name = text(codes.get("containerName"))
    if name and known and not any(map(is_placeholder, (name, *known))) and name not in known:
        yield Problem((*at, "containerName"), Because(JobFlaw.NO_SUCH_CONTAINER, (name, tuple(known))), "of container")
    values = codes.get("values")
    if not isinstance(values, list) or not all(type(each) is int for each in values):
        return
    yield from _too_many(values, (*at, "values"), _MOST_CODES)
    if not values:
        yield Problem((*at, "values"), Because(SchemaFlaw.MIN_ITEMS, ("values", 0, 1)), "exit codes")
    elif codes.get("operator") == "In" and 0 in values:
        yield Problem((*at, "values", values.index(0)), Because(JobFlaw.EXIT_ZERO), "exit code 0")
    elif len(set(values)) < len(values) or values != sorted(values):
        yield Problem((*at, "values"), Because(JobFlaw.EXIT_ORDER), "exit order")


def of_success_rules(spec: Mapping[str, Any]) -> Iterator[Problem]:
    """What is refused of the rules of the successPolicy of an Indexed Job."""
    for problem in _success_rules(spec):
        yield _since(problem, _SUCCESS_SINCE)


def _success_rules(spec: Mapping[str, Any]) -> Iterator[Problem]:
    at: Path = ("successPolicy", "rules")
    policy, completions = spec.get("successPolicy"), number(spec.get("completions"))
    if not isinstance(policy, dict):
        return
    if not policy.get("rules"):
        yield Problem(at[:1], Because(SchemaFlaw.REQUIRED, ("successPolicy.rules", "rules")), "rules", lacks="rules")
    yield from _too_many(policy.get("rules"), at, _MOST_RULES)
    for path, rule in elements(policy.get("rules"), *at):
        count, indexes = number(rule.get("succeededCount")), rule.get("succeededIndexes")
        if not written(rule.get("succeededCount")) and not written(indexes):
            yield Problem(path, Because(JobFlaw.SUCCESS_RULE), "success rule")
        yield from at_least(spec, (*path, "succeededCount"), 0)
        if completions is not None and count is not None and count > completions:
            why = Because(JobFlaw.ABOVE_COMPLETIONS, ("succeededCount", count, completions))
            yield Problem((*path, "succeededCount"), why, "succeeded count")
        if isinstance(indexes, str) and completions is not None and not _are_indexes(indexes, completions):
            why = Because(JobFlaw.INDEXES, (indexes[:40], completions))
            yield Problem((*path, "succeededIndexes"), why, "succeeded indexes")


def _are_indexes(written_: str, completions: int) -> bool:
    """Whether a text lists indexes in ascending order that do not overlap; a placeholder may."""
    if is_placeholder(written_) or not written_:
        return True
    if _INTERVALS.fullmatch(written_) is None:
        return False
    last = -1
    for interval in written_.split(","):
        first, _, end = interval.partition("-")
        if len(interval) > _LONGEST or int(first) <= last or int(end or first) >= completions:
            return False
        last = int(end or first)
        if end and last <= int(first):
            return False
    return True


def _too_many(listed: Any, at: Path, most: int) -> Iterator[Problem]:
    if isinstance(listed, list) and len(listed) > most:
        yield Problem(at, Because(SchemaFlaw.MAX_ITEMS, (str(at[-1]), len(listed), most)), f"many {at[-1]}")


def _since(problem: Problem, release: tuple[int, int]) -> Problem:
    return replace(problem, since=(KUBERNETES, release))
