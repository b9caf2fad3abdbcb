"""What the API server refuses in a NetworkPolicy (P 3.1, K:pkg/apis/networking/validation/validation.go)."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.policy.addresses import parse_address, parse_prefix
from trainlint.policy.field_types import Problem
from trainlint.policy.syntax import key_problem, value_problem
from trainlint.source.document import Field

__all__ = ["kubernetes_problems"]

PROTOCOLS = ("TCP", "UDP", "SCTP")
TYPES = ("Ingress", "Egress")
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
MAX_PORT = 65535
_PORT_NAME = lazy_pattern(r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")


def _open(field: Field) -> bool:
    return is_placeholder(field.scalar or "")


def _selector(field: Field) -> Iterator[Problem]:
    for key, value in field["matchLabels"].items():
        yield from _label(value, key)
        yield from _value(value)
    for expression in field["matchExpressions"].elements():
        operator, values = expression["operator"].scalar or "", list(expression["values"].elements())
        yield from _label(expression["key"], expression["key"].scalar or "")
        if operator not in OPERATORS and not _open(expression["operator"]):
            yield expression["operator"], f"{operator!r} is no operator of a label selector"
        elif operator in ("In", "NotIn") and not values:
            yield expression["values"], f"{operator} needs values"
        elif operator in ("Exists", "DoesNotExist") and values:
            yield expression["values"], f"{operator} takes no values"
        for value in values:
            yield from _value(value)


def _label(field: Field, key: str) -> Iterator[Problem]:
    if not is_placeholder(key) and (problem := key_problem(key)):
        yield field, f"{key!r} is no label key: {problem}"


def _value(field: Field) -> Iterator[Problem]:
    if not _open(field) and (problem := value_problem(field.scalar or "")):
        yield field, problem


def kubernetes_problems(root: Field, *, strict: bool = False) -> Iterator[Problem]:
    """Everything that the API server's validation refuses. ``strict`` says that it reads addresses as 1.36 and newer
    do, which refuse bits beyond the length of a prefix (StrictIPCIDRValidation).
    """
    spec = root["spec"]
    yield from _selector(spec["podSelector"])
    types = list(spec["policyTypes"].elements())
    if len(types) > len(TYPES):
        yield spec["policyTypes"], "there are two policy types at most"
    for each in types:
        if each.scalar not in TYPES and not _open(each):
            yield each, "a policy type is Ingress or Egress"
    for direction, way in (("ingress", "from"), ("egress", "to")):
        for rule in spec[direction].elements():
            for port in rule["ports"].elements():
                yield from _port(port)
            for peer in rule[way].elements():
                yield from _peer(peer, strict=strict)


def _port(field: Field) -> Iterator[Problem]:
    protocol, port, end = field["protocol"], field["port"], field["endPort"]
    if protocol.present and protocol.scalar not in PROTOCOLS and not _open(protocol):
        yield protocol, f"the protocol is one of {', '.join(PROTOCOLS)}"
    if isinstance(port.value, int):
        if not 1 <= port.value <= MAX_PORT:
            yield port, f"a port is between 1 and {MAX_PORT}"
    elif port.present and not _open(port) and not _port_name(port.scalar or ""):
        yield port, f"{port.scalar!r} is no port name"
    if isinstance(end.value, int):
        if _open(port):
            return
        if not isinstance(port.value, int):
            yield end, "endPort needs a port by number"
        elif not port.value <= end.value <= MAX_PORT:
            yield end, f"endPort is between port and {MAX_PORT}"


def _port_name(text: str) -> bool:
    return len(text) <= 15 and _PORT_NAME.fullmatch(text) is not None


def _peer(field: Field, *, strict: bool) -> Iterator[Problem]:
    pods, namespaces, block = field["podSelector"], field["namespaceSelector"], field["ipBlock"]
    if not pods.present and not namespaces.present and not block.present:
        yield field, "a peer needs a podSelector, a namespaceSelector or an ipBlock"
    yield from _selector(pods)
    yield from _selector(namespaces)
    if not block.present:
        return
    if pods.present or namespaces.present:
        yield block, "an ipBlock stands alone in its peer"
    if strict:
        for each in (block["cidr"], *block["except"].elements()):
            yield from _bits_beyond(each)
    network = parse_prefix(block["cidr"].scalar or "")
    if network is None and not _open(block["cidr"]):
        yield block["cidr"], f"{block['cidr'].scalar or ''!r} is no address with a prefix length"
    for each in block["except"].elements():
        excepted = parse_prefix(each.scalar or "")
        if excepted is None:
            if not _open(each):
                yield each, f"{each.scalar!r} is no address with a prefix length"
        elif network is not None and (
            network.version != excepted.version
            or excepted.network_address not in network
            or excepted.prefixlen <= network.prefixlen
        ):
            yield each, f"{each.scalar} does not lie inside {block['cidr'].scalar}"


def _bits_beyond(field: Field) -> Iterator[Problem]:
    """An address whose bits beyond the length of its prefix are not zero."""
    text = field.scalar or ""
    network, written = parse_prefix(text), parse_address(text.partition("/")[0])
    if network is not None and written is not None and written != network.network_address:
        yield field, f"{text} has bits beyond the length of its prefix, write {network}"
