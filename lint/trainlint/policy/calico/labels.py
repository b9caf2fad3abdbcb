"""Conditions on Calico's labels as conditions on what policies see of pods here (P 11.2, 11.3).

Calico gives a pod the labels of its manifest, its namespace and service account under ``projectcalico.org/``, and the
labels of both under the prefixes ``pcns.`` and ``pcsa.``. Sources: projectcalico/calico:libcalico-go/lib/backend/
k8s/conversion/workload_endpoint_default.go, conversion.go, syncersv1/updateprocessors/rules.go and selectors.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.selector import LabelCondition, LabelSelector, Requirement
from trainlint.policy.calico.language import ALL, GLOBAL
from trainlint.policy.identity import NAMESPACE_KEY, NAMESPACE_LABELS, SERVICE_ACCOUNT_KEY

__all__ = [
    "ENDPOINT",
    "HOST_ENDPOINT",
    "ServiceAccounts",
    "both",
    "either",
    "negation",
    "prefixed_names",
    "selector_of",
    "translated",
]

HOST_ENDPOINT: Final = "reserved:host-endpoint"
_NAME: Final = "projectcalico.org/name"
_ORCHESTRATOR: Final = "projectcalico.org/orchestrator"
_OWN: Final = {
    "projectcalico.org/namespace": f"k8s:{NAMESPACE_KEY}",
    f"pcns.{_NAME}": f"k8s:{NAMESPACE_KEY}",
    "projectcalico.org/serviceaccount": f"k8s:{SERVICE_ACCOUNT_KEY}",
    f"pcsa.{_NAME}": f"k8s:{SERVICE_ACCOUNT_KEY}",
}
_UNKNOWN: Final = LabelCondition("unknown")
_NEVER: Final = LabelCondition("or")


def _exists(key: str) -> LabelCondition:
    return LabelCondition("test", requirement=Requirement(key, "Exists"))


IN_NAMESPACE: Final = _exists(f"k8s:{NAMESPACE_KEY}")
"""Holds for pods, and for nothing else."""
ENDPOINT: Final = LabelCondition("or", (IN_NAMESPACE, _exists(HOST_ENDPOINT)), text="any endpoint")
"""Holds for pods and for nodes of which a HostEndpoint is made: an address outside is no endpoint."""


@fact
class ServiceAccounts:
    """The labels of the ServiceAccounts in Git, by namespace and name."""

    labels: Mapping[tuple[str, str], Mapping[str, str]]

    def holding(self, meets: Callable[[Mapping[str, str]], bool]) -> LabelCondition:
        """The pods whose account has labels that meet something. Accounts named ``default`` have none unless Git gives
        them some; of others that are not in Git nothing is known.
        """
        met = [pair for pair, labels in self.labels.items() if meets(labels)]
        unlabelled = [_of_account("", "default")] if meets({}) else []
        known = [_of_account(*pair) for pair in self.labels] + [_of_account("", "default")]
        given = [pair for pair in self.labels if pair[1] == "default"]
        plain = both(*unlabelled, *(negation(_of_account(*pair)) for pair in given)) if unlabelled else _NEVER
        has_account = _exists(f"k8s:{SERVICE_ACCOUNT_KEY}")
        others = both(has_account, *(negation(each) for each in known), _UNKNOWN)
        return either(
            *(_of_account(*pair) for pair in met), plain, others, *([negation(has_account)] if unlabelled else ())
        )


def _of_account(namespace: str, name: str) -> LabelCondition:
    account = LabelCondition("test", requirement=Requirement(f"k8s:{SERVICE_ACCOUNT_KEY}", "In", (name,)))
    if not namespace:
        return account
    return both(LabelCondition("test", requirement=Requirement(f"k8s:{NAMESPACE_KEY}", "In", (namespace,))), account)


def negation(found: LabelCondition) -> LabelCondition:
    """The opposite of a condition."""
    return LabelCondition("not", (found,))


def both(*parts: LabelCondition) -> LabelCondition:
    """All of some conditions."""
    flat: list[LabelCondition] = []
    for each in parts:
        flat += each.operands if each.form == "and" else (each,)
    return flat[0] if len(flat) == 1 else LabelCondition("and", tuple(flat))


def either(*parts: LabelCondition) -> LabelCondition:
    """One of some conditions."""
    flat: list[LabelCondition] = []
    for each in parts:
        flat += each.operands if each.form == "or" else (each,)
    return flat[0] if len(flat) == 1 else LabelCondition("or", tuple(flat))


def prefixed_names(
    found: LabelCondition, prefix: str, everything: LabelCondition = ALL, outside: LabelCondition = ALL
) -> LabelCondition:
    """A condition on the labels of a namespace (``pcns.``) or service account (``pcsa.``) as one on those of a pod.

    ``everything`` takes the place of ``all()``, ``outside`` that of ``global()``.
    """
    if found is GLOBAL:
        return outside
    if found.form == "and" and not found.operands:
        return everything
    if found.requirement is not None:
        return replace(found, requirement=replace(found.requirement, key=prefix + found.requirement.key))
    return replace(found, operands=tuple(prefixed_names(each, prefix, everything, outside) for each in found.operands))


def selector_of(found: LabelCondition, text: str = "", at: Location | None = None) -> LabelSelector:
    """A translated condition as a selector: plain requirements as such, what is more beside them.

    Requirements have no place of their own, so that no repair writes a value over a whole selector.
    """
    requirements: list[Requirement] = []
    rest: list[LabelCondition] = []
    for each in _flat(_turned(found, negated=False)):
        if each.requirement is not None and each.requirement.operator in ("In", "NotIn", "Exists", "DoesNotExist"):
            requirements.append(each.requirement)
        else:
            rest.append(each)
    expression = replace(both(*rest), text=text) if rest else None
    return LabelSelector(tuple(requirements), at, expression)


def _flat(found: LabelCondition) -> tuple[LabelCondition, ...]:
    if found.form != "and":
        return (found,)
    return tuple(inner for each in found.operands for inner in _flat(each))


_OPPOSITE: Final = {"In": "NotIn", "NotIn": "In", "Exists": "DoesNotExist", "DoesNotExist": "Exists"}


def _turned(found: LabelCondition, *, negated: bool) -> LabelCondition:
    """The condition with negations at its tests only."""
    if found.form == "not":
        return _turned(found.operands[0], negated=not negated)
    if found.form in ("and", "or"):
        operands = tuple(_turned(each, negated=negated) for each in found.operands)
        form = {"and": "or", "or": "and"}[found.form] if negated else found.form
        return operands[0] if len(operands) == 1 else replace(found, form=form, operands=operands)
    if not negated or found.form == "unknown":
        return found
    item = found.requirement
    if item is None or item.operator not in _OPPOSITE:
        return negation(found)
    return replace(found, requirement=replace(item, operator=_OPPOSITE[item.operator]))


def translated(found: LabelCondition, accounts: ServiceAccounts) -> LabelCondition:
    """A condition on Calico's labels as one on the labels that ends of connections have here."""
    item = found.requirement
    if item is None:
        return replace(found, operands=tuple(translated(each, accounts) for each in found.operands))
    name = item.key
    if name in _OWN:
        return replace(found, requirement=replace(item, key=_OWN[name]))
    if name.startswith("pcns."):
        return replace(found, requirement=replace(item, key=f"k8s:{NAMESPACE_LABELS}{name.removeprefix('pcns.')}"))
    if name.startswith("pcsa."):
        return _of_service_account(item, accounts)
    if name == _ORCHESTRATOR:
        return _of_orchestrator(item)
    return replace(found, requirement=replace(item, key=f"k8s:{name}"))


def _of_service_account(item: Requirement, accounts: ServiceAccounts) -> LabelCondition:
    from trainlint.policy.selector import Matcher  # noqa: PLC0415 (few policies ask for them)

    key = item.key.removeprefix("pcsa.")
    matcher = Matcher((), LabelCondition("test", requirement=replace(item, key=key)))
    return accounts.holding(lambda labels: matcher.matches(labels) is True)


def _of_orchestrator(item: Requirement) -> LabelCondition:
    """Pods have the orchestrator ``k8s``, host endpoints have none."""
    from trainlint.policy.selector import Matcher  # noqa: PLC0415 (few policies ask for it)

    matcher = Matcher((), LabelCondition("test", requirement=item))
    pods, others = (matcher.matches(labels) is True for labels in ({item.key: "k8s"}, dict[str, str]()))
    if pods == others:
        return ALL if pods else _NEVER
    return IN_NAMESPACE if pods else negation(IN_NAMESPACE)
