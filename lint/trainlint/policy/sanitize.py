"""What Cilium refuses in its own policies (P 7.1, C:pkg/policy/api/rule_validation.go)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.fact import fact
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.policy.addresses import parse_address, parse_prefix
from trainlint.policy.cilium import SECTIONS, rules
from trainlint.policy.field_types import Problem
from trainlint.policy.layer_seven import layer_seven_problems, name_problems
from trainlint.policy.options import CiliumOptions, Version
from trainlint.policy.peers import ENTITIES
from trainlint.policy.ports import ICMP_TYPES, is_port_name, parse_uint16
from trainlint.policy.rejection_ground import RejectionGround
from trainlint.policy.syntax import cilium_key_problem, value_problem
from trainlint.source.document import Field

__all__ = ["Checks", "cilium_problems"]

PEER_KINDS = ("Endpoints", "CIDR", "CIDRSet", "Entities", "Nodes", "Groups", "Services", "FQDNs")
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
PROTOCOLS = ("TCP", "UDP", "SCTP", "ANY", "VRRP", "IGMP")
TUNNEL_PROTOCOLS = ("GRE", "IPIP", "IPV6", "ESP", "AH")
MAX_PORTS = 40
_NUMBER = lazy_pattern(r"[-+]?0*[1-9][0-9]*|0")


def cilium_problems(root: Field, *, clusterwide: bool, checks: Checks) -> Iterator[Problem]:
    """Everything that Cilium refuses in a CiliumNetworkPolicy or CiliumClusterwideNetworkPolicy."""
    if not root["metadata"]["name"].scalar:
        yield root["metadata"]["name"], Because(RejectionGround.POLICY_NAME)
    if not root["spec"].present and not root["specs"].present:
        yield root["spec"], Because(RejectionGround.NO_SPEC)
    for rule in rules(root):
        yield from checks.rule(rule, clusterwide=clusterwide)


@fact
class Checks:
    """The checks of one cluster. ``templates``: placeholders pass, since what they become is unknown."""

    options: CiliumOptions
    templates: bool

    @property
    def version(self) -> Version:
        """The version of Cilium."""
        return self.options.version

    def open(self, text: str) -> bool:
        """Whether the text still has to be filled in."""
        return self.templates and is_placeholder(text)

    def rule(self, rule: Field, *, clusterwide: bool) -> Iterator[Problem]:
        """One ``spec``."""
        if not any(rule[section].value for section, _, _ in SECTIONS):
            yield rule, Because(RejectionGround.EMPTY_RULE)
        endpoints, nodes = rule["endpointSelector"], rule["nodeSelector"]
        if endpoints.present and nodes.present:
            yield nodes, Because(RejectionGround.TWO_SELECTORS)
        elif not endpoints.present and not nodes.present:
            yield rule, Because(RejectionGround.NO_SELECTOR)
        # 1.18 looks only into spec, not into specs (P 10.11).
        elif nodes.present and not clusterwide and (rule.path[0] == "spec" or self.version >= (1, 19, 0)):
            yield nodes, Because(RejectionGround.NODES_SELECTED)
        yield from self.selector(endpoints)
        yield from self.selector(nodes)
        for section, _, _ in SECTIONS:
            for element in rule[section].elements():
                yield from self._element(element, section, host=nodes.present)

    def selector(self, field: Field, source: str = "any") -> Iterator[Problem]:
        """A label selector: keys, operators, values (C:pkg/labels/validation.go)."""
        for key, value in field["matchLabels"].items():
            yield from self._label(value, key, source)
            if not self.open(value.scalar or "") and (problem := value_problem(value.scalar or "")):
                yield value, problem
        for expression in field["matchExpressions"].elements():
            yield from self._label(expression["key"], expression["key"].scalar or "", source)
            operator, values = expression["operator"].scalar or "", list(expression["values"].elements())
            if operator in ("In", "NotIn") and not values:
                yield expression["values"], Because(RejectionGround.VALUES_MISSING, (operator,))
            elif operator in ("Exists", "DoesNotExist") and values:
                yield expression["values"], Because(RejectionGround.VALUES_GIVEN, (operator,))
            elif operator not in OPERATORS:
                yield expression["operator"], Because(RejectionGround.OPERATOR, (repr(operator),))
            for value in values:
                if not self.open(value.scalar or "") and (problem := value_problem(value.scalar or "")):
                    yield value, problem

    def _label(self, field: Field, key: str, source: str) -> Iterator[Problem]:
        if not self.open(key) and (problem := cilium_key_problem(key, self.version, source)):
            yield (
                field,
                Because(
                    RejectionGround.LABEL_KEY,
                    (
                        repr(key),
                        problem,
                    ),
                ),
            )

    def _element(self, element: Field, section: str, *, host: bool) -> Iterator[Problem]:
        egress, deny = section.startswith("egress"), section.endswith("Deny")
        way = "to" if egress else "from"
        written = element.mapping or {}
        peers = {kind: element[way + kind] for kind in PEER_KINDS if way + kind in written}
        if deny:
            peers.pop("FQDNs", None)
        yield from self._peers(peers)
        yield from self._ports(element)
        if not deny:
            yield from layer_seven_problems(element, self.options, egress=egress, host=host)

    def _peers(self, peers: Mapping[str, Field]) -> Iterator[Problem]:
        """The peers of one element, by kind: those that are written at all."""
        written = [field for field in peers.values() if field.value]
        for other in written[1:]:
            yield (
                other,
                Because(
                    RejectionGround.TWO_PEERS,
                    (
                        written[0].path[-1],
                        other.path[-1],
                    ),
                ),
            )
        if "Nodes" in peers and peers["Nodes"].value and not self.options.node_selector_labels:
            yield peers["Nodes"], Because(RejectionGround.NODE_PEERS_OFF)
        checks = {
            "Endpoints": self.selector,
            "Nodes": self.selector,
            "CIDR": self._cidr,
            "CIDRSet": self.cidr_rule,
            "Entities": self._entity,
            "FQDNs": self._name,
        }
        for kind, check in checks.items():
            if kind in peers:
                for field in peers[kind].elements():
                    yield from check(field)

    def _entity(self, field: Field) -> Iterator[Problem]:
        entity = field.scalar or ""
        known = entity in ENTITIES and (entity != "cluster-mesh" or self.version >= (1, 20, 0))
        if not known and not self.open(entity):
            yield field, Because(RejectionGround.ENTITY, (repr(entity),))

    def _name(self, field: Field) -> Iterator[Problem]:
        if field["matchName"].scalar and field["matchPattern"].scalar:
            yield field["matchPattern"], Because(RejectionGround.TWO_NAMES)
        yield from name_problems(field)

    def _cidr(self, field: Field) -> Iterator[Problem]:
        text = field.scalar or ""
        if self.open(text):
            return
        if not text:
            yield field, Because(RejectionGround.NO_ADDRESS)
        elif parse_prefix(text) is None and (self.version >= (1, 20, 0) or parse_address(text) is None):
            yield field, Because(RejectionGround.PREFIX, (repr(text),))

    def cidr_rule(self, field: Field) -> Iterator[Problem]:
        """An element of a CIDR set: exactly one way to say the addresses, and exceptions inside."""
        selector = field["cidrGroupSelector"]
        ways = [each for each in (field["cidr"], field["cidrGroupRef"]) if each.scalar]
        ways += [selector] if selector.present else []
        if not ways:
            yield field, Because(RejectionGround.NO_CIDR)
        for other in ways[1:]:
            yield other, Because(RejectionGround.SEVERAL_CIDRS)
        yield from self.selector(selector, "cidrgroup")
        text = field["cidr"].scalar or ""
        network = parse_prefix(text)
        if text and network is None and not self.open(text):
            yield field["cidr"], Because(RejectionGround.PREFIX, (repr(text),))
        for each in field["except"].elements():
            excepted = parse_prefix(each.scalar or "")
            if self.open(each.scalar or ""):
                continue
            if excepted is None:
                yield each, Because(RejectionGround.PREFIX, (repr(each.scalar),))
            elif network is not None and (
                network.version != excepted.version
                # Up to 1.19 only the address written in front of the slash has to lie inside.
                or parse_address((each.scalar or "").partition("/")[0]) not in network
                or (self.version >= (1, 20, 0) and excepted.prefixlen < network.prefixlen)
            ):
                yield (
                    each,
                    Because(
                        RejectionGround.OUTSIDE_CIDR,
                        (
                            each.scalar,
                            text,
                        ),
                    ),
                )

    def _ports(self, element: Field) -> Iterator[Problem]:
        icmps, to_ports = element["icmps"], element["toPorts"]
        if icmps.value and not self.options.icmp_rules:
            yield icmps, Because(RejectionGround.ICMP_OFF)
        if icmps.value and to_ports.value:
            yield icmps, Because(RejectionGround.ICMP_BESIDE_PORTS)
        for rule in to_ports.elements():
            ports = list(rule["ports"].elements())
            if len(ports) > MAX_PORTS:
                yield (
                    rule["ports"],
                    Because(
                        RejectionGround.TOO_MANY_PORTS,
                        (
                            len(ports),
                            MAX_PORTS,
                        ),
                    ),
                )
            for port in ports:
                yield from self.port(port)
        for rule in icmps.elements():
            fields = list(rule["fields"].elements())
            if len(fields) > MAX_PORTS:
                yield (
                    rule["fields"],
                    Because(
                        RejectionGround.TOO_MANY_ICMP_TYPES,
                        (
                            len(fields),
                            MAX_PORTS,
                        ),
                    ),
                )
            for field in fields:
                yield from self._icmp(field)

    def _icmp(self, field: Field) -> Iterator[Problem]:
        """A type by number or by a name of its family (C:pkg/policy/api/icmp.go); without one the engine panics."""
        family, text = field["family"].scalar or "", field["type"].scalar
        if family not in ("", "IPv4", "IPv6") and not self.open(family):
            yield field["family"], Because(RejectionGround.ICMP_FAMILY)
        if text is None:
            yield field, Because(RejectionGround.NO_ICMP_TYPE)
        elif not (_NUMBER.fullmatch(text) or self.open(text) or text in ICMP_TYPES.get(family, ICMP_TYPES["IPv4"])):
            yield (
                field["type"],
                Because(
                    RejectionGround.ICMP_TYPE,
                    (
                        repr(text),
                        family or "IPv4",
                    ),
                ),
            )

    def port(self, port: Field) -> Iterator[Problem]:
        """One port with its protocol."""
        text, protocol = port["port"].scalar or "", port["protocol"].scalar or ""
        if self.open(text):
            return
        if not text and not self.options.extended_protocols:
            yield port, Because(RejectionGround.NO_PORT)
        extended = ("VRRP", "IGMP", *(TUNNEL_PROTOCOLS if self.version >= (1, 20, 0) else ()))
        if text and not is_port_name(text):
            if text != "0" and protocol in extended:
                yield port["port"], Because(RejectionGround.PROTOCOL_WITHOUT_PORTS, (protocol,))
            elif parse_uint16(text) is None:
                yield port["port"], Because(RejectionGround.PORT, (repr(text),))
        yield from self.protocol(port["protocol"])

    def protocol(self, field: Field) -> Iterator[Problem]:
        """A protocol's name."""
        known = (*PROTOCOLS, *(TUNNEL_PROTOCOLS if self.version >= (1, 20, 0) else ()))
        text = field.scalar or ""
        if text and text.upper() not in known and not self.open(text):
            yield field, Because(RejectionGround.UNKNOWN_PROTOCOL, (repr(text),))
