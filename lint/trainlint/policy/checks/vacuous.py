"""Lists that are written and empty: they match no peer or every peer, never what their author meant (P 1.3, 1.4)."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fact import fact
from trainlint.policy.cilium import rules as cilium_rules
from trainlint.source.document import Field

__all__ = ["Vacuous", "vacuous"]

SECTIONS = ("ingress", "ingressDeny", "egress", "egressDeny")
KILLING = ("Endpoints", "Nodes", "Entities", "CIDR", "CIDRSet")
"""Peer lists that make their element match no peer when they are written empty."""

OPENING = ("FQDNs", "Groups", "Services")
"""Peer lists that count as not written when they are empty."""


@fact
class Vacuous:
    """An empty list, what it matches, and whether it counts as not written or keeps its element from matching."""

    field: Field
    name: str
    matches: str
    unwritten: bool = False
    isolating: bool = False


def vacuous(root: Field) -> Iterator[Vacuous]:
    """The empty lists of a policy object."""
    if root["kind"].scalar == "NetworkPolicy":
        yield from _kubernetes(root["spec"])
        return
    for rule in cilium_rules(root):
        for section in SECTIONS:
            for element in rule[section].elements():
                yield from _cilium(element, "from" if section.startswith("ingress") else "to")


def _kubernetes(spec: Field) -> Iterator[Vacuous]:
    for section, peers in (("ingress", "from"), ("egress", "to")):
        for element in spec[section].elements():
            if element[peers].value == []:
                yield Vacuous(element[peers], peers, "every peer", unwritten=True)
            if element["ports"].value == []:
                yield Vacuous(element["ports"], "ports", "every port", unwritten=True)


def _cilium(element: Field, way: str) -> Iterator[Vacuous]:
    for name in KILLING:
        if element[way + name].value == []:
            yield Vacuous(
                element[way + name],
                way + name,
                "no peer",
                isolating=True,
            )
    for name in OPENING:
        if element[way + name].value == []:
            matches = "every peer on its ports" if element["toPorts"].value else "no peer"
            yield Vacuous(element[way + name], way + name, matches)
    ports = element["toPorts"]
    if ports.value == []:
        yield Vacuous(ports, "toPorts", "every port", unwritten=True)
    elif ports.present and not any(port["ports"].value for port in ports.elements()):
        yield Vacuous(ports, "toPorts", "no port", isolating=True)
    icmps = element["icmps"]
    if icmps.value and not any(each["fields"].value for each in icmps.elements()):
        yield Vacuous(icmps, "icmps", "no message type", isolating=True)
