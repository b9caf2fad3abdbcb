"""Protocols, ports and ICMP types of Calico's rules (P 11.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.policy import PortRule
from trainlint.model.workload import PortRange
from trainlint.policy.ground import VerdictGround
from trainlint.source.document import Field

__all__ = ["PROTOCOLS", "PROTOCOL_NUMBERS", "Traffic", "port_of", "protocol_of", "traffic"]

PROTOCOLS: Final = ("TCP", "UDP", "SCTP", "ICMP", "ICMPV6")
"""The protocols about which verdicts are asked."""
WITH_PORTS: Final = PROTOCOLS[:3]
PROTOCOL_NUMBERS: Final = {"1": "ICMP", "6": "TCP", "17": "UDP", "58": "ICMPV6", "132": "SCTP", "136": "UDPLITE"}
_ALL: Final = PortRange(0, 65535)
_NUMBERS: Final = lazy_pattern(r"([0-9]+)(?::([0-9]+))?")


@fact
class Traffic:
    """The layer-4 half of a rule: ports, those of them that are not meant, and what is not known about it."""

    ports: tuple[PortRule, ...] | None
    not_ports: tuple[PortRule, ...]
    doubt: Because | None


def protocol_of(field: Field) -> str:
    """A protocol by name or number, in upper case; empty where none is written."""
    text = (field.scalar or "").strip()
    return PROTOCOL_NUMBERS.get(text, text.upper())


def port_of(text: str) -> PortRange | str:
    """A number, a range (``1000:2000``), or the name of a port."""
    found = _NUMBERS.fullmatch(text)
    if found is None:
        return text
    first = int(found[1])
    return PortRange(first, int(found[2]) if found[2] else first)


def traffic(rule: Field, listed: tuple[PortRule, ...] | None = None) -> Traffic:
    """What a rule says of protocols and ports. ``listed`` are the ports of the Service that it names."""
    destination = rule["destination"]
    protocols = _protocols(rule)
    numbers, names = _split(destination["ports"].elements(), protocols)
    not_numbers, not_names = _split(destination["notPorts"].elements(), protocols)
    excluded = _types_left_out(rule)
    doubt = _doubt(rule)
    if listed is not None:
        return Traffic(tuple(each for each in listed if each.protocol in protocols), (), doubt)
    unlimited = not rule["protocol"].present and not rule["notProtocol"].present
    if unlimited and not (numbers or names or not_numbers or not_names or excluded):
        return Traffic(None, (), doubt)
    if not destination["ports"].value:
        wanted = _types(rule)
        numbers = [PortRule(each, wanted or _ALL, at=rule.at) for each in protocols]
    left = [piece for each in numbers for piece in _without(each, [*not_numbers, *excluded])]
    return Traffic((*left, *names), (*not_numbers, *not_names) if names or not_names else (), doubt)


def _protocols(rule: Field) -> Sequence[str]:
    """The protocols that a rule is about, among those that verdicts are asked about."""
    wanted, unwanted = protocol_of(rule["protocol"]), protocol_of(rule["notProtocol"])
    chosen = (wanted,) if wanted else PROTOCOLS
    return [each for each in chosen if each != unwanted]


def _split(fields: Iterable[Field], protocols: Sequence[str]) -> tuple[list[PortRule], list[PortRule]]:
    """Ports by number and ports by name, for each protocol that has ports."""
    numbers, names = [], []
    for field in fields:
        port = port_of(field.scalar or "")
        for each in protocols:
            if each not in WITH_PORTS:
                continue
            if isinstance(port, str):
                names.append(PortRule(each, name=port, at=field.at))
            else:
                numbers.append(PortRule(each, port, at=field.at))
    return numbers, names


def _types(rule: Field) -> PortRange | None:
    """The ICMP type that a rule asks for."""
    kind = rule["icmp"]["type"].value
    return PortRange(kind, kind) if isinstance(kind, int) else None


def _types_left_out(rule: Field) -> list[PortRule]:
    """The ICMP type that a rule leaves out; with a code only some of its messages, which is left in doubt."""
    kind = rule["notICMP"]["type"].value
    if not isinstance(kind, int) or rule["notICMP"]["code"].present:
        return []
    return [PortRule(each, PortRange(kind, kind), at=rule.at) for each in ("ICMP", "ICMPV6")]


def _doubt(rule: Field) -> Because | None:
    source = rule["source"]
    ports = [port_of(each.scalar or "") for each in source["ports"].elements()]
    every = any(isinstance(each, PortRange) and each.first <= 1 and each.last >= _ALL.last for each in ports)
    if (ports and not every) or source["notPorts"].value:
        return Because(VerdictGround.SOURCE_PORT)
    if rule["icmp"]["code"].present or rule["notICMP"]["code"].present:
        return Because(VerdictGround.ICMP_CODE)
    if str(rule["ipVersion"].scalar or "") == "6":
        return Because(VerdictGround.ADDRESS_FAMILY)
    return None


def _without(rule: PortRule, excluded: Iterable[PortRule]) -> Iterator[PortRule]:
    """What is left of the ports of a rule."""
    whole = rule.ports or _ALL
    first = whole.first
    gone = sorted(
        (each.ports.first, each.ports.last) for each in excluded if each.protocol == rule.protocol and each.ports
    )
    for start, end in gone:
        if start > whole.last or end < first:
            continue
        if start > first:
            yield _piece(rule, first, start - 1)
        first = max(first, end + 1)
    if first <= whole.last:
        yield _piece(rule, first, whole.last)


def _piece(rule: PortRule, first: int, last: int) -> PortRule:
    return PortRule(rule.protocol, PortRange(first, last), at=rule.at)
