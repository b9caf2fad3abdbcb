"""The rules of one policy as entries (P 11.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.finding import Location
from trainlint.model.policy import Action, Condition, Direction, PolicyEntry
from trainlint.model.selector import LabelCondition, LabelSelector, Requirement
from trainlint.model.workload import ObjectRef
from trainlint.policy.calico.entities import Entity, RuleContext, service_ports
from trainlint.policy.calico.labels import both, prefixed_names, selector_of, translated
from trainlint.policy.calico.ports import traffic
from trainlint.policy.calico.written import condition
from trainlint.source.document import Field

__all__ = ["policy_entries", "policy_types"]

ACTIONS: Final = {"Allow": Action.ALLOW, "Deny": Action.DENY, "Pass": Action.PASS}
_NAMESPACED: Final = LabelCondition("test", requirement=Requirement("projectcalico.org/namespace", "Exists"))
_WITH_ACCOUNT: Final = LabelCondition("test", requirement=Requirement("projectcalico.org/serviceaccount", "Exists"))


def policy_types(root: Field, *, defaulted: bool) -> frozenset[str]:
    """The directions that a policy is about. Without ``types`` those of its rules, which the API server writes there
    (``defaulted``); where the object does not pass through Calico's API, both.
    """
    spec = root["spec"]
    written = frozenset(text for each in spec["types"].elements() if (text := each.scalar))
    if written or not defaulted:
        return written or frozenset({"Ingress", "Egress"})
    if not spec["egress"].value:
        return frozenset({"Ingress"})
    return frozenset({"Ingress", "Egress"} if spec["ingress"].value else {"Egress"})


def policy_entries(
    root: Field, origin: ObjectRef, around: RuleContext, *, defaulted: bool
) -> Iterator[tuple[PolicyEntry, int]]:
    """The entries of a policy, each with the place of its rule among those of its direction.

    Every direction that the policy is about has at least one entry that isolates, which need not admit anything.
    """
    types = policy_types(root, defaulted=defaulted)
    found = _subject_condition(root["spec"], origin.namespace)
    subject = _selector(root, found, around)
    for direction, name in ((Direction.INGRESS, "Ingress"), (Direction.EGRESS, "Egress")):
        if name not in types:
            continue
        rules = root["spec"][direction.value]
        isolating = False
        for index, rule in enumerate(rules.elements()):
            entry = _entry(rule, origin, direction, subject, found, around)
            if entry is not None:
                isolating = isolating or entry.isolates
                yield entry, index
        if not isolating:
            at = rules.at if rules.present else root["spec"].at
            yield _blank(origin, direction, subject, at), 0


def _blank(origin: ObjectRef, direction: Direction, subject: LabelSelector, at: Location) -> PolicyEntry:
    return PolicyEntry(
        origin=origin,
        namespace=origin.namespace,
        direction=direction,
        action=Action.ALLOW,
        subject=subject,
        peers=(),
        ports=None,
        isolates=True,
        at=at,
    )


def _subject_condition(spec: Field, namespace: str) -> LabelCondition:
    """Which endpoints a policy is about (networkpolicyprocessor.go, globalnetworkpolicyprocessor.go)."""
    found, accounts = condition(spec["selector"]), spec["serviceAccountSelector"]
    if namespace:
        item = Requirement("projectcalico.org/namespace", "In", (namespace,))
        found = both(found, LabelCondition("test", requirement=item))
        if accounts.scalar:
            found = both(found, prefixed_names(condition(accounts), "pcsa."))
        return found
    if spec["namespaceSelector"].scalar:
        # all() means "in some namespace" then, in the policy's own selector too.
        found = _all_as(found, _NAMESPACED)
        found = both(found, prefixed_names(condition(spec["namespaceSelector"]), "pcns.", _NAMESPACED))
    if accounts.scalar:
        found = both(_all_as(found, _WITH_ACCOUNT), prefixed_names(condition(accounts), "pcsa.", _WITH_ACCOUNT))
    return found


def _all_as(found: LabelCondition, everything: LabelCondition) -> LabelCondition:
    return found if found.requirement is not None else prefixed_names(found, "", everything)


def _selector(root: Field, found: LabelCondition, around: RuleContext) -> LabelSelector:
    names = ("namespaceSelector", "selector", "serviceAccountSelector")
    fields = [root["spec"][name] for name in names if root["spec"][name].scalar]
    text = ", ".join(f"{each.path[-1]}: {(each.scalar or '').strip()}" for each in fields)
    written = root["spec"]["selector"]
    at = written.at if written.present else fields[0].at if fields else root["spec"].at
    return selector_of(translated(found, around.accounts), text, at)


def _entry(
    rule: Field,
    origin: ObjectRef,
    direction: Direction,
    subject: LabelSelector,
    found: LabelCondition,
    around: RuleContext,
) -> PolicyEntry | None:
    """The entry of one rule; ``None`` where it decides nothing (Log)."""
    action = ACTIONS.get(rule["action"].scalar or "")
    if action is None:
        return None
    ingress = direction is Direction.INGRESS
    source = Entity(rule["source"], origin.namespace, "from", around)
    destination = Entity(rule["destination"], origin.namespace, "to", around)
    own, other = (destination, source) if ingress else (source, destination)
    listed = None
    if not ingress and other.field["services"].present:
        listed = service_ports(other.field["services"], origin.namespace, around.context)
    half = traffic(rule, listed)
    asked = own.own_condition()
    if asked is not None:
        whole = translated(both(found, asked), around.accounts)
        subject = selector_of(whole, f"{own.way}: {own.text}", own.field.at)
    return PolicyEntry(
        origin=origin,
        namespace=origin.namespace,
        direction=direction,
        action=action,
        subject=subject,
        peers=other.peers(),
        ports=half.ports,
        isolates=asked is None,
        only_if=(Condition.HTTP,) if rule["http"].value and action is Action.ALLOW else (),
        at=rule.at,
        doubtful=own.own_doubt() or half.doubt,
        not_ports=half.not_ports,
    )
