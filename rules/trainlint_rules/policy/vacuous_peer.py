"""An empty list in a policy that matches no peer, or every peer.

`fromEndpoints: []` admits no peer, and the policy still isolates its pods; `toFQDNs: []` beside ports opens them to
every peer; `toPorts: []` means every port and `toPorts: [{ports: []}]` none; in a NetworkPolicy `from: []` means every
peer. Such lists mostly come out of templates whose input was empty, and go unnoticed until traffic is lost or admitted.

Silent for `ingress: [{}]` and `egress: [{}]`, the documented ways to isolate pods and admit no traffic.

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train}}
  ingress:
    - fromEndpoints: []  # expect
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train}}
  ingress: [{}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.fact import fact
from trainlint.finding import Finding, Fix, Remove, Severity
from trainlint.policy.cilium import rules as cilium_rules
from trainlint.rule import Facts, rule
from trainlint.source.document import Field

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


@rule(Severity.WARNING)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per list."""
    for item in facts.mistakes.enforced:
        for found in vacuous(item.field):
            means = _means(found)
            yield Finding(
                message=f"{found.name} in {item.ref} lists nothing, which means {means}",
                at=found.field.at,
                remedy="write the peers or ports that are meant, or leave the field out",
                evidence={"field": found.name, "means": means},
                fixes=partial(_left_out, found),
            )


def vacuous(root: Field) -> Iterator[Vacuous]:
    """The empty lists of a policy object."""
    if "projectcalico.org/" in (root["apiVersion"].scalar or ""):
        yield from _calico(root["spec"])
        return
    if root["kind"].scalar == "NetworkPolicy":
        yield from _kubernetes(root["spec"])
        return
    for written in cilium_rules(root):
        for section in SECTIONS:
            for element in written[section].elements():
                yield from _cilium(element, "from" if section.startswith("ingress") else "to")


def _kubernetes(spec: Field) -> Iterator[Vacuous]:
    for section, peers in (("ingress", "from"), ("egress", "to")):
        for element in spec[section].elements():
            if element[peers].value == []:
                yield Vacuous(element[peers], peers, "every peer", unwritten=True)
            if element["ports"].value == []:
                yield Vacuous(element["ports"], "ports", "every port", unwritten=True)


def _calico(spec: Field) -> Iterator[Vacuous]:
    """Empty lists of Calico are as if they were not there (P 11.3)."""
    for section in ("ingress", "egress"):
        for element in spec[section].elements():
            for side in ("source", "destination"):
                for name, means in (("nets", "every address"), ("ports", "every port")):
                    if element[side][name].value == []:
                        yield Vacuous(element[side][name], name, means, unwritten=True)


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


def _means(found: Vacuous) -> str:
    if found.unwritten:
        return f"{found.matches}: an empty list counts as not written"
    if found.isolating:
        return f"{found.matches}: the element matches no connection, and the policy still isolates its pods"
    return found.matches


def _left_out(found: Vacuous) -> Iterator[Fix]:
    """A list that counts as not written may as well not be written: the same, and plain to see."""
    if found.unwritten:
        yield Fix(f"leave out the empty {found.name}, which means {found.matches}", (Remove(found.field.at),))
