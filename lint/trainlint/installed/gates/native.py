"""Admission policies of Kubernetes with their bindings, and Kyverno's policies of the same form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from trainlint.fact import fact
from trainlint.installed.gates.arrival import Arrival
from trainlint.installed.gates.match import all_of, any_of, matches_rules, selects_labels, selects_namespace
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_strings, read_text
from trainlint.model.namespace import Namespaces
from trainlint.source.document import Field

__all__ = ["NATIVE", "Bindings", "denies", "is_policy_of_kyverno", "matches_binding", "matches_constraints"]
__all__ += ["matches_kyverno", "matches_native", "read_bindings"]

NATIVE: Final = frozenset({"MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"})
_REGISTRATION: Final = "admissionregistration.k8s.io"
_POLICIES: Final = "policies.kyverno.io"
_OF_KYVERNO: Final = frozenset(
    f"{scope}{each}"
    for scope in ("", "Namespaced")
    for each in ("ImageValidatingPolicy", "MutatingPolicy", "ValidatingPolicy")
)


@fact
class Bindings:
    """The bindings of one kind of policy: ``stated`` where Git holds any, so that a policy without one does nothing."""

    by_policy: dict[str, list[Field]]
    stated: bool


def read_bindings(objects: Iterable[tuple[Meta, Field]]) -> dict[str, Bindings]:
    """The bindings by the kind of policy that they bind."""
    found = {kind: Bindings({}, stated=False) for kind in NATIVE}
    for meta, item in objects:
        kind = meta.kind.removesuffix("Binding")
        if kind in found and kind != meta.kind and meta.api_group == _REGISTRATION:
            policies = found[kind].by_policy
            policies.setdefault(read_text(item.down("spec", "policyName")), []).append(item["spec"])
            found[kind] = Bindings(policies, stated=True)
    return found


def matches_native(
    meta: Meta, item: Field, bindings: Bindings, namespaces: Namespaces, arrival: Arrival
) -> bool | None:
    """Whether a policy of Kubernetes, as it is bound, is about the creation of an object; ``None`` where that is not
    known. A policy without a binding may be bound by what is not in Git, where Git holds no binding at all.
    """
    matched = matches_constraints(item.down("spec", "matchConstraints"), arrival, namespaces)
    bound = bindings.by_policy.get(meta.name, [])
    if not bound:
        return all_of((matched, False if bindings.stated else None))
    return all_of((matched, any_of(matches_binding(each, arrival, namespaces) for each in bound)))


def denies(binding: Field) -> bool:
    """Whether a binding refuses objects, and does more than to warn or to record."""
    return "Deny" in read_strings(binding["validationActions"])


def matches_binding(binding: Field, arrival: Arrival, namespaces: Namespaces) -> bool | None:
    """Whether a binding is about the creation of an object; ``None`` where that is not known. One without rules of its
    own takes all of its policy.
    """
    resources = binding["matchResources"]
    rules = True if not resources["resourceRules"].value else matches_rules(resources["resourceRules"], arrival)
    return all_of((rules, _selected(resources, arrival, namespaces)))


def matches_constraints(constraints: Field, arrival: Arrival, namespaces: Namespaces) -> bool | None:
    """Whether a policy is about the creation of an object, apart from its bindings; ``None`` where that is not
    known.
    """
    rules = matches_rules(constraints["resourceRules"], arrival)
    return all_of((rules, _selected(constraints, arrival, namespaces)))


def _selected(constraints: Field, arrival: Arrival, namespaces: Namespaces) -> bool | None:
    excluded = matches_rules(constraints["excludeResourceRules"], arrival)
    return all_of(
        (
            None if excluded is None else not excluded,
            selects_labels(constraints["objectSelector"], arrival),
            selects_namespace(constraints["namespaceSelector"], arrival, namespaces),
        )
    )


def is_policy_of_kyverno(meta: Meta) -> bool:
    """Whether it is one of Kyverno's newer policies, which are written like those of Kubernetes."""
    return meta.api_group == _POLICIES and meta.kind in _OF_KYVERNO


def matches_kyverno(meta: Meta, item: Field, namespaces: Namespaces, arrival: Arrival) -> bool | None:
    """Whether such a policy is about the creation of an object and does more than report it (Deny is the default);
    ``None`` where that is not known.
    """
    spec = item["spec"]
    actions = read_strings(spec["validationActions"])
    if spec.down("evaluation", "admission", "enabled").value is False or (actions and "Deny" not in actions):
        return False
    own = (meta.namespace or "default") == arrival.namespace if meta.kind.startswith("Namespaced") else True
    return all_of((own, matches_constraints(spec["matchConstraints"], arrival, namespaces)))
