"""What Cilium refuses in layer-7 rules (P 7.1, C:pkg/policy/api/rule_validation.go PortRule.sanitize)."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.policy.field_types import Problem
from trainlint.policy.goregex import regex_problem
from trainlint.policy.options import CiliumOptions
from trainlint.policy.ports import is_port_name, parse_uint16
from trainlint.policy.rejection_ground import RejectionGround
from trainlint.source.document import Field

__all__ = ["domain_name_problems", "layer_seven_problems", "name_problems"]

PARSERS = ("http", "dns", "kafka", "l7")
MISMATCH_ACTIONS = ("", "LOG", "ADD", "DELETE", "REPLACE")
_NAME_CHARACTERS = lazy_pattern(r"[-a-zA-Z0-9_.]+")
_PATTERN_CHARACTERS = lazy_pattern(r"[-a-zA-Z0-9_.*]+")
MAX_NAME = 255


def layer_seven_problems(element: Field, options: CiliumOptions, *, egress: bool, host: bool) -> Iterator[Problem]:
    """The layer-7 half of one list element of ``ingress`` or ``egress``."""
    for rule in element["toPorts"].elements():
        parsers = _parsers(rule, options)
        if parsers:
            first = next(iter(parsers.values()))
            if host and not egress:
                yield first, Because(RejectionGround.RULES_TO_NODES)
            if not options.l7_proxy:
                yield first, Because(RejectionGround.L7_PROXY_OFF)
            if not egress and "dns" in parsers:
                yield parsers["dns"], Because(RejectionGround.DNS_ON_INGRESS)
            for name, field in parsers.items():
                if egress and host and name in ("http", "kafka"):
                    yield field, Because(RejectionGround.RULES_FROM_NODES)
        yield from _port_rule(rule, options, parsers, egress=egress)


def _parsers(rule: Field, options: CiliumOptions) -> dict[str, Field]:
    """The kinds of rules that are there and not empty."""
    names = PARSERS if options.version < (1, 20, 0) else PARSERS[:2]
    return {name: rule["rules"][name] for name in names if rule["rules"][name].value}


def _port_rule(rule: Field, options: CiliumOptions, parsers: dict[str, Field], *, egress: bool) -> Iterator[Problem]:
    names, listener = rule["serverNames"], rule["listener"]
    if names.value and parsers and not rule["terminatingTLS"].present:
        yield names, Because(RejectionGround.SERVER_NAMES)
    for name in names.elements():
        if not name.scalar:
            yield name, Because(RejectionGround.SERVER_NAME)
    if listener.present and not egress:
        yield listener, Because(RejectionGround.LISTENER_ON_INGRESS)
    if listener.present and parsers:
        yield listener, Because(RejectionGround.LISTENER_BESIDE_RULES)
    if parsers:
        yield from _with_parsers(rule, options, parsers)


def _with_parsers(rule: Field, options: CiliumOptions, parsers: dict[str, Field]) -> Iterator[Problem]:
    ports = list(rule["ports"].elements())
    for port in ports:
        text, protocol = port["port"].scalar or "", port["protocol"].scalar or "ANY"
        number = None if is_port_name(text) or is_placeholder(text) else parse_uint16(text)
        if number == 0:
            yield port["port"], Because(RejectionGround.RULES_WITH_PORT_0)
        if "dns" in parsers:
            end = port["endPort"].value
            if number is not None and isinstance(end, int) and end > number:
                yield port["endPort"], Because(RejectionGround.DNS_PORT_RANGE)
        elif protocol.upper() != "TCP" and not is_placeholder(protocol):
            yield port["protocol"], Because(RejectionGround.RULES_NOT_TCP, (protocol,))
    written = [rule["rules"][name] for name in PARSERS[: 2 if options.version >= (1, 20, 0) else 3]]
    written = [field for field in written if field.present]
    if options.version < (1, 20, 0):
        protocol_name = rule["rules"]["l7proto"]
        if rule["rules"]["l7"].present and not protocol_name.scalar:
            yield rule["rules"]["l7"], Because(RejectionGround.L7_WITHOUT_PROTOCOL)
        written += [protocol_name] if protocol_name.scalar else []
    for other in written[1:]:
        yield other, Because(RejectionGround.TWO_KINDS_OF_RULES)
    if rule["rules"]["dns"].present and not ports:
        yield rule["rules"]["dns"], Because(RejectionGround.DNS_WITHOUT_PORT)
    for each in rule["rules"]["http"].elements():
        yield from _http(each)
    for each in rule["rules"]["dns"].elements():
        yield from name_problems(each)


def _http(rule: Field) -> Iterator[Problem]:
    for name in ("path", "method"):
        text = rule[name].scalar or ""
        if not is_placeholder(text) and (problem := regex_problem(text)):
            yield (
                rule[name],
                Because(
                    RejectionGround.REGULAR_EXPRESSION,
                    (
                        repr(text),
                        problem,
                    ),
                ),
            )
    for header in rule["headerMatches"].elements():
        if not header["name"].scalar:
            yield header, Because(RejectionGround.HEADER_NAME)
        if (header["mismatch"].scalar or "") not in MISMATCH_ACTIONS:
            yield header["mismatch"], Because(RejectionGround.MISMATCH)
        if header["secret"].present and not header["secret"]["name"].scalar:
            yield header["secret"], Because(RejectionGround.SECRET_NAME)


def name_problems(field: Field) -> Iterator[Problem]:
    """The characters of ``matchName`` and ``matchPattern`` (C:pkg/policy/api/fqdn.go)."""
    name, pattern = field["matchName"].scalar or "", field["matchPattern"].scalar or ""
    if name and not _NAME_CHARACTERS.fullmatch(name) and not is_placeholder(name):
        yield field["matchName"], Because(RejectionGround.DNS_NAME, (repr(name),))
    if len(pattern.strip()) > MAX_NAME:
        yield field["matchPattern"], Because(RejectionGround.PATTERN_LENGTH, (MAX_NAME,))
    elif pattern and not _PATTERN_CHARACTERS.fullmatch(pattern) and not is_placeholder(pattern):
        yield field["matchPattern"], Because(RejectionGround.DNS_PATTERN, (repr(pattern),))


def domain_name_problems(field: Field) -> Iterator[Problem]:
    """A name in ``domainNames``: what begins with ``*`` is a pattern."""
    text = field.scalar or ""
    allowed = _PATTERN_CHARACTERS if text.startswith("*") else _NAME_CHARACTERS
    if text and not allowed.fullmatch(text) and not is_placeholder(text):
        yield field, Because(RejectionGround.DNS_NAME, (repr(text),))
