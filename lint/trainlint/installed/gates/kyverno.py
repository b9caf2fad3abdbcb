"""Kyverno's policies (kyverno.io): which rules are enforced at admission, and for what."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from typing import Final

from trainlint.installed.gates.arrival import Arrival
from trainlint.installed.gates.match import all_of, any_of, matches_globs, selects_labels, selects_namespace
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_strings, read_text
from trainlint.model.namespace import Namespaces
from trainlint.source.document import Field

__all__ = ["is_policy", "matches_rule", "rules_of"]

_USERS: Final = ("clusterRoles", "roles", "subjects")


def is_policy(meta: Meta) -> bool:
    """Whether it is a policy of Kyverno, and not one of another software of the same kind."""
    return meta.api_group == "kyverno.io" and meta.kind in {"ClusterPolicy", "Policy"}


def rules_of(item: Field) -> Iterator[tuple[str, Field]]:
    """The rules that change (``mutate``) or may refuse (``validate``) what is created; a policy may only look at what
    is there already, and a rule may change other objects than the one that sets it off.
    """
    if item.down("spec", "admission").value is False:
        return
    for rule in item.down("spec", "rules").elements():
        if rule["mutate"].mapping is not None and not rule.down("mutate", "targets").value:
            yield "mutate", rule
        if rule["validate"].mapping is not None or rule["verifyImages"].value:
            yield "validate", rule


def matches_rule(
    meta: Meta, verb: str, rule: Field, spec: Field, namespaces: Namespaces, arrival: Arrival
) -> bool | None:
    """Whether a rule is about the creation of an object; ``None`` where that is not known. Preconditions, and who
    creates it, are not known.
    """
    excluded = _filtered(rule["exclude"], arrival, namespaces)
    return all_of(
        (
            meta.kind == "ClusterPolicy" or (meta.namespace or "default") == arrival.namespace,
            _filtered(rule["match"], arrival, namespaces),
            None if excluded is None else not excluded,
            None if rule["preconditions"].value else True,
            verb == "mutate" or _enforced(rule, spec, arrival, namespaces),
        )
    )


def _enforced(rule: Field, spec: Field, arrival: Arrival, namespaces: Namespaces) -> bool | None:
    """Whether a violation is refused and not only reported, the default; the first override that fits counts."""
    own, general = rule["validate"], spec["validationFailureActionOverrides"]
    doubtful: list[bool] = []
    for each in [*own["failureActionOverrides"].elements(), *general.elements()]:
        patterns = read_strings(each["namespaces"])
        fits = all_of(
            (
                matches_globs(patterns, arrival.namespace) if patterns else True,
                selects_namespace(each["namespaceSelector"], arrival, namespaces),
            )
        )
        refuses = read_text(each["action"]).lower() == "enforce"
        if fits:
            return refuses if all(one is refuses for one in doubtful) else None
        doubtful += [refuses] if fits is None else []
    images = [read_text(each["failureAction"]) for each in rule["verifyImages"].elements()]
    written = [read_text(own["failureAction"]), *images, read_text(spec["validationFailureAction"])]
    refuses = next(filter(None, written), "Audit").lower() == "enforce"
    return refuses if all(one is refuses for one in doubtful) else None


def _filtered(clause: Field, arrival: Arrival, namespaces: Namespaces) -> bool | None:
    """Whether ``match`` or ``exclude`` takes the object; one that is not there takes nothing."""
    if not clause.value:
        return False
    if clause["any"].value:
        return any_of(_taken(each, arrival, namespaces) for each in clause["any"].elements())
    if clause["all"].value:
        return all_of(_taken(each, arrival, namespaces) for each in clause["all"].elements())
    return _taken(clause, arrival, namespaces)


def _taken(clause: Field, arrival: Arrival, namespaces: Namespaces) -> bool | None:
    resources = clause["resources"]
    kinds, operations = read_strings(resources["kinds"]), read_strings(resources["operations"])
    names = [*read_strings(resources["names"]), *filter(None, (read_text(resources["name"]),))]
    spaces = read_strings(resources["namespaces"])
    return all_of(
        (
            any(_is_kind(each, arrival) for each in kinds) if kinds else True,
            "CREATE" in operations if operations else True,
            matches_globs(names, arrival.name) if names else True,
            matches_globs(spaces, arrival.namespace) if spaces else True,
            selects_labels(resources["selector"], arrival),
            selects_namespace(resources["namespaceSelector"], arrival, namespaces),
            _annotated(resources["annotations"], arrival),
            None if any(clause[each].value for each in _USERS) else True,
        )
    )


def _is_kind(written: str, arrival: Arrival) -> bool:
    """``Pod``, ``v1/Pod``, ``batch/*/Job``, ``*``; a subresource (``Pod/exec``) is none of what is created."""
    steps = written.split("/")
    at = next((index for index, step in enumerate(steps) if step[:1].isupper()), None)
    if at is None:
        return set(steps) == {"*"}
    group = steps[0] if at == 2 else "*"
    part = steps[at + 1] if len(steps) > at + 1 else "*"
    return steps[at] == arrival.kind and group in ("*", arrival.group) and part == "*"


def _annotated(wanted: Field, arrival: Arrival) -> bool | None:
    """Whether the object has annotations that fit."""
    if arrival.open and wanted.value:
        return None
    if any("*" in key or "?" in key for key, _ in wanted.items()):
        return None
    return all_of(
        key in arrival.annotations and fnmatch.fnmatchcase(arrival.annotations[key], read_text(value))
        for key, value in wanted.items()
    )
