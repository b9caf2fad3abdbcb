"""The admission objects that may refuse or change what groups are made of, with those groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location, Unknown
from trainlint.installed.gates.arrival import Arrival, arrivals
from trainlint.installed.gates.gatekeeper import matches_constraint, read_exempt, verb_of
from trainlint.installed.gates.kyverno import is_policy, matches_rule, rules_of
from trainlint.installed.gates.match import any_of
from trainlint.installed.gates.native import (
    NATIVE,
    is_policy_of_kyverno,
    matches_kyverno,
    matches_native,
    read_bindings,
)
from trainlint.installed.gates.podsecurity import breaks
from trainlint.installed.gates.validated import VALIDATING, RefusedByPolicy, Validated, validated
from trainlint.installed.gates.webhooks import matches_webhook
from trainlint.installed.ground import InstalledGround
from trainlint.installed.kinds import ENFORCE
from trainlint.kube.meta import Meta
from trainlint.model.because import Because
from trainlint.model.namespace import Namespaces
from trainlint.model.needs import NeedGround
from trainlint.model.workload import Workloads
from trainlint.source.document import Field
from trainlint.source.examples import is_below

__all__ = ["Gate", "admission_of"]

_WEBHOOKS: Final = {"MutatingWebhookConfiguration": "mutate", "ValidatingWebhookConfiguration": "validate"}
_LISTED: Final = 3

Matches = Callable[[Arrival], bool | None]


@fact
class Gate:
    """An admission object that may change (``changes``) or refuse the pods of groups, or what they come from; ``why``
    says what is missing to tell which.
    """

    name: str
    changes: bool
    groups: tuple[str, ...]
    at: Location
    why: str = ""

    @property
    def need(self) -> Because:
        """What must hold where it is said what a cluster must have."""
        return Because(NeedGround.CHANGED if self.changes else NeedGround.LET_IN, (self.name,))

    def unknown(self) -> Unknown:
        """What is not known because of it."""
        more = f" and {len(self.groups) - _LISTED} more" if len(self.groups) > _LISTED else ""
        shown = f"{', '.join(self.groups[:_LISTED])}{more}"
        missing = (
            f"what it changes in the pods of {shown}" if self.changes else f"whether it lets the pods of {shown} in"
        )
        missing = f"{missing} ({self.why})" if self.why else missing
        return Unknown(self.name, missing, "ask the cluster: kubectl create --dry-run=server -o yaml -f FILE", self.at)


def admission_of(
    objects: Iterable[tuple[Meta, Field]], workloads: Workloads, namespaces: Namespaces
) -> tuple[tuple[Gate, ...], tuple[RefusedByPolicy, ...]]:
    """What may change or refuse the pods of groups, and what policies do refuse of workloads. Admission objects of
    examples are for what lies beside them.
    """
    listed = list(objects)
    found = list(validated(listed, workloads.objects, namespaces, read_bindings(listed)[VALIDATING]))
    opened = (*_gates(listed, workloads, namespaces), *_unsure(found, workloads))
    refused = tuple(_beside(each, opened, workloads) for policy in found for each in policy.refused)
    return opened, refused


def _unsure(found: Iterable[Validated], workloads: Workloads) -> Iterator[Gate]:
    """The policies of which it is not known whether they let pods of groups in."""
    for policy in found:
        sets = {id(each) for several in policy.unsure for each in several}
        named = [group.name for group in workloads.groups if any(id(each) in sets for each in group.members)]
        if named:
            yield Gate(policy.name, changes=False, groups=tuple(dict.fromkeys(named)), at=policy.at, why=policy.why)


def _beside(refused: RefusedByPolicy, opened: Iterable[Gate], workloads: Workloads) -> RefusedByPolicy:
    """What is refused, unless something that changes objects first changes that."""
    names = {group.name for group in workloads.groups if any(each in refused.pod_sets for each in group.members)}
    changing = [each.name for each in opened if each.changes and not names.isdisjoint(each.groups)]
    assumes = tuple(Because(InstalledGround.POLICY_UNCHANGED, (each,)) for each in changing)
    return replace(refused, assumes=(*refused.assumes, *assumes))


def _gates(objects: Iterable[tuple[Meta, Field]], workloads: Workloads, namespaces: Namespaces) -> Iterator[Gate]:
    """One for each object whose verdict is not worked out, and for each of the two that it may do."""
    listed = list(objects)
    arriving = [(each, tuple(arrivals(workloads.objects, each.members))) for each in workloads.groups]
    for meta, item, verb, matches in _admitting(listed, namespaces):
        named = tuple(
            dict.fromkeys(
                group.name
                for group, created in arriving
                if is_below(item.at.file, (group.at or group.members[0].at).file)
                and any(matches(each) is not False for each in created)
            )
        )
        if named:
            name = f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name
            yield Gate(f"{meta.kind} {name}", verb == "mutate", named, item.at)
    yield from _secured(listed, workloads)


def _secured(objects: Sequence[tuple[Meta, Field]], workloads: Workloads) -> Iterator[Gate]:
    """The namespaces that enforce a level of Pod Security which pods of groups break."""
    written = {str(each.owner): each for each in workloads.objects}
    for meta, item in objects:
        level = meta.labels.get(ENFORCE, "") if meta.kind == "Namespace" else ""
        if not level:
            continue
        found: dict[str, list[str]] = {}
        for group in workloads.groups:
            for pods in group.members:
                if pods.namespace == meta.name and pods.replicas != 0 and (why := breaks(level, pods, written)):
                    found.setdefault(why, []).append(group.name)
        for why, names in found.items():
            name = f"Pod Security {level} of Namespace {meta.name} ({why})"
            yield Gate(name, changes=False, groups=tuple(dict.fromkeys(names)), at=item.down("metadata", "labels").at)


def _admitting(
    objects: Sequence[tuple[Meta, Field]], namespaces: Namespaces
) -> Iterator[tuple[Meta, Field, str, Matches]]:
    """The objects that act at admission, each with what it does, and a test of what it does it with."""
    bindings, exempt = read_bindings(objects), read_exempt(objects)
    for meta, item in objects:
        if meta.kind in _WEBHOOKS:
            yield meta, item, _WEBHOOKS[meta.kind], partial(_by_webhooks, meta, item, namespaces)
        elif meta.kind in NATIVE and meta.kind != VALIDATING:
            yield meta, item, _verb(meta), partial(matches_native, meta, item, bindings[meta.kind], namespaces)
        elif is_policy_of_kyverno(meta):
            yield meta, item, _verb(meta), partial(matches_kyverno, meta, item, namespaces)
        elif is_policy(meta):
            for verb in ("mutate", "validate"):
                rules = [rule for of, rule in rules_of(item) if of == verb]
                yield meta, item, verb, partial(_by_rules, meta, verb, rules, item["spec"], namespaces)
        elif verb := verb_of(meta):
            yield meta, item, verb, partial(matches_constraint, meta, item, exempt, namespaces)


def _verb(meta: Meta) -> str:
    return "mutate" if "Mutating" in meta.kind else "validate"


def _by_webhooks(meta: Meta, item: Field, namespaces: Namespaces, arrival: Arrival) -> bool | None:
    return any_of(matches_webhook(meta, each, namespaces, arrival) for each in item["webhooks"].elements())


def _by_rules(
    meta: Meta, verb: str, rules: Sequence[Field], spec: Field, namespaces: Namespaces, arrival: Arrival
) -> bool | None:
    return any_of(matches_rule(meta, verb, each, spec, namespaces, arrival) for each in rules)
