"""The two ends that a rule of Calico's names: selectors, namespaces, service accounts, addresses, Services (P 11.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from ipaddress import collapse_addresses
from typing import Any, Final

from trainlint.fact import fact
from trainlint.kube.values import read_strings
from trainlint.model.because import Because
from trainlint.model.policy import Peer, PortRule
from trainlint.model.selector import LabelCondition, LabelSelector, Requirement
from trainlint.model.workload import PortRange
from trainlint.policy.addresses import parse_prefix
from trainlint.policy.calico.labels import (
    ENDPOINT,
    ServiceAccounts,
    both,
    either,
    negation,
    prefixed_names,
    selector_of,
    translated,
)
from trainlint.policy.calico.sets import NetworkSets
from trainlint.policy.calico.written import condition
from trainlint.policy.context import PolicyContext, PolicyService
from trainlint.policy.ground import VerdictGround
from trainlint.policy.identity import NAMESPACE_KEY
from trainlint.policy.selector import Matcher
from trainlint.source.document import Field

__all__ = ["Entity", "RuleContext", "service_ports"]

_SOME_NAMESPACE: Final = LabelCondition("test", requirement=Requirement("projectcalico.org/namespace", "Exists"))
_NOT_IN_NAMESPACE: Final = negation(_SOME_NAMESPACE)


@fact
class RuleContext:
    """What rules are read with."""

    context: PolicyContext
    accounts: ServiceAccounts
    sets: NetworkSets


@fact(slots=False)
class Entity:
    """One end as a rule of a policy in ``namespace`` ("": of the cluster) names it; ``way`` is ``from`` or ``to``."""

    field: Field
    namespace: str
    way: str
    around: RuleContext

    @cached_property
    def positive(self) -> LabelCondition | None:
        """What endpoints must meet; ``None`` where no selector is written (rules.go getEndpointSelector)."""
        parts = [*self._account(), *([condition(self.field["selector"])] if self.field["selector"].scalar else [])]
        scope = self._scope()
        asked = bool(parts) or bool(self.field["notSelector"].scalar) or bool(self.field["namespaceSelector"].scalar)
        if scope is not None and asked:
            parts.insert(0, scope)
        return both(*parts) if parts else None

    @cached_property
    def negative(self) -> LabelCondition | None:
        """What endpoints must not meet (an address outside meets nothing); ``None`` where nothing is written."""
        return condition(self.field["notSelector"]) if self.field["notSelector"].scalar else None

    def _scope(self) -> LabelCondition | None:
        written = self.field["namespaceSelector"]
        if written.scalar:
            return prefixed_names(condition(written), "pcns.", _SOME_NAMESPACE, _NOT_IN_NAMESPACE)
        if self.namespace:
            item = Requirement("projectcalico.org/namespace", "In", (self.namespace,))
            return LabelCondition("test", requirement=item)
        return None

    def _account(self) -> Iterator[LabelCondition]:
        accounts = self.field["serviceAccounts"]
        if accounts["selector"].scalar:
            yield prefixed_names(condition(accounts["selector"]), "pcsa.")
        if names := read_strings(accounts["names"]):
            yield LabelCondition("test", requirement=Requirement("projectcalico.org/serviceaccount", "In", names))

    @property
    def nets(self) -> tuple[str, ...]:
        """Prefixes in which the address must lie; of neighbours their union."""
        return _united(read_strings(self.field["nets"]))

    @property
    def not_nets(self) -> tuple[str, ...]:
        """Prefixes in which it must not lie: those written, and those of sets that ``notSelector`` finds."""
        return (*read_strings(self.field["notNets"]), *self.around.sets.matching(self.negative))

    def peers(self) -> tuple[Peer, ...]:
        """The end as peers of an entry."""
        if self.field["services"].present:
            return tuple(_services(self.field["services"], self.namespace, self.around.context))
        at = self.field.at
        within = (self.nets,) if read_strings(self.field["nets"]) else ()
        if self.positive is None and self.negative is None:
            if within:
                written = f"nets: {', '.join(self.nets)}"
                return (Peer(prefixes=within, excepts=self.not_nets, kind="nets", written=written, at=at),)
            name = "everyone" if not self.not_nets else f"everyone but {', '.join(self.not_nets)}"
            return (Peer(excepts=self.not_nets, kind="notNets", written=f"{self.way}: {name}", at=at),)
        excluded = () if self.negative is None else (negation(both(ENDPOINT, self._here(self.negative))),)
        if self.positive is None:
            return (self._peer(both(*excluded), within),)
        alternatives = self.positive.operands if self.positive.form == "or" else (self.positive,)
        found = [self._peer(both(self._here(each), *excluded), within) for each in alternatives]
        if nets := self.around.sets.matching(self.positive):
            written = f"{self.way}: {self.text}"
            selector = selector_of(both(*excluded), self.text, self._place())
            prefixes = (_united(nets), *within)
            found.append(Peer(selector, prefixes, self.not_nets, kind="NetworkSets", written=written, at=at))
        return tuple(found)

    def _here(self, found: LabelCondition) -> LabelCondition:
        return translated(found, self.around.accounts)

    @property
    def text(self) -> str:
        """The selectors as people wrote them."""
        names = ("namespaceSelector", "selector", "notSelector")
        parts = [f"{name}: {text.strip()}" for name in names if (text := self.field[name].scalar)]
        if self.field["serviceAccounts"].present:
            parts.append("serviceAccounts")
        return ", ".join(parts)

    def _peer(self, found: LabelCondition, within: tuple[tuple[str, ...], ...]) -> Peer:
        selector = selector_of(found, self.text, self._place())
        if self.positive is not None and Matcher.of(selector).matches({}) is not False:
            # It asks for no label that outsiders lack: only endpoints are meant all the same.
            rest = both(ENDPOINT, *([selector.expression] if selector.expression else ()))
            selector = replace(selector, expression=replace(rest, text=self.text))
        return Peer(
            selector,
            excepts=self.not_nets,
            within=within,
            kind="selector",
            written=f"{self.way}: {self.text}",
            at=self.field.at,
        )

    def _place(self) -> Any:
        for name in ("selector", "namespaceSelector", "notSelector"):
            if self.field[name].scalar:
                return self.field[name].at
        return self.field.at

    def own_condition(self) -> LabelCondition | None:
        """What the pods of the policy themselves must meet for the rule; ``None`` where nothing is asked of them.

        Pods that do not meet it may still have an address in a set that does.
        """
        parts = [] if self.positive is None else [self.positive]
        if self.positive is not None and self.around.sets.matching(self.positive):
            parts = [either(self.positive, LabelCondition("unknown"))]
        if self.negative is not None:
            parts.append(negation(self.negative))
        return both(*parts) if parts else None

    def own_doubt(self) -> Because | None:
        """Why it is open whether the policy's own pods are this end; ``None`` where their address does not decide."""
        nets = self.nets
        everywhere = not nets or any(net.endswith("/0") and ":" not in net for net in nets)
        if not everywhere or self.not_nets or self.field["services"].present:
            return Because(VerdictGround.OWN_ADDRESS, (self.field.path[-1],))
        return None


def _united(nets: tuple[str, ...]) -> tuple[str, ...]:
    """Prefixes that lie beside each other as one."""
    parsed = [parse_prefix(net if "/" in net else f"{net}/{128 if ':' in net else 32}") for net in nets]
    if len(nets) < 2 or any(each is None for each in parsed):
        return nets
    found: list[str] = []
    for version in (4, 6):
        same: list[Any] = [each for each in parsed if each is not None and each.version == version]
        found += (str(each) for each in collapse_addresses(same))
    return tuple(found)


def _services(field: Field, namespace: str, context: PolicyContext) -> Iterator[Peer]:
    """The pods behind a Service, or the addresses of one without a selector."""
    name, where = field["name"].scalar or "", field["namespace"].scalar or namespace
    found = next((each for each in context.services if (each.namespace, each.name) == (where, name)), None)
    written = f"services: {where}/{name}"
    if found is not None and found.selector:
        labels = [Requirement(f"k8s:{key}", "In", (value,)) for key, value in found.selector.items()]
        labels.append(Requirement(f"k8s:{NAMESPACE_KEY}", "In", (where,)))
        yield Peer(LabelSelector(tuple(labels), field.at), kind="Services", written=written, at=field.at)
    elif found is not None and found.endpoints:
        yield Peer(prefixes=(found.endpoints,), kind="Services", written=written, at=field.at)
    elif found is not None:
        ground = Because(VerdictGround.SERVICE_ADDRESSES, (written,))
        yield Peer(undecidable=ground, kind="Services", written=written, at=field.at)
    else:
        yield Peer(
            undecidable=Because(VerdictGround.UNREAD_SERVICE, (f"{where}/{name}",)), kind="Services", at=field.at
        )


def service_ports(field: Field, namespace: str, context: PolicyContext) -> tuple[PortRule, ...] | None:
    """The ports on which the pods behind a Service listen for it; ``None`` where they are not known."""
    name, where = field["name"].scalar or "", field["namespace"].scalar or namespace
    found: PolicyService | None = next(
        (each for each in context.services if (each.namespace, each.name) == (where, name)), None
    )
    if found is None or not found.ports:
        return None
    rules = []
    for protocol, target in found.ports:
        if target.isdecimal():
            rules.append(PortRule(protocol, PortRange(int(target), int(target)), at=field.at))
        else:
            rules.append(PortRule(protocol, name=target, at=field.at))
    return tuple(rules)
