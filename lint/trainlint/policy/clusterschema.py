"""What the API server refuses in a ClusterNetworkPolicy: its CRD's schema (N:apis/v1alpha2)."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.policy.addresses import parse_prefix
from trainlint.policy.field_types import Problem
from trainlint.policy.rejection_ground import RejectionGround
from trainlint.source.document import Field

__all__ = ["cluster_problems"]

ACTIONS = ("Accept", "Deny", "Pass")
TIERS = ("Admin", "Baseline")
SUBJECTS = ("namespaces", "pods")
EGRESS_PEERS = ("namespaces", "pods", "nodes", "networks", "domainNames")
TRANSPORTS = ("tcp", "udp", "sctp")
PORT_NAME = "destinationNamedPort"
MAX_ITEMS = 25
MAX_PRIORITY = 1000
MAX_PORT = 65535


def cluster_problems(root: Field) -> Iterator[Problem]:
    """Everything that the schema refuses; the syntax of label selectors is not among it."""
    spec = root["spec"]
    yield from _one_of(spec["tier"], TIERS)
    priority = spec["priority"]
    if not _within(priority.value, 0, MAX_PRIORITY) and not _open(priority):
        yield priority, Because(RejectionGround.PRIORITY, (MAX_PRIORITY,))
    yield from _exactly_one(spec["subject"], SUBJECTS)
    for direction, way, peers in (("ingress", "from", SUBJECTS), ("egress", "to", EGRESS_PEERS)):
        yield from _not_more(spec[direction])
        for rule in spec[direction].elements():
            yield from _rule(rule, way, peers)


def _open(field: Field) -> bool:
    return is_placeholder(field.scalar or "")


def _one_of(field: Field, values: tuple[str, ...]) -> Iterator[Problem]:
    if field.scalar not in values and not _open(field):
        yield field, Because(RejectionGround.ONE_OF, (values,))


def _within(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and low <= value <= high


def _exactly_one(field: Field, names: tuple[str, ...]) -> Iterator[Problem]:
    if sum(field[name].present for name in names) != 1:
        yield field, Because(RejectionGround.EXACTLY_ONE_OF, (names,))


def _not_more(field: Field) -> Iterator[Problem]:
    if sum(1 for _ in field.elements()) > MAX_ITEMS:
        yield field, Because(RejectionGround.TOO_MANY_ELEMENTS, (MAX_ITEMS,))


def _rule(rule: Field, way: str, names: tuple[str, ...]) -> Iterator[Problem]:
    yield from _one_of(rule["action"], ACTIONS)
    if not rule[way].value:
        yield rule[way], Because(RejectionGround.NO_PEER_IN, (way,))
    yield from _not_more(rule[way])
    for peer in rule[way].elements():
        yield from _exactly_one(peer, names)
        for network in peer["networks"].elements():
            if parse_prefix(network.scalar or "") is None and not _open(network):
                yield network, Because(RejectionGround.PREFIX, (repr(network.scalar),))
    yield from _not_more(rule["protocols"])
    outside = any(peer[name].present for peer in rule[way].elements() for name in EGRESS_PEERS[2:])
    for protocol in rule["protocols"].elements():
        yield from _exactly_one(protocol, (*TRANSPORTS, PORT_NAME))
        if outside and protocol[PORT_NAME].present:
            yield protocol[PORT_NAME], Because(RejectionGround.NAMED_PORTS_OF_NODES)
        for name in TRANSPORTS:
            yield from _port(protocol[name]["destinationPort"])


def _port(port: Field) -> Iterator[Problem]:
    bounds = port["range"]
    start, end = bounds["start"].value, bounds["end"].value
    for field in (port["number"], bounds["start"], bounds["end"]):
        if isinstance(field.value, int) and not _within(field.value, 1, MAX_PORT):
            yield field, Because(RejectionGround.PORT_NUMBER, (MAX_PORT,))
    if isinstance(start, int) and isinstance(end, int) and start >= end:
        yield bounds, Because(RejectionGround.RANGE_ORDER)
