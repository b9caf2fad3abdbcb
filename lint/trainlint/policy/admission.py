"""What the API server refuses in a NetworkPolicy (P 3.1, K:pkg/apis/networking/validation/validation.go)."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.policy.addresses import parse_address, parse_prefix
from trainlint.policy.field_types import Problem
from trainlint.policy.rejection_ground import RejectionGround
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
            yield expression["operator"], Because(RejectionGround.OPERATOR, (repr(operator),))
        elif operator in ("In", "NotIn") and not values:
            yield expression["values"], Because(RejectionGround.VALUES_MISSING, (operator,))
        elif operator in ("Exists", "DoesNotExist") and values:
            yield expression["values"], Because(RejectionGround.VALUES_GIVEN, (operator,))
        for value in values:
            yield from _value(value)


def _label(field: Field, key: str) -> Iterator[Problem]:
    if not is_placeholder(key) and (problem := key_problem(key)):
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
        yield spec["policyTypes"], Because(RejectionGround.POLICY_TYPES)
    for each in types:
        if each.scalar not in TYPES and not _open(each):
            yield each, Because(RejectionGround.POLICY_TYPE)
    for direction, way in (("ingress", "from"), ("egress", "to")):
        for rule in spec[direction].elements():
            for port in rule["ports"].elements():
                yield from _port(port)
            for peer in rule[way].elements():
                yield from _peer(peer, strict=strict)


def _port(field: Field) -> Iterator[Problem]:
    protocol, port, end = field["protocol"], field["port"], field["endPort"]
    if protocol.present and protocol.scalar not in PROTOCOLS and not _open(protocol):
        yield protocol, Because(RejectionGround.PROTOCOL, (PROTOCOLS,))
    if isinstance(port.value, int):
        if not 1 <= port.value <= MAX_PORT:
            yield port, Because(RejectionGround.PORT_NUMBER, (MAX_PORT,))
    elif port.present and not _open(port) and not _port_name(port.scalar or ""):
        yield port, Because(RejectionGround.PORT_NAME, (repr(port.scalar),))
    if isinstance(end.value, int):
        if _open(port):
            return
        if not isinstance(port.value, int):
            yield end, Because(RejectionGround.END_PORT_ALONE)
        elif not port.value <= end.value <= MAX_PORT:
            yield end, Because(RejectionGround.END_PORT, (MAX_PORT,))


def _port_name(text: str) -> bool:
    return len(text) <= 15 and _PORT_NAME.fullmatch(text) is not None


def _peer(field: Field, *, strict: bool) -> Iterator[Problem]:
    pods, namespaces, block = field["podSelector"], field["namespaceSelector"], field["ipBlock"]
    if not pods.present and not namespaces.present and not block.present:
        yield field, Because(RejectionGround.NO_PEER)
    yield from _selector(pods)
    yield from _selector(namespaces)
    if not block.present:
        return
    if pods.present or namespaces.present:
        yield block, Because(RejectionGround.IP_BLOCK_ALONE)
    if strict:
        for each in (block["cidr"], *block["except"].elements()):
            yield from _bits_beyond(each)
    network = parse_prefix(block["cidr"].scalar or "")
    if network is None and not _open(block["cidr"]):
        yield block["cidr"], Because(RejectionGround.PREFIX, (repr(block["cidr"].scalar or ""),))
    for each in block["except"].elements():
        excepted = parse_prefix(each.scalar or "")
        if excepted is None:
            if not _open(each):
                yield each, Because(RejectionGround.PREFIX, (repr(each.scalar),))
        elif network is not None and (
            network.version != excepted.version
            or excepted.network_address not in network
            or excepted.prefixlen <= network.prefixlen
        ):
            yield (
                each,
                Because(
                    RejectionGround.OUTSIDE_BLOCK,
                    (
                        each.scalar,
                        block["cidr"].scalar,
                    ),
                ),
            )


def _bits_beyond(field: Field) -> Iterator[Problem]:
    """An address whose bits beyond the length of its prefix are not zero."""
    text = field.scalar or ""
    network, written = parse_prefix(text), parse_address(text.partition("/")[0])
    if network is not None and written is not None and written != network.network_address:
        yield field, Because(RejectionGround.HOST_BITS, (text, network))
