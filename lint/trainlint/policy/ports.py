"""Ports of policies: numbers, ranges, names, ICMP types (P 1.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from trainlint.finding import Location
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.policy import PortRule
from trainlint.model.workload import PortRange
from trainlint.policy.options import Version
from trainlint.source.document import Field

__all__ = ["ICMP_TYPES", "icmp_rule", "is_port_name", "parse_uint16", "port_rules", "resolve"]

_PORT_NAME = lazy_pattern(r"([a-zA-Z0-9]-?)*[a-zA-Z](-?[a-zA-Z0-9])*")
_GO_INTEGER = lazy_pattern(r"0[xX](_?[0-9a-fA-F])+|0[bB](_?[01])+|0[oO]?(_?[0-7])+|[1-9](_?[0-9])*|0")
ANY_PROTOCOLS = ("TCP", "UDP", "SCTP")

ICMP_TYPES: Mapping[str, Mapping[str, int]] = {
    "IPv4": {
        "EchoReply": 0,
        "DestinationUnreachable": 3,
        "Redirect": 5,
        "Echo": 8,
        "EchoRequest": 8,
        "RouterAdvertisement": 9,
        "RouterSelection": 10,
        "TimeExceeded": 11,
        "ParameterProblem": 12,
        "Timestamp": 13,
        "TimestampReply": 14,
        "Photuris": 40,
        "ExtendedEchoRequest": 42,
        "ExtendedEchoReply": 43,
    },
    "IPv6": {
        "DestinationUnreachable": 1,
        "PacketTooBig": 2,
        "TimeExceeded": 3,
        "ParameterProblem": 4,
        "EchoRequest": 128,
        "EchoReply": 129,
        "MulticastListenerQuery": 130,
        "MulticastListenerReport": 131,
        "MulticastListenerDone": 132,
        "RouterSolicitation": 133,
        "RouterAdvertisement": 134,
        "NeighborSolicitation": 135,
        "NeighborAdvertisement": 136,
        "RedirectMessage": 137,
        "RouterRenumbering": 138,
        "ICMPNodeInformationQuery": 139,
        "ICMPNodeInformationResponse": 140,
        "InverseNeighborDiscoverySolicitation": 141,
        "InverseNeighborDiscoveryAdvertisement": 142,
        "HomeAgentAddressDiscoveryRequest": 144,
        "HomeAgentAddressDiscoveryReply": 145,
        "MobilePrefixSolicitation": 146,
        "MobilePrefixAdvertisement": 147,
        "DuplicateAddressRequestCodeSuffix": 157,
        "DuplicateAddressConfirmationCodeSuffix": 158,
        "ExtendedEchoRequest": 160,
        "ExtendedEchoReply": 161,
    },
}


def is_port_name(text: str) -> bool:
    """Whether Cilium takes it as a name (an IANA service name: at most 15 characters, at least one letter)."""
    return len(text) <= 15 and _PORT_NAME.fullmatch(text) is not None


def parse_uint16(text: str) -> int | None:
    """The number that Go's ``strconv.ParseUint(text, 0, 16)`` reads, in any base; ``None`` for an error."""
    if not _GO_INTEGER.fullmatch(text):
        return None
    digits = text.replace("_", "")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        digits = "0o" + digits[1:]
    value = int(digits, 0)
    return value if value <= 65535 else None


def port_rules(
    text: str, end: int, protocol: str, *, version: Version, at: Location, fold_case: bool = True
) -> Iterator[PortRule]:
    """The rules that one port entry means: one for each protocol (an empty protocol or ANY is TCP, UDP and SCTP)."""
    end &= 0xFFFF  # The engine keeps 16 bits (P 10.5); the schema of the API server refuses more.
    protocols = ANY_PROTOCOLS if protocol.upper() in ("", "ANY") else (protocol.upper(),)
    for each in protocols:
        if is_port_name(text):
            name = text.lower() if fold_case else text
            yield PortRule(each, name=name, last=end, at=at)
        else:
            yield PortRule(each, _numbers(text, end, version), at=at)


def _numbers(text: str, end: int, version: Version) -> PortRange | None:
    """Port 0 is every port; with an endPort it is a range up to Cilium 1.19 (P 1.4)."""
    first = parse_uint16(text)
    if first is None:  # What the engine's conversion makes of numbers that no validation stopped.
        first = 65535 if text.isdigit() and text[0] != "0" else 0
    if first == 0:
        return PortRange(0, end) if end and version < (1, 20, 0) else None
    return PortRange(first, end if end > first else first)


def icmp_rule(field: Field) -> PortRule:
    """One ICMP field: a type by number or name; type 0 admits every type (P 1.4)."""
    family = field["family"].scalar or "IPv4"
    text = field["type"].scalar or ""
    names = ICMP_TYPES.get(family, ICMP_TYPES["IPv4"])
    number = names[text] if text in names else parse_uint16(text) or 0
    protocol = "ICMPV6" if family == "IPv6" else "ICMP"
    return PortRule(protocol, PortRange(number, number) if number else None, at=field.at)


def resolve(rule: PortRule, names: Mapping[tuple[str, str], int], *, ranges: bool) -> PortRule | None:
    """A rule by name as a rule by number, from the ports that the names stand for; ``None`` if there is none.

    ``ranges``: whether the end of a range that begins at a name counts.
    """
    if not rule.name:
        return rule
    number = names.get((rule.name, rule.protocol))
    if not number:
        return None
    last = rule.last if ranges and rule.last > number else number
    return replace(rule, ports=PortRange(number, last), name="")
