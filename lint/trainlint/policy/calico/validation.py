"""What Calico refuses in a policy (P 11.7).

Sources: projectcalico/calico:libcalico-go/lib/validator/v3/validator.go and the rules in
api/pkg/apis/projectcalico/v3/globalnetworkpolicy.go and networkpolicy.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.policy.addresses import parse_address, parse_prefix
from trainlint.policy.calico.ports import port_of, protocol_of
from trainlint.policy.calico.written import problem
from trainlint.policy.calico_ground import CalicoGround
from trainlint.policy.field_types import Problem
from trainlint.source.document import Field

__all__ = ["problems"]

TYPES: Final = ("Ingress", "Egress")
ACTIONS: Final = ("Allow", "Deny", "Log", "Pass")
PROTOCOLS: Final = ("TCP", "UDP", "ICMP", "ICMPv6", "SCTP", "UDPLite")
WITH_PORTS: Final = ("TCP", "UDP", "SCTP")
MOST_RULES: Final = 1024
_PORT_NAME: Final = lazy_pattern(r"[a-zA-Z0-9_.-]{1,128}")
_NAME: Final = lazy_pattern(r"([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SIDES: Final = ("source", "destination")


def problems(root: Field) -> Iterator[Problem]:
    """Every reason to refuse a policy, with the field to blame."""
    spec, name = root["spec"], root.down("metadata", "name")
    if name.scalar and not is_placeholder(name.scalar) and not _NAME.fullmatch(name.scalar):
        yield name, Because(CalicoGround.NAME)
    yield from _types(spec)
    yield from _selectors(spec, ("selector", "namespaceSelector", "serviceAccountSelector"), whole=True)
    for way in ("ingress", "egress"):
        if spec[way].value and not isinstance(spec[way].value, list):
            yield spec[way], Because(CalicoGround.NO_LIST)
        rules = list(spec[way].elements())
        if len(rules) > MOST_RULES:
            yield spec[way], Because(CalicoGround.TOO_MANY_RULES, (MOST_RULES,))
        for rule in rules:
            yield from _rule(rule, way, clusterwide=root["kind"].scalar == "GlobalNetworkPolicy")
    if root["kind"].scalar == "GlobalNetworkPolicy":
        yield from _host_options(spec)


def _open(field: Field) -> bool:
    return is_placeholder(field.scalar or "")


def _types(spec: Field) -> Iterator[Problem]:
    seen: set[str] = set()
    for each in spec["types"].elements():
        if each.scalar not in TYPES and not _open(each):
            yield each, Because(CalicoGround.TYPE)
        elif each.scalar in seen:
            yield each, Because(CalicoGround.TYPE_TWICE, (each.scalar,))
        seen.add(each.scalar or "")


def _selectors(field: Field, names: tuple[str, ...], *, whole: bool) -> Iterator[Problem]:
    for name in names:
        if why := problem(field[name]):
            yield field[name], why
        elif "global(" in (field[name].scalar or "") and (whole or name != "namespaceSelector"):
            yield field[name], Because(CalicoGround.GLOBAL_ELSEWHERE)
        elif "global(" in (text := field[name].scalar or "") and text.replace(" ", "").replace("\t", "") != "global()":
            yield field[name], Because(CalicoGround.GLOBAL_BESIDE)


def _host_options(spec: Field) -> Iterator[Problem]:
    untracked, before = spec["doNotTrack"], spec["preDNAT"]
    for each in (untracked, before):
        if each.value is True and spec["applyOnForward"].value is not True and not _open(spec["applyOnForward"]):
            yield each, Because(CalicoGround.NOT_FORWARDED)
    if untracked.value is True and before.value is True:
        yield before, Because(CalicoGround.TWO_STAGES)
    if before.value is True:
        if spec["egress"].value:
            yield spec["egress"], Because(CalicoGround.EGRESS_RULES)
        for each in spec["types"].elements():
            if each.scalar == "Egress":
                yield each, Because(CalicoGround.EGRESS_TYPE)


def _rule(rule: Field, way: str, *, clusterwide: bool) -> Iterator[Problem]:
    action = rule["action"]
    if action.scalar not in ACTIONS and not _open(action):
        yield (action if action.present else rule), Because(CalicoGround.ACTION, (", ".join(ACTIONS),))
    for name in ("protocol", "notProtocol"):
        yield from _protocol(rule[name])
    yield from _icmp(rule)
    if rule["ipVersion"].present and rule["ipVersion"].value not in (4, 6) and not _open(rule["ipVersion"]):
        yield rule["ipVersion"], Because(CalicoGround.IP_VERSION)
    if rule["http"].value:
        if way == "egress":
            yield rule["http"], Because(CalicoGround.HTTP_EGRESS)
        elif action.scalar != "Allow":
            yield rule["http"], Because(CalicoGround.HTTP_ACTION)
        elif protocol_of(rule["protocol"]) not in ("", "TCP"):
            yield rule["http"], Because(CalicoGround.HTTP_PROTOCOL)
    yield from _ports(rule)
    yield from _nets(rule)
    for side in _SIDES:
        yield from _side(rule[side], side, way, clusterwide=clusterwide)


def _protocol(field: Field) -> Iterator[Problem]:
    if not field.present or _open(field):
        return
    value: Any = field.value
    text = field.scalar or ""
    if text.isdecimal():
        if not 1 <= int(text) <= 255:
            yield field, Because(CalicoGround.PROTOCOL_NUMBER)
    elif value not in PROTOCOLS:
        yield field, Because(CalicoGround.PROTOCOL, (", ".join(PROTOCOLS),))


def _icmp(rule: Field) -> Iterator[Problem]:
    if rule["icmp"].present and protocol_of(rule["protocol"]) not in ("ICMP", "ICMPV6") and not _open(rule["protocol"]):
        yield rule["icmp"], Because(CalicoGround.ICMP_PROTOCOL)
    for name in ("icmp", "notICMP"):
        fields = rule[name]
        if fields["code"].present and not fields["type"].present:
            yield fields, Because(CalicoGround.ICMP_CODE_ALONE)
        for part, most in (("type", 254), ("code", 255)):
            value = fields[part].value
            if isinstance(value, int) and not 0 <= value <= most:
                yield (
                    fields[part],
                    Because(
                        CalicoGround.ICMP_NUMBER,
                        (
                            part,
                            most,
                        ),
                    ),
                )
    for name, version in (("protocol", 4), ("notProtocol", 4), ("protocol", 6), ("notProtocol", 6)):
        wanted = {4: "ICMP", 6: "ICMPV6"}[version]
        stated = rule["ipVersion"]
        if protocol_of(rule[name]) == wanted and stated.present and stated.value != version:
            yield (
                rule["ipVersion"],
                Because(
                    CalicoGround.PROTOCOL_VERSION,
                    (
                        rule[name].scalar,
                        version,
                    ),
                ),
            )


def _ports(rule: Field) -> Iterator[Problem]:
    protocol = protocol_of(rule["protocol"])
    for side in _SIDES:
        for name in ("ports", "notPorts"):
            field = rule[side][name]
            if not field.value:
                continue
            if protocol and protocol not in WITH_PORTS and not _open(rule["protocol"]):
                yield field, Because(CalicoGround.PORTS_PROTOCOL)
            for each in field.elements():
                yield from _port(each, protocol)


def _port(field: Field, protocol: str) -> Iterator[Problem]:
    if _open(field):
        return
    port = port_of(field.scalar or "")
    if isinstance(port, str):
        if not _PORT_NAME.fullmatch(port):
            yield field, Because(CalicoGround.NO_PORT, (repr(port),))
    elif not protocol:
        yield field, Because(CalicoGround.NUMBERS_PROTOCOL)
    elif not (1 <= port.first <= port.last <= 65535):
        yield field, Because(CalicoGround.PORT)


def _nets(rule: Field) -> Iterator[Problem]:
    versions: set[int] = set()
    for side in _SIDES:
        for name in ("nets", "notNets"):
            for each in rule[side][name].elements():
                text = each.scalar or ""
                if _open(each):
                    continue
                network = parse_prefix(text) or parse_address(text)
                if network is None:
                    yield each, Because(CalicoGround.NO_ADDRESS, (repr(text),))
                    continue
                if name == "notNets" and text in ("0.0.0.0/0", "::/0"):
                    yield each, Because(CalicoGround.NOTHING_LEFT)
                if versions and network.version not in versions:
                    yield each, Because(CalicoGround.TWO_VERSIONS)
                wanted = rule["ipVersion"].value
                if wanted in (4, 6) and wanted != network.version:
                    yield each, Because(CalicoGround.OTHER_VERSION)
                versions.add(network.version)


def _side(field: Field, side: str, way: str, *, clusterwide: bool) -> Iterator[Problem]:
    yield from _selectors(field, ("selector", "notSelector", "namespaceSelector"), whole=False)
    if why := problem(field["serviceAccounts"]["selector"]):
        yield field["serviceAccounts"]["selector"], why
    services = field["services"]
    if not services.present:
        return
    if (side, way) not in (("source", "ingress"), ("destination", "egress")):
        yield (
            services,
            Because(
                CalicoGround.SERVICES_SIDE,
                (
                    side,
                    way,
                ),
            ),
        )
    if not services["name"].scalar:
        yield services, Because(CalicoGround.SERVICES_NAME)
    if clusterwide and not services["namespace"].scalar:
        yield services, Because(CalicoGround.SERVICES_NAMESPACE)
    others = ["selector", "notSelector", "namespaceSelector", "serviceAccounts", "nets", "notNets"]
    if side == "destination":
        others += ["ports", "notPorts"]
    for name in others:
        if field[name].value:
            yield field[name], Because(CalicoGround.SERVICES_BESIDE, (name,))
