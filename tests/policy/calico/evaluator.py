"""Calico's policies judged packet by packet, in the words of its documents: nothing of trainlint is used here.

The order of projectcalico/calico: felix/rules/endpoints.go (tiers, the end of a tier, profiles), felix/rules/policy.go
(all criteria of a rule must match), felix/calc/policy_sorter.go (order). Selectors come as functions of labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from math import inf
from typing import Any

Labels = Mapping[str, str]
Selector = Callable[[Labels], bool]


def every_namespace(_: Labels) -> bool:
    """``all()`` as a namespace selector, which asks for some namespace."""
    return True


@dataclass(frozen=True)
class Party:
    """An address, of a pod (with labels, namespace, named ports) or outside."""

    labels: Labels = field(default_factory=dict)
    namespace: str = ""
    ports: Mapping[str, int] = field(default_factory=dict)
    address: str = ""

    @property
    def all_labels(self) -> Labels:
        return {**self.labels, "projectcalico.org/namespace": self.namespace, "projectcalico.org/orchestrator": "k8s"}


@dataclass(frozen=True)
class Entity:
    selector: Selector | None = None
    not_selector: Selector | None = None
    namespace_selector: Selector | None = None
    nets: tuple[str, ...] = ()
    not_nets: tuple[str, ...] = ()
    ports: tuple[Any, ...] = ()
    not_ports: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Rule:
    action: str
    source: Entity = Entity()
    destination: Entity = Entity()
    protocol: str = ""
    not_protocol: str = ""


@dataclass(frozen=True)
class Policy:
    name: str
    namespace: str
    selector: Selector
    tier: str
    order: float | None
    types: tuple[str, ...]
    ingress: tuple[Rule, ...] = ()
    egress: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class World:
    tiers: Mapping[str, tuple[float, str]]
    policies: tuple[Policy, ...]
    namespaces: Mapping[str, Labels]
    sets: tuple[tuple[Labels, tuple[str, ...]], ...] = ()

    def allows(self, source: Party, target: Party, protocol: str, port: int) -> bool:
        packet = (source, target, protocol, port)
        return all(
            self._chain(end, way, packet) for end, way in ((source, "Egress"), (target, "Ingress")) if end.namespace
        )

    def _chain(self, end: Party, way: str, packet: tuple[Party, Party, str, int]) -> bool:
        for tier in sorted(self.tiers, key=lambda name: (self.tiers[name][0], name)):
            mine = [
                each for each in self.policies if each.tier == tier and self._selects(each, end) and way in each.types
            ]
            mine.sort(key=lambda each: (inf if each.order is None else each.order, f"{each.name}/{each.namespace}"))
            verdict = self._tier(mine, way, packet)
            if verdict in ("Allow", "Deny"):
                return verdict == "Allow"
            if mine and verdict != "Pass" and self.tiers[tier][1] == "Deny":
                return False
        return True  # the profile of the namespace

    def _selects(self, policy: Policy, end: Party) -> bool:
        return (not policy.namespace or policy.namespace == end.namespace) and policy.selector(end.all_labels)

    def _tier(self, policies: list[Policy], way: str, packet: tuple[Party, Party, str, int]) -> str:
        for policy in policies:
            for rule in policy.ingress if way == "Ingress" else policy.egress:
                if rule.action != "Log" and self._matches(rule, policy.namespace, packet):
                    return rule.action
        return ""

    def _matches(self, rule: Rule, namespace: str, packet: tuple[Party, Party, str, int]) -> bool:
        source, target, protocol, port = packet
        if rule.protocol and rule.protocol != protocol:
            return False
        if rule.not_protocol and rule.not_protocol == protocol:
            return False
        if rule.destination.ports and not self._port(rule.destination.ports, target, port):
            return False
        if rule.destination.not_ports and self._port(rule.destination.not_ports, target, port):
            return False
        return self._entity(rule.source, source, namespace) and self._entity(rule.destination, target, namespace)

    def _port(self, ports: tuple[Any, ...], target: Party, port: int) -> bool:
        for each in ports:
            if isinstance(each, tuple):
                if each[0] <= port <= each[1]:
                    return True
            elif isinstance(each, int):
                if each == port:
                    return True
            elif target.ports.get(each) == port:
                return True
        return False

    def _entity(self, entity: Entity, end: Party, namespace: str) -> bool:
        if entity.nets and not self._within(entity.nets, end):
            return False
        if entity.not_nets and self._within(entity.not_nets, end):
            return False
        if entity.not_selector is not None and self._is(entity.not_selector, None, "", end):
            return False
        scoped = entity.selector or entity.namespace_selector or entity.not_selector
        limited = namespace if entity.namespace_selector is None else ""
        if scoped and (entity.selector or entity.namespace_selector or limited):
            return self._is(entity.selector, entity.namespace_selector, limited, end)
        return True

    def _is(self, selector: Selector | None, of_namespace: Selector | None, namespace: str, end: Party) -> bool:
        """Whether the address of an end is that of an endpoint, or lies in a set, with such labels."""
        if end.namespace and self._labelled(end.all_labels, end.namespace, selector, of_namespace, namespace):
            return True
        for labels, nets in self.sets:
            own = labels.get("projectcalico.org/namespace", "")
            if self._labelled(labels, own, selector, of_namespace, namespace) and self._within(nets, end):
                return True
        return False

    def _labelled(
        self, labels: Labels, own: str, selector: Selector | None, of_namespace: Selector | None, namespace: str
    ) -> bool:
        if namespace and own != namespace:
            return False
        if of_namespace is every_namespace and not own:
            return False
        # A global set has no labels of a namespace, which a negative selector takes (rules.go:68-80).
        if of_namespace is not None and not of_namespace(self.namespaces.get(own, {})):
            return False
        return selector is None or selector(labels)

    def _within(self, nets: tuple[str, ...], end: Party) -> bool:
        return any(ip_address(end.address) in ip_network(net) for net in nets)
