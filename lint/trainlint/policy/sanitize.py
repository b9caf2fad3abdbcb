"""What Cilium refuses in its own policies (P 7.1, C:pkg/policy/api/rule_validation.go)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.fact import fact
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.policy.addresses import parse_address, parse_prefix
from trainlint.policy.cilium import SECTIONS, rules
from trainlint.policy.field_types import Problem
from trainlint.policy.layer_seven import layer_seven_problems, name_problems
from trainlint.policy.options import CiliumOptions, Version
from trainlint.policy.peers import ENTITIES
from trainlint.policy.ports import ICMP_TYPES, is_port_name, parse_uint16
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
        yield root["metadata"]["name"], "the policy must have a name"
    if not root["spec"].present and not root["specs"].present:
        yield root["spec"], "the policy has neither spec nor specs"
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
            yield rule, "the rule has no element in ingress, ingressDeny, egress or egressDeny"
        endpoints, nodes = rule["endpointSelector"], rule["nodeSelector"]
        if endpoints.present and nodes.present:
            yield nodes, "the rule has both endpointSelector and nodeSelector"
        elif not endpoints.present and not nodes.present:
            yield rule, "the rule has neither endpointSelector nor nodeSelector"
        # 1.18 looks only into spec, not into specs (P 10.11).
        elif nodes.present and not clusterwide and (rule.path[0] == "spec" or self.version >= (1, 19, 0)):
            yield nodes, "only a CiliumClusterwideNetworkPolicy may select nodes"
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
                yield expression["values"], f"{operator} needs values"
            elif operator in ("Exists", "DoesNotExist") and values:
                yield expression["values"], f"{operator} takes no values"
            elif operator not in OPERATORS:
                yield expression["operator"], f"{operator!r} is no operator of a label selector"
            for value in values:
                if not self.open(value.scalar or "") and (problem := value_problem(value.scalar or "")):
                    yield value, problem

    def _label(self, field: Field, key: str, source: str) -> Iterator[Problem]:
        if not self.open(key) and (problem := cilium_key_problem(key, self.version, source)):
            yield field, f"{key!r} is no label key: {problem}"

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
            yield other, f"{written[0].path[-1]} and {other.path[-1]} cannot stand in one element"
        if "Nodes" in peers and peers["Nodes"].value and not self.options.node_selector_labels:
            yield peers["Nodes"], "peers by node need the option enable-node-selector-labels"
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
            yield field, f"{entity!r} is no entity"

    def _name(self, field: Field) -> Iterator[Problem]:
        if field["matchName"].scalar and field["matchPattern"].scalar:
            yield field["matchPattern"], "a name peer has either matchName or matchPattern"
        yield from name_problems(field)

    def _cidr(self, field: Field) -> Iterator[Problem]:
        text = field.scalar or ""
        if self.open(text):
            return
        if not text:
            yield field, "an address must be given"
        elif parse_prefix(text) is None and (self.version >= (1, 20, 0) or parse_address(text) is None):
            yield field, f"{text!r} is no address with a prefix length"

    def cidr_rule(self, field: Field) -> Iterator[Problem]:
        """An element of a CIDR set: exactly one way to say the addresses, and exceptions inside."""
        selector = field["cidrGroupSelector"]
        ways = [each for each in (field["cidr"], field["cidrGroupRef"]) if each.scalar]
        ways += [selector] if selector.present else []
        if not ways:
            yield field, "one of cidr, cidrGroupRef and cidrGroupSelector is needed"
        for other in ways[1:]:
            yield other, "only one of cidr, cidrGroupRef and cidrGroupSelector may be given"
        yield from self.selector(selector, "cidrgroup")
        text = field["cidr"].scalar or ""
        network = parse_prefix(text)
        if text and network is None and not self.open(text):
            yield field["cidr"], f"{text!r} is no address with a prefix length"
        for each in field["except"].elements():
            excepted = parse_prefix(each.scalar or "")
            if self.open(each.scalar or ""):
                continue
            if excepted is None:
                yield each, f"{each.scalar!r} is no address with a prefix length"
            elif network is not None and (
                network.version != excepted.version
                # Up to 1.19 only the address written in front of the slash has to lie inside.
                or parse_address((each.scalar or "").partition("/")[0]) not in network
                or (self.version >= (1, 20, 0) and excepted.prefixlen < network.prefixlen)
            ):
                yield each, f"{each.scalar} does not lie in {text}"

    def _ports(self, element: Field) -> Iterator[Problem]:
        icmps, to_ports = element["icmps"], element["toPorts"]
        if icmps.value and not self.options.icmp_rules:
            yield icmps, "ICMP rules need the option enable-icmp-rules"
        if icmps.value and to_ports.value:
            yield icmps, "icmps and toPorts cannot stand in one element"
        for rule in to_ports.elements():
            ports = list(rule["ports"].elements())
            if len(ports) > MAX_PORTS:
                yield rule["ports"], f"{len(ports)} ports are more than {MAX_PORTS}"
            for port in ports:
                yield from self.port(port)
        for rule in icmps.elements():
            fields = list(rule["fields"].elements())
            if len(fields) > MAX_PORTS:
                yield rule["fields"], f"{len(fields)} ICMP types are more than {MAX_PORTS}"
            for field in fields:
                yield from self._icmp(field)

    def _icmp(self, field: Field) -> Iterator[Problem]:
        """A type by number or by a name of its family (C:pkg/policy/api/icmp.go); without one the engine panics."""
        family, text = field["family"].scalar or "", field["type"].scalar
        if family not in ("", "IPv4", "IPv6") and not self.open(family):
            yield field["family"], "the family is IPv4 or IPv6"
        if text is None:
            yield field, "an ICMP field must have a type"
        elif not (_NUMBER.fullmatch(text) or self.open(text) or text in ICMP_TYPES.get(family, ICMP_TYPES["IPv4"])):
            yield field["type"], f"{text!r} is no ICMP type of {family or 'IPv4'}"

    def port(self, port: Field) -> Iterator[Problem]:
        """One port with its protocol."""
        text, protocol = port["port"].scalar or "", port["protocol"].scalar or ""
        if self.open(text):
            return
        if not text and not self.options.extended_protocols:
            yield port, "a port must be given"
        extended = ("VRRP", "IGMP", *(TUNNEL_PROTOCOLS if self.version >= (1, 20, 0) else ()))
        if text and not is_port_name(text):
            if text != "0" and protocol in extended:
                yield port["port"], f"{protocol} has no ports: leave it out or write 0"
            elif parse_uint16(text) is None:
                yield port["port"], f"{text!r} is neither a port number nor a port name"
        yield from self.protocol(port["protocol"])

    def protocol(self, field: Field) -> Iterator[Problem]:
        """A protocol's name."""
        known = (*PROTOCOLS, *(TUNNEL_PROTOCOLS if self.version >= (1, 20, 0) else ()))
        text = field.scalar or ""
        if text and text.upper() not in known and not self.open(text):
            yield field, f"{text!r} is no protocol of a policy"
