"""Services (kubernetes:pkg/apis/core/validation, validateService), after defaulting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw, FieldPlace
from trainlint.admission.fields import address, lacks, name, one_word, refused, within, word
from trainlint.admission.flaws import FlawRole
from trainlint.admission.name_syntax import label_key, rfc1123_label, rfc1123_subdomain
from trainlint.admission.plain_values import below, elements, known, mapping, number, text
from trainlint.admission.pods.handlers import port_value
from trainlint.admission.problem import Problem
from trainlint.admission.selectors import of_label
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["of_service"]

_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_FAMILIES: Final = ("IPv4", "IPv6")
_STACKS: Final = ("SingleStack", "PreferDualStack", "RequireDualStack")
_TRAFFIC: Final = ("Cluster", "Local")
_DISTRIBUTION: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_MOST_TIMEOUT: Final = 86400
_MOST_ADDRESSES: Final = 2
_OF_BALANCERS: Final = ("allocateLoadBalancerNodePorts", "loadBalancerClass", "loadBalancerSourceRanges")
_NONE: Final = "None"


def of_service(item: Any) -> Iterator[Problem]:
    """What is refused of a Service."""
    spec, at = mapping(below(item, "spec")), ("spec",)
    kind = text(spec.get("type")) or "ClusterIP"
    if not spec or is_placeholder(kind):
        return
    yield from word(spec, at, "type", _TYPES)
    yield from _ports(spec, at, kind)
    for key, value in mapping(spec.get("selector")).items():
        yield from of_label(key, value, (*at, "selector", key), "selector")
    yield from word(spec, at, "sessionAffinity", ("ClientIP", "None"))
    yield from word(spec, at, "internalTrafficPolicy", _TRAFFIC)
    yield from word(spec, at, "trafficDistribution", _DISTRIBUTION)
    if spec.get("sessionAffinity") == "ClientIP":
        timeout = mapping(below(spec, "sessionAffinityConfig", "clientIP"))
        yield from within(timeout, (*at, "sessionAffinityConfig", "clientIP"), "timeoutSeconds", 1, _MOST_TIMEOUT)
    if kind == "ExternalName":
        yield from _external(spec, at)
    else:
        yield from _addresses(spec, at, kind)
    yield from _ways_in(spec, at, kind)


def _is_headless(spec: Mapping[str, Any]) -> bool:
    return spec.get("clusterIP") == _NONE or spec.get("clusterIPs") == [_NONE]


def _ports(spec: Mapping[str, Any], at: Path, kind: str) -> Iterator[Problem]:
    ports = list(elements(spec.get("ports"), *at, "ports"))
    if not spec.get("ports") and not _is_headless(spec) and kind != "ExternalName":
        yield refused(at, FieldFlaw.MISSING, "ports", key="ports")
    named: dict[str, Path] = {}
    taken: dict[tuple[str, str, int], Path] = {}
    for place, port in ports:
        if len(ports) > 1:
            yield from lacks(port, place, "name")
        yield from name(port, place, "name", rfc1123_label)
        yield from port_value(port, place, "port", named=False)
        yield from word(port, place, "protocol", _PROTOCOLS)
        if port.get("targetPort") not in (0, "", None):
            yield from port_value(port, place, "targetPort")
        yield from name(port, place, "appProtocol", label_key)
        given = known(port.get("name"))
        if given:
            yield from _again(named, given, (*place, "name"), given, "spec.ports")
        protocol = text(port.get("protocol")) or "TCP"
        for key in ("port", "nodePort"):
            value = number(port.get(key))
            if value and not is_placeholder(protocol):
                yield from _again(taken, (key, protocol, value), (*place, key), f"{protocol} {value}", "spec.ports")
        if number(port.get("nodePort")) and kind == "ClusterIP":
            yield refused((*place, "nodePort"), FieldFlaw.BELONGS, FieldPlace.NODE_PORT, where="nodePort")


def _again(taken: dict[Any, Path], key: Any, at: Path, said: str, where: str) -> Iterator[Problem]:
    first = taken.setdefault(key, at)
    if first != at:
        yield refused(at, FieldFlaw.TWICE, said, where=where, related=((Because(FlawRole.OTHER_ONE), first),))


def _external(spec: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    yield from lacks(spec, at, "externalName")
    given = known(spec.get("externalName"))
    if given and (wrong := rfc1123_subdomain(given.removesuffix("."))):
        yield refused((*at, "externalName"), FieldFlaw.NAME, given, wrong)
    for key in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec.get(key):
            yield refused((*at, key), FieldFlaw.EXCLUDES, "type: ExternalName", where=key)


def _addresses(spec: Mapping[str, Any], at: Path, kind: str) -> Iterator[Problem]:
    """Addresses inside of the cluster and their families (ValidateServiceClusterIPsRelatedFields)."""
    one, several, families = spec.get("clusterIP"), spec.get("clusterIPs"), spec.get("ipFamilies")
    if kind in ("LoadBalancer", "NodePort") and _is_headless(spec):
        key = "clusterIP" if one == _NONE else "clusterIPs"
        yield refused((*at, key), FieldFlaw.EXCLUDES, f"type: {kind}", where=f"{key}: None")
    if one not in ("", _NONE, None):
        yield from address(one, (*at, "clusterIP"))
    yield from word(spec, at, "ipFamilyPolicy", _STACKS)
    seen: dict[str, Path] = {}
    for index, family in enumerate(families if isinstance(families, list) else ()):
        yield from one_word(family, (*at, "ipFamilies", index), "an ipFamily", _FAMILIES)
        if given := known(family):
            yield from _again(seen, given, (*at, "ipFamilies", index), given, "ipFamilies")
    if not isinstance(several, list) or not several:
        return
    place = (*at, "clusterIPs")
    if not one:
        yield refused(place, FieldFlaw.NEEDS, "clusterIP", where="clusterIPs")
    if len(several) > _MOST_ADDRESSES:
        yield refused(place, FieldFlaw.TOO_MANY, len(several), _MOST_ADDRESSES, "addresses")
    if isinstance(one, str) and one and not is_placeholder(one) and known(several[0]) not in (None, one):
        yield refused((*place, 0), FieldFlaw.DIFFERS, several[0], "clusterIP", one)
    kinds: dict[int, Path] = {}
    for index, each in enumerate(several):
        if each == _NONE and len(several) == 1:
            continue
        yield from address(each, (*place, index))
        if (version := _version(each)) is not None:
            yield from _again(kinds, version, (*place, index), f"IPv{version}", "clusterIPs")


def _version(value: Any) -> int | None:
    try:
        return ip_address(str(value)).version
    except ValueError:
        return None


def _ways_in(spec: Mapping[str, Any], at: Path, kind: str) -> Iterator[Problem]:
    """Fields of Services that are reached from outside (validateServiceExternalTrafficPolicy)."""
    yield from _of_balancers(spec, at, kind)
    addresses = spec.get("externalIPs")
    for index, each in enumerate(addresses if isinstance(addresses, list) else ()):
        yield from address(each, (*at, "externalIPs", index))
    reached = kind in ("LoadBalancer", "NodePort") or (kind == "ClusterIP" and bool(addresses))
    if reached:
        yield from word(spec, at, "externalTrafficPolicy", _TRAFFIC)
    elif spec.get("externalTrafficPolicy"):
        yield refused((*at, "externalTrafficPolicy"), FieldFlaw.BELONGS, FieldPlace.NODE_PORT)
    checked = kind == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"
    if number(spec.get("healthCheckNodePort")) and not checked:
        yield refused((*at, "healthCheckNodePort"), FieldFlaw.NEEDS, "externalTrafficPolicy: Local")


def _of_balancers(spec: Mapping[str, Any], at: Path, kind: str) -> Iterator[Problem]:
    """Fields that only Services of the type LoadBalancer have."""
    if kind != "LoadBalancer":
        for key in _OF_BALANCERS:
            if spec.get(key) not in (None, []):
                yield refused((*at, key), FieldFlaw.BELONGS, FieldPlace.LOAD_BALANCER)
    else:
        yield from name(spec, at, "loadBalancerClass", label_key)
