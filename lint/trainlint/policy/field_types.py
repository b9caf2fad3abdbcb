"""JSON types that the policy kinds' fields must have: what does not fit cannot even be decoded (P 7.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from trainlint.fact import fact
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.policy.options import Version
from trainlint.policy.rejection_ground import RejectionGround
from trainlint.source.document import Field

__all__ = ["Problem", "type_problems"]

Problem = tuple[Field, Because]
"""The field to blame, and why."""


@fact
class _Scalar:
    name: RejectionGround
    types: tuple[type, ...]


@fact
class _Each:
    """Every value of a mapping, whatever its key."""

    shape: Any


TEXT = _Scalar(RejectionGround.STRING, (str,))
NUMBER = _Scalar(RejectionGround.WHOLE_NUMBER, (int,))
FLAG = _Scalar(RejectionGround.FLAG, (bool,))
NUMBER_OR_TEXT = _Scalar(RejectionGround.NUMBER_OR_STRING, (int, str))

SELECTOR = {
    "matchLabels": _Each(TEXT),
    "matchExpressions": [{"key": TEXT, "operator": TEXT, "values": [TEXT]}],
}
PORTS = [{"port": TEXT, "endPort": NUMBER, "protocol": TEXT}]
ICMPS = [{"fields": [{"family": TEXT, "type": NUMBER_OR_TEXT}]}]
SECRET = {"namespace": TEXT, "name": TEXT}
TLS = {"secret": SECRET, "trustedCA": TEXT, "certificate": TEXT, "privateKey": TEXT}
HEADER = {"mismatch": TEXT, "name": TEXT, "secret": SECRET, "value": TEXT}
HTTP = {"path": TEXT, "method": TEXT, "host": TEXT, "headers": [TEXT], "headerMatches": [HEADER]}
NAME = {"matchName": TEXT, "matchPattern": TEXT}
LISTENER = {"envoyConfig": {"kind": TEXT, "name": TEXT}, "name": TEXT, "priority": NUMBER}
PORT_RULE = {
    "ports": PORTS,
    "terminatingTLS": TLS,
    "originatingTLS": TLS,
    "serverNames": [TEXT],
    "listener": LISTENER,
    "rules": {"http": [HTTP], "dns": [NAME], "kafka": [{}], "l7": [_Each(TEXT)], "l7proto": TEXT},
}
CIDR_RULE = {"cidr": TEXT, "cidrGroupRef": TEXT, "cidrGroupSelector": SELECTOR, "except": [TEXT]}
GROUP = {"aws": {"labels": _Each(TEXT), "securityGroupsIds": [TEXT], "securityGroupsNames": [TEXT], "region": TEXT}}
SERVICE = {
    "k8sService": {"serviceName": TEXT, "namespace": TEXT},
    "k8sServiceSelector": {"selector": SELECTOR, "namespace": TEXT},
}


def _element(way: str, version: Version, *, deny: bool) -> dict[str, Any]:
    element: dict[str, Any] = {
        f"{way}Endpoints": [SELECTOR],
        # From 1.19 only an empty list of these still decodes.
        f"{way}Requires": [SELECTOR] if version < (1, 19, 0) else [TEXT],
        f"{way}CIDR": [TEXT],
        f"{way}CIDRSet": [CIDR_RULE],
        f"{way}Entities": [TEXT],
        f"{way}Groups": [GROUP],
        f"{way}Nodes": [SELECTOR],
        "toPorts": [{"ports": PORTS}] if deny else [PORT_RULE],
        "icmps": ICMPS,
    }
    if way == "to":
        element["toServices"] = [SERVICE]
    if not deny:
        element["authentication"] = {"mode": TEXT}
        if way == "to":
            element["toFQDNs"] = [NAME]
    return element


@lru_cache(maxsize=8)
def _cilium(version: Version) -> Mapping[str, Any]:
    rule = {
        "endpointSelector": SELECTOR,
        "nodeSelector": SELECTOR,
        "ingress": [_element("from", version, deny=False)],
        "ingressDeny": [_element("from", version, deny=True)],
        "egress": [_element("to", version, deny=False)],
        "egressDeny": [_element("to", version, deny=True)],
        "enableDefaultDeny": {"ingress": FLAG, "egress": FLAG},
        "description": TEXT,
        "log": {"value": TEXT},
    }
    return {"spec": rule, "specs": [rule]}


KUBERNETES_PEER = {"podSelector": SELECTOR, "namespaceSelector": SELECTOR, "ipBlock": {"cidr": TEXT, "except": [TEXT]}}
KUBERNETES_PORT = {"protocol": TEXT, "port": NUMBER_OR_TEXT, "endPort": NUMBER}
KUBERNETES = {
    "spec": {
        "podSelector": SELECTOR,
        "ingress": [{"ports": [KUBERNETES_PORT], "from": [KUBERNETES_PEER]}],
        "egress": [{"ports": [KUBERNETES_PORT], "to": [KUBERNETES_PEER]}],
        "policyTypes": [TEXT],
    }
}
NAMESPACED_POD = {"namespaceSelector": SELECTOR, "podSelector": SELECTOR}
DESTINATION = {"destinationPort": {"number": NUMBER, "range": {"start": NUMBER, "end": NUMBER}}}
PROTOCOL = {"tcp": DESTINATION, "udp": DESTINATION, "sctp": DESTINATION, "destinationNamedPort": TEXT}
CLUSTER_PEER = {"namespaces": SELECTOR, "pods": NAMESPACED_POD}
CLUSTER_RULE = {"name": TEXT, "action": TEXT, "protocols": [PROTOCOL]}
CLUSTER = {
    "spec": {
        "tier": TEXT,
        "priority": NUMBER,
        "subject": CLUSTER_PEER,
        "ingress": [{**CLUSTER_RULE, "from": [CLUSTER_PEER]}],
        "egress": [
            {**CLUSTER_RULE, "to": [{**CLUSTER_PEER, "nodes": SELECTOR, "networks": [TEXT], "domainNames": [TEXT]}]}
        ],
    }
}


def _shape(kind: str, version: Version) -> Mapping[str, Any]:
    match kind:
        case "NetworkPolicy":
            return KUBERNETES
        case "ClusterNetworkPolicy":
            return CLUSTER
        case _:
            return _cilium(version)


def type_problems(root: Field, kind: str, version: Version, *, templates: bool) -> Iterator[Problem]:
    """Fields whose JSON type is not that of the API. ``templates``: placeholders fit everywhere."""
    yield from _walk(root, _shape(kind, version), templates=templates)


def _walk(field: Field, shape: Any, *, templates: bool) -> Iterator[Problem]:
    if not field.present or (templates and isinstance(field.value, str) and is_placeholder(field.value)):
        return
    if isinstance(shape, _Scalar):
        # In Python true is an int, in JSON it is not.
        if not isinstance(field.value, shape.types) or isinstance(field.value, bool) > (bool in shape.types):
            yield field, _wrong(field, shape.name)
        return
    expected, name = (list, RejectionGround.LIST) if isinstance(shape, list) else (dict, RejectionGround.MAPPING)
    if not isinstance(field.value, expected):
        yield field, _wrong(field, name)
    for inner, inner_shape in _inside(field, shape):
        yield from _walk(inner, inner_shape, templates=templates)


_TYPES: Final[Mapping[type, RejectionGround]] = {
    bool: RejectionGround.BOOLEAN,
    int: RejectionGround.NUMBER,
    float: RejectionGround.NUMBER,
    str: RejectionGround.STRING,
    list: RejectionGround.LIST,
    dict: RejectionGround.MAPPING,
}


def _wrong(field: Field, expected: RejectionGround) -> Because:
    """What a field is and what it must be."""
    name = next((step for step in reversed(field.path) if isinstance(step, str)), "the object")
    element = bool(field.path) and isinstance(field.path[-1], int)
    found = _TYPES.get(type(field.value), RejectionGround.SOMETHING_ELSE)
    return Because(RejectionGround.FIELD_TYPE, (name, element, expected, found))


def _inside(field: Field, shape: Any) -> Iterator[tuple[Field, Any]]:
    """The values inside a list or mapping that have a shape."""
    if isinstance(shape, list):
        yield from ((each, shape[0]) for each in field.elements())
        return
    for key, value in field.items():
        if isinstance(shape, _Each):
            yield value, shape.shape
        elif key in shape:
            yield value, shape[key]
