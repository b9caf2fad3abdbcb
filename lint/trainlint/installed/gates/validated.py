"""The verdicts of ValidatingAdmissionPolicies on what is created for workloads: refused, or not known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Location, Path
from trainlint.installed.gates.arrival import Arrival, Arriving, arriving
from trainlint.installed.gates.match import all_of, matches_rules
from trainlint.installed.gates.native import Bindings, denies, matches_binding, matches_constraints
from trainlint.installed.validating.body import Body
from trainlint.installed.validating.judge import AdmissionVerdict, Denied, judged
from trainlint.installed.validating.policy import Policy, read_policy
from trainlint.kube.meta import Meta
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import read_text
from trainlint.model.because import Because
from trainlint.model.namespace import METADATA_NAME, Namespaces
from trainlint.model.workload import ObjectRef, PodSet, Workload
from trainlint.source.document import Field
from trainlint.source.examples import is_below

__all__ = ["VALIDATING", "RefusedByPolicy", "Validated", "validated"]

_MOST_STEPS: Final = 100_000
_TOO_MANY: Final = "there are too many objects and policies to hold all against each other"
_MISSING: Final = "its parameters are not in Git"
_UNWRITTEN: Final = "what an operator makes is not written in Git"
VALIDATING: Final = "ValidatingAdmissionPolicy"


@fact(eq=False)
class RefusedByPolicy:
    """What a policy refuses of a workload: the object, or its pods (``pods``). ``path`` is below the object."""

    owner: ObjectRef
    item: Field
    pod_sets: tuple[PodSet, ...]
    policy: str
    message: str
    expression: str
    path: Path
    rule: Location
    binding: Location
    pods: bool = False
    assumes: tuple[Because, ...] = ()


@fact(eq=False)
class Validated:
    """A policy with what it refuses, and the pod sets of which it is not known whether it lets them in, and why."""

    name: str
    at: Location
    refused: tuple[RefusedByPolicy, ...]
    unsure: tuple[tuple[PodSet, ...], ...]
    why: str = ""


class _World:
    """What the policies look at beside the object: namespaces, parameters, bindings. ``steps`` counts expressions
    that were evaluated, by the size of what they look at.
    """

    def __init__(self, objects: Sequence[tuple[Meta, Field]], namespaces: Namespaces, bindings: Bindings) -> None:
        self.objects = objects
        self.namespaces = namespaces
        self.bindings = bindings
        self.steps = 0
        self._about: dict[tuple[str, str, str], bool] = {}
        self._written = {meta.name: item for meta, item in objects if meta.kind == "Namespace"}

    def is_about(self, policy: Policy, arrival: Arrival) -> bool:
        """Whether the rules of a policy may take objects of this kind; asked once for each kind."""
        key = (policy.name, arrival.group, arrival.kind)
        if key not in self._about:
            rules = policy.item.down("spec", "matchConstraints", "resourceRules")
            self._about[key] = matches_rules(rules, replace(arrival, name="")) is not False
        return self._about[key]

    def values(self, arrival: Arrival, text: str) -> dict[str, Any]:
        """The variables that are known beside the object."""
        group, kind = arrival.group, arrival.kind
        gvk = {"group": group, "version": arrival.version, "kind": kind}
        gvr = {"group": group, "version": arrival.version, "resource": arrival.resource}
        request = {"kind": gvk, "resource": gvr, "requestKind": gvk, "requestResource": gvr, "operation": "CREATE"}
        found: dict[str, Any] = {
            "request": {**request, "namespace": arrival.namespace, "name": arrival.name, "subResource": ""}
        }
        labels = self.namespaces.get(arrival.namespace)
        written = self._written.get(arrival.namespace)
        if labels is not None or "namespaceObject.metadata.name" in text:
            annotations = {} if written is None else dict(written.down("metadata", "annotations").mapping or {})
            metadata = {"name": arrival.namespace, "labels": {**(labels or {}), METADATA_NAME: arrival.namespace}}
            found["namespaceObject"] = {
                "metadata": {**metadata, **({"annotations": annotations} if annotations else {})}
            }
        return found

    def params(self, policy: Policy, binding: Field | None, arrival: Arrival) -> list[Any] | None:
        """The parameters that a binding names, ``[None]`` where there are none; ``None`` where they are not known."""
        if policy.params == ("", ""):
            return [None]
        reference = binding["paramRef"] if binding is not None else None
        if reference is None or not reference.present:
            return None
        namespace = read_text(reference["namespace"]) or arrival.namespace
        of_kind = [
            (meta, item)
            for meta, item in self.objects
            if (meta.api_version, meta.kind) == policy.params and (meta.namespace or namespace) == namespace
        ]
        if name := read_text(reference["name"]):
            named = [item.value for meta, item in of_kind if meta.name == name]
            return named[:1] or None
        selector = read_label_selector(reference["selector"])
        if selector is None:
            return None
        chosen = [
            item.value
            for meta, item in of_kind
            if all(each.operator == "In" and meta.labels.get(each.key) in each.values for each in selector.requirements)
        ]
        return chosen or None


def validated(
    objects: Sequence[tuple[Meta, Field]], workloads: Iterable[Workload], namespaces: Namespaces, bindings: Bindings
) -> Iterator[Validated]:
    """Each policy that refuses something, or of which that is not known."""
    policies = [(meta, item) for meta, item in objects if meta.kind == VALIDATING]
    if not policies:
        return
    world = _World(objects, namespaces, bindings)
    created = [(each, tuple(arriving(each))) for each in workloads]
    for meta, item in policies:
        policy = read_policy(meta, item)
        refused: list[RefusedByPolicy] = []
        unsure: list[tuple[PodSet, ...]] = []
        why = ""
        for workload, made in created:
            if not is_below(item.at.file, workload.field.at.file):
                continue
            for each in made:
                if not world.is_about(policy, each.arrival):
                    continue
                found = _of_policy(world, policy, each)
                if isinstance(found, str):
                    unsure.append(each.pod_sets)
                    why = why or found
                else:
                    refused += [_refused(workload, policy, each, *pair) for pair in found]
        if refused or unsure:
            yield Validated(f"{VALIDATING} {meta.name}", item.at, tuple(_once(refused)), tuple(unsure), why)


def _of_policy(world: _World, policy: Policy, made: Arriving) -> list[tuple[Denied, Field]] | str:
    """What the policy refuses, each with the binding; or why it is not known whether it takes the object."""
    world.steps += (made.body.weight if made.body is not None else 1) * max(policy.expressions, 1)
    if world.steps > _MOST_STEPS:
        return _TOO_MANY
    constraints = policy.item.down("spec", "matchConstraints")
    matched = matches_constraints(constraints, made.arrival, world.namespaces)
    if matched is False:
        return []
    bound = world.bindings.by_policy.get(policy.name, [])
    if not bound:
        if world.bindings.stated:
            return []
        verdicts = _verdicts(world, policy, None, made)
        return _unsure(verdicts) if any(each.denied or each.unknown for each in verdicts) else []
    refused: list[tuple[Denied, Field]] = []
    for binding in bound:
        here = all_of((matched, matches_binding(binding, made.arrival, world.namespaces)))
        if here is False or not denies(binding):
            continue
        verdicts = _verdicts(world, policy, binding, made)
        denied = [each for verdict in verdicts for each in verdict.denied]
        if here is True and denied:
            refused += [(each, binding) for each in denied]
        elif denied or any(each.unknown for each in verdicts):
            return _unsure(verdicts)
    return refused


def _unsure(verdicts: Iterable[AdmissionVerdict]) -> str:
    """Why it is not known: an expression that cannot be evaluated, or what decides whether the policy is bound."""
    return next((why for each in verdicts for why in each.unknown), "what it is bound to is not known")


def _verdicts(world: _World, policy: Policy, binding: Field | None, made: Arriving) -> list[AdmissionVerdict]:
    body: Body | None = made.body
    params = world.params(policy, binding, made.arrival)
    if body is None or params is None:
        return [AdmissionVerdict(unknown=(_MISSING if params is None else _UNWRITTEN,))]
    text = "\n".join(policy.whole(each.rule.text) for each in policy.validations)
    values = world.values(made.arrival, text)
    return [judged(policy, body, {**values, "params": each}) for each in params]


def _refused(workload: Workload, policy: Policy, made: Arriving, denied: Denied, binding: Field) -> RefusedByPolicy:
    body = made.body
    assert body is not None
    rule = denied.validation
    below = body.item.path[len(workload.field.path) :]
    return RefusedByPolicy(
        workload.owner,
        workload.field,
        made.pod_sets,
        policy.name,
        denied.message,
        rule.rule.text,
        (*below, *body.place(policy.whole(rule.rule.text))),
        rule.item.at,
        binding.at,
        pods=made.arrival.kind == "Pod" and workload.owner.kind != "Pod",
        assumes=denied.assumes,
    )


def _once(found: Sequence[RefusedByPolicy]) -> Iterator[RefusedByPolicy]:
    """One for each object and validation; further pod sets join the first."""
    firsts: dict[tuple[ObjectRef, Location, bool], list[RefusedByPolicy]] = {}
    for each in found:
        firsts.setdefault((each.owner, each.rule, each.pods), []).append(each)
    for (owner, rule, pods), same in firsts.items():
        if pods and (owner, rule, False) in firsts:
            continue  # the object is refused for the same reason, so no pods are made
        sets = {id(each): each for one in same for each in one.pod_sets}
        yield replace(same[0], pod_sets=tuple(sets.values()))
