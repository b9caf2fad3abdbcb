"""What changes or refuses pods when they are created, in ways that are not worked out: webhooks, policies, Kyverno.

They are named where they could concern the pods of a group.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from trainlint.finding import Unknown
from trainlint.installed.kinds import ADMISSION_POLICY_KINDS
from trainlint.kube.meta import Meta
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import is_placeholder, read_strings, read_text
from trainlint.model.known import Known, Undetermined
from trainlint.model.namespace import METADATA_NAME, Namespaces
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import Group, PodSet
from trainlint.source.document import Field

__all__ = ["changers"]

_FOLLOWED: Final = ("consul", "istio", "jobset", "kueue", "kuma", "linkerd", "lws", "training-operator", "trainer")
"""Webhooks whose effect on pods is read elsewhere, by the beginning of their names."""
_NATIVE: Final = frozenset({"MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"})
_KYVERNO: Final = ("kyverno.io", "policies.kyverno.io")
_LISTED: Final = 3


def changers(
    objects: Iterable[tuple[Meta, Field]], groups: Iterable[Group], namespaces: Namespaces
) -> Iterator[Unknown]:
    """One for each object that may change or refuse pods of a group."""
    every = list(groups)
    for meta, item in objects:
        if meta.kind not in ADMISSION_POLICY_KINDS:
            continue
        for verb, rules in _rules(meta, item).items():
            named = [
                group.name
                for group in every
                if any(_concerns(rule, pods, namespaces) for rule in rules for pods in group.members)
            ]
            if named:
                yield _unknown(meta, item, verb, named)


def _unknown(meta: Meta, item: Field, verb: str, groups: list[str]) -> Unknown:
    more = f" and {len(groups) - _LISTED} more" if len(groups) > _LISTED else ""
    shown = f"{', '.join(groups[:_LISTED])}{more}"
    missing = (
        f"what it changes in the pods of {shown}" if verb == "mutate" else f"whether it lets the pods of {shown} in"
    )
    name = f"{meta.kind} {meta.namespace}/{meta.name}" if meta.namespace else f"{meta.kind} {meta.name}"
    return Unknown(name, missing, "ask the cluster: kubectl create --dry-run=server -o yaml -f FILE", item.at)


def _rules(meta: Meta, item: Field) -> dict[str, list[Field]]:
    """The parts that say what is changed (``mutate``) or refused (``validate``), by that word."""
    spec = item["spec"]
    if meta.kind == "MutatingWebhookConfiguration":
        return {} if meta.name.startswith(_FOLLOWED) else {"mutate": list(item["webhooks"].elements())}
    if meta.kind in _NATIVE or meta.kind in {"MutatingPolicy", "ValidatingPolicy"}:
        return {"mutate" if meta.kind.startswith("Mutating") else "validate": [spec["matchConstraints"]]}
    if meta.api_group not in _KYVERNO:
        return {}
    found: dict[str, list[Field]] = {}
    for rule in spec["rules"].elements():
        if rule["mutate"].mapping is not None:
            found.setdefault("mutate", []).append(rule)
        elif rule["validate"].mapping is not None and _enforced(spec, rule):
            found.setdefault("validate", []).append(rule)
    return found


def _enforced(spec: Field, rule: Field) -> bool:
    action = read_text(rule["validate"]["failureAction"]) or read_text(spec["validationFailureAction"])
    return action.lower() == "enforce"


def _concerns(rule: Field, pods: PodSet, namespaces: Namespaces) -> bool:
    """Whether a rule could be about these pods; what is not understood could be."""
    if rule["match"].mapping is not None:
        return _kyverno_matches(rule["match"], pods) and not _kyverno_excludes(rule["exclude"], pods)
    labels = namespaces.get(pods.namespace) or {METADATA_NAME: pods.namespace}
    return (
        any(map(_about_pods, [*rule["rules"].elements(), *rule["resourceRules"].elements()]))
        and _may_match(read_label_selector(rule["namespaceSelector"]), labels, open_ended=True)
        and _may_match(read_label_selector(rule["objectSelector"]), pods.labels, open_ended=False)
    )


def _about_pods(rule: Field) -> bool:
    resources = read_strings(rule["resources"])
    groups, operations = read_strings(rule["apiGroups"]), read_strings(rule["operations"])
    return (
        any(each in ("pods", "*", "*/*") for each in resources)
        and any(each in ("", "*") for each in groups)
        and any(each in ("CREATE", "*") for each in operations)
    )


def _may_match(selector: LabelSelector | None, labels: Mapping[str, Known[str]], *, open_ended: bool) -> bool:
    """Whether a selector could match; ``open_ended``: there may be other labels than those that are known."""
    for each in selector.requirements if selector is not None else ():
        value = labels.get(each.key)
        if isinstance(value, Undetermined) or (value is None and open_ended):
            continue
        holds = {
            "In": value in each.values,
            "NotIn": value not in each.values,
            "Exists": value is not None,
            "DoesNotExist": value is None,
        }.get(each.operator, True)
        if not holds:
            return False
    return True


def _kyverno_matches(match: Field, pods: PodSet) -> bool:
    clauses = [*match["any"].elements(), *match["all"].elements()] or [match]
    return any(_kyverno_selects(clause["resources"], pods) for clause in clauses)


def _kyverno_excludes(exclude: Field, pods: PodSet) -> bool:
    """Whether it leaves them out for certain: by namespaces alone."""
    clauses = [*exclude["any"].elements()] or [exclude]
    return any(
        set(clause["resources"].mapping or {}) <= {"kinds", "namespaces"}
        and bool(clause["resources"]["namespaces"].value)
        and _kyverno_selects(clause["resources"], pods)
        for clause in clauses
    )


def _kyverno_selects(resources: Field, pods: PodSet) -> bool:
    """By kind and namespace; rules for pods are made for what makes pods as well, and the other way round."""
    kinds = [each.rpartition("/")[2] for each in read_strings(resources["kinds"])]
    namespaces = read_strings(resources["namespaces"])
    return (not kinds or any(each in ("Pod", "*", pods.owner.kind) for each in kinds)) and (
        not namespaces or any(fnmatch.fnmatchcase(pods.namespace, each) or is_placeholder(each) for each in namespaces)
    )
