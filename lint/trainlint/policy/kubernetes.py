"""NetworkPolicy as policy entries: as Cilium reads it (P 3.1), and as the API defines it for other plugins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainlint.kube.values import read_strings
from trainlint.model.policy import Action, Direction, Peer, PolicyEntry, PortRule
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import ObjectRef, PortRange
from trainlint.policy.identity import NAMESPACE_KEY, NAMESPACE_LABELS
from trainlint.policy.options import CiliumOptions, Version
from trainlint.policy.peers import cidr_peer
from trainlint.policy.ports import port_rules
from trainlint.policy.selector import (
    add,
    cluster_scope,
    overwrite,
    prefixed,
    read_selector,
    requirement,
)
from trainlint.policy.syntax import convertible
from trainlint.source.document import Field

__all__ = ["kubernetes_entries", "namespace_selector", "plain_entries", "policy_types"]

IP_BLOCK_BUG = ((1, 19, 0), (1, 19, 5))
DIRECTIONS = ((Direction.INGRESS, "Ingress", "from"), (Direction.EGRESS, "Egress", "to"))


def policy_types(root: Field) -> frozenset[str]:
    """``policyTypes``, or what the API server puts there: Ingress, and Egress where there are egress rules."""
    written = frozenset(text for each in root["spec"]["policyTypes"].elements() if (text := each.scalar))
    if written:
        return written
    return frozenset({"Ingress", "Egress"} if root["spec"]["egress"].value else {"Ingress"})


def kubernetes_entries(root: Field, origin: ObjectRef, options: CiliumOptions) -> Iterator[PolicyEntry]:
    """The entries that Cilium makes of a NetworkPolicy: rules count whatever ``policyTypes`` says (cilium#48703)."""
    spec, types, version = root["spec"], policy_types(root), options.version
    own = prefixed(read_selector(spec["podSelector"]), "k8s")
    subject = _converted(overwrite(own, f"k8s:{NAMESPACE_KEY}", origin.namespace), version)
    for direction, name, way in DIRECTIONS:
        rules = list(spec[direction.value].elements())
        entry = _blank(origin, direction, subject, spec)
        if not rules and (name in types or (direction is Direction.INGRESS and "Egress" not in types)):
            yield replace(entry, at=spec[direction.value].at if spec[direction.value].present else spec.at)
        for rule in rules:
            ports = _ports(rule, version)
            peers = list(rule[way].elements())
            if not peers:
                yield replace(entry, peers=(Peer(written=f"{way}: everyone", at=rule.at),), ports=ports, at=rule.at)
            for peer in peers:
                yield replace(entry, peers=_peer(peer, origin.namespace, direction, options), ports=ports, at=rule.at)


def _blank(origin: ObjectRef, direction: Direction, subject: LabelSelector, spec: Field) -> PolicyEntry:
    return PolicyEntry(
        origin=origin,
        namespace=origin.namespace,
        direction=direction,
        action=Action.ALLOW,
        subject=subject,
        peers=(),
        ports=None,
        isolates=True,
        at=spec.at,
    )


def _converted(selector: LabelSelector, version: Version) -> LabelSelector:
    """1.19 takes a selector that it cannot convert for one without requirements (P 10.10)."""
    if (1, 19, 0) <= version < (1, 20, 0) and not convertible(selector, version):
        return LabelSelector((), selector.at)
    return selector


def namespace_selector(field: Field) -> LabelSelector:
    """A ``namespaceSelector`` over pod identities: the namespace's labels are part of them; ``{}`` is any pod."""
    selector = prefixed(read_selector(field), "k8s", NAMESPACE_LABELS)
    if not selector.requirements:
        return add(selector, requirement(f"k8s:{NAMESPACE_KEY}", "Exists", at=field.at))
    return selector


def _selects_pods(field: Field, direction: Direction, options: CiliumOptions) -> bool:
    """Whether a peer is about pods at all: versions differ on peers that the API server would refuse."""
    low, high = IP_BLOCK_BUG
    if options.version >= (1, 20, 0):
        return not field["ipBlock"].present
    # cilium#46305: a peer that is only an ipBlock also admitted every pod of the policy's namespace.
    bug = direction is Direction.INGRESS and bool(options.local_cluster) and low <= options.version < high
    return bug or field["namespaceSelector"].present or field["podSelector"].present


def _peer(field: Field, namespace: str, direction: Direction, options: CiliumOptions) -> tuple[Peer, ...]:
    peers: list[Peer] = []
    in_namespaces, pods, block = field["namespaceSelector"], field["podSelector"], field["ipBlock"]
    if _selects_pods(field, direction, options):
        selector = prefixed(read_selector(pods), "k8s")
        scoped = cluster_scope(selector, options)
        if in_namespaces.present:
            scoped = LabelSelector((*namespace_selector(in_namespaces).requirements, *scoped.requirements), field.at)
        else:
            scoped = overwrite(scoped, f"k8s:{NAMESPACE_KEY}", namespace)
        peers.append(Peer(_converted(scoped, options.version), kind="podSelector", written="pods", at=field.at))
    if block.present:
        excepts = read_strings(block["except"])
        peers.append(cidr_peer(block["cidr"], block["cidr"].scalar or "", excepts, kind="ipBlock"))
    return tuple(peers)


def _ports(rule: Field, version: Version) -> tuple[PortRule, ...] | None:
    ports = list(rule["ports"].elements())
    if not ports:
        return None
    found: list[PortRule] = []
    for port in ports:
        number, end = port["port"], port["endPort"].value
        found += port_rules(
            (number.scalar or "") if number.present else "0",
            end if isinstance(end, int) else 0,
            port["protocol"].scalar or "TCP",
            version=version,
            fold_case=version < (1, 19, 0),  # 1.18 validates NetworkPolicy, which lower-cases names (P 10.3, 10.11).
            at=port.at,
        )
    return tuple(found)


def plain_entries(root: Field, origin: ObjectRef) -> Iterator[PolicyEntry]:
    """The entries that the NetworkPolicy API defines: only the directions in ``policyTypes``, each isolated."""
    spec, types = root["spec"], policy_types(root)
    subject = overwrite(prefixed(read_selector(spec["podSelector"]), "k8s"), f"k8s:{NAMESPACE_KEY}", origin.namespace)
    for direction, name, way in DIRECTIONS:
        if name not in types:
            continue
        rules = list(spec[direction.value].elements())
        entry = _blank(origin, direction, subject, spec)
        if not rules:
            yield replace(entry, at=spec[direction.value].at if spec[direction.value].present else spec.at)
        for rule in rules:
            peers = tuple(_plain_peer(peer, origin.namespace) for peer in rule[way].elements())
            everyone = (Peer(written=f"{way}: everyone", at=rule.at),)
            yield replace(entry, peers=peers or everyone, ports=_plain_ports(rule), at=rule.at)


def _plain_peer(field: Field, namespace: str) -> Peer:
    block = field["ipBlock"]
    if block.present:
        excepts = read_strings(block["except"])
        return cidr_peer(block["cidr"], block["cidr"].scalar or "", excepts, kind="ipBlock")
    selector = prefixed(read_selector(field["podSelector"]), "k8s")
    if field["namespaceSelector"].present:
        namespaces = namespace_selector(field["namespaceSelector"])
        any_pod = requirement(f"k8s:{NAMESPACE_KEY}", "Exists", at=field.at)
        selector = LabelSelector((*namespaces.requirements, any_pod, *selector.requirements))
    else:
        selector = overwrite(selector, f"k8s:{NAMESPACE_KEY}", namespace)
    return Peer(selector, kind="podSelector", written="pods", at=field.at)


def _plain_ports(rule: Field) -> tuple[PortRule, ...] | None:
    ports = list(rule["ports"].elements())
    if not ports:
        return None
    found = []
    for port in ports:
        number, end, protocol = port["port"], port["endPort"].value, port["protocol"].scalar or "TCP"
        if isinstance(number.value, int):
            last = end if isinstance(end, int) else number.value
            found.append(PortRule(protocol, PortRange(number.value, last), at=port.at))
        else:
            found.append(PortRule(protocol, name=number.scalar or "", at=port.at))
    return tuple(found)
