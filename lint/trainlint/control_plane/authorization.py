"""What Istio's AuthorizationPolicies say about a connection: CUSTOM first, then DENY, then ALLOW."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.authorization import AuthorizationPolicy, AuthorizationRule, Term
from trainlint.kube.values import is_placeholder
from trainlint.model.workload import PodSet, PortRange
from trainlint.scheduling.requirement import selector_matches
from trainlint.scheduling.ternary import every, some

__all__ = ["AuthorizationRefusal", "Caller", "authorized"]

_TRUST_DOMAIN: Final = "cluster.local"


@fact
class Caller:
    """Who a proxy takes the caller for: a service account, known by mutual TLS; a plain connection has none."""

    namespace: str
    account: str


@fact
class AuthorizationRefusal:
    """The policy that refuses a connection, and the place in it; ``by_rule`` says that a rule of it (DENY) matches."""

    policy: AuthorizationPolicy
    at: Location
    by_rule: bool


def authorized(
    policies: Sequence[AuthorizationPolicy], target: PodSet, callers: Iterable[Caller | None], ports: PortRange
) -> AuthorizationRefusal | bool | None:
    """Whether a proxy takes the connection, for each of ``callers`` that it may take the caller for (``None``: plain).

    The refusal where it surely refuses, ``True`` where it surely takes it on every port, ``None`` where that is open.
    ``policies`` are those of the target's namespace and of the root namespace.
    """
    answers = [_answer(policies, target, caller, ports) for caller in callers]
    if all(isinstance(each, AuthorizationRefusal) for each in answers):
        return answers[0] if answers else None
    return True if all(each is True for each in answers) else None


def _answer(
    policies: Sequence[AuthorizationPolicy], target: PodSet, caller: Caller | None, ports: PortRange
) -> AuthorizationRefusal | bool | None:
    found: dict[str, list[tuple[AuthorizationPolicy, bool | None]]] = {"CUSTOM": [], "DENY": [], "ALLOW": []}
    for policy in policies:
        selected = selector_matches(policy.selector, target.labels)
        if selected is not False:
            matched = some(_rule(rule, policy, caller, ports) for rule in policy.rules)
            found.setdefault(policy.action, []).append((policy, every([selected, matched])))
            if selected is None and policy.action == "ALLOW":  # without it, the others decide
                found["ALLOW"][-1] = (policy, None)
    open_ = any(matched is not False for _, matched in found["CUSTOM"]) or len(found) > 3
    for policy, matched in found["DENY"]:
        if matched:
            rule = next((each for each in policy.rules if _rule(each, policy, caller, ports)), None)
            return AuthorizationRefusal(policy, rule.at if rule is not None else policy.at, by_rule=True)
        open_ = open_ or matched is None
    allowing = [matched for _, matched in found["ALLOW"]]
    if allowing and not any(matched is not False for matched in allowing):
        return AuthorizationRefusal(found["ALLOW"][0][0], found["ALLOW"][0][0].at, by_rule=False)
    if open_ or (allowing and True not in allowing):
        return None
    return True


def _rule(rule: AuthorizationRule, policy: AuthorizationPolicy, caller: Caller | None, ports: PortRange) -> bool | None:
    parts = [every(_term(term, policy, caller, ports) for term in rule.conditions)]
    for alternatives in (rule.sources, rule.operations):
        if alternatives:
            terms = ([_term(term, policy, caller, ports) for term in each] for each in alternatives)
            parts.append(some(map(every, terms)))
    return every(parts)


def _term(term: Term, policy: AuthorizationPolicy, caller: Caller | None, ports: PortRange) -> bool | None:
    if not term.attribute:
        return None
    wanted = some(_value(term.attribute, each, policy, caller, ports) for each in term.values)
    unwanted = some(_value(term.attribute, each, policy, caller, ports) for each in term.excluded)
    left = None if unwanted is None else not unwanted
    return every([wanted, left]) if term.values else left


def _value(
    attribute: str, text: str, policy: AuthorizationPolicy, caller: Caller | None, ports: PortRange
) -> bool | None:
    """Whether the connection has a value of an attribute; ``None`` where that depends on the port or on the mesh."""
    if caller is None and attribute != "port":
        return False
    if is_placeholder(text):
        return None
    if attribute == "port" or caller is None:
        if not text.isdecimal() or not ports.first <= int(text) <= ports.last:
            return False
        return True if ports.first == ports.last else None
    if attribute == "namespace":
        return _like(text, caller.namespace)
    if attribute == "serviceAccount":
        namespace, slash, account = text.rpartition("/")
        return (namespace if slash else policy.namespace, account) == (caller.namespace, caller.account)
    rest = f"ns/{caller.namespace}/sa/{caller.account}"
    domain, found, _ = text.partition("/ns/")
    if not found or "*" in domain or domain in {_TRUST_DOMAIN, ""}:
        return _like(text, f"{_TRUST_DOMAIN}/{rest}")
    same = _like(text, f"{domain}/{rest}")
    return None if same else False  # another trust domain: that of the mesh, or not


def _like(pattern: str, text: str) -> bool:
    """Whether a text matches a pattern of Istio: exact, or with a star at its begin or end."""
    if pattern == "*":
        return bool(text)
    if pattern.startswith("*"):
        return text.endswith(pattern[1:])
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern
