"""ClusterNetworkPolicy as policy entries, as Cilium 1.20 reads it (P 3.3, C:pkg/k8s/cluster_network_policy.go)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainlint.model.policy import Action, Condition, Direction, Peer, PolicyEntry, PortRule, Proxy
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import ObjectRef
from trainlint.policy.kubernetes import namespace_selector
from trainlint.policy.options import CiliumOptions
from trainlint.policy.peers import UNDECIDABLE_NAMES, cidr_peer
from trainlint.policy.ports import port_rules
from trainlint.policy.selector import add, cluster_scope, prefixed, read_selector, requirement
from trainlint.source.document import Field

__all__ = ["cluster_entries"]

ADMIN, BASELINE = 100, 250
ACTIONS = {"Deny": Action.DENY, "Pass": Action.PASS}


def cluster_entries(root: Field, origin: ObjectRef, options: CiliumOptions) -> Iterator[PolicyEntry]:
    """The entries of a ClusterNetworkPolicy: ordered by tier and priority, and none of them isolates."""
    spec = root["spec"]
    subject = _subject(spec["subject"])
    priority = spec["priority"].value
    for direction, way in ((Direction.INGRESS, "from"), (Direction.EGRESS, "to")):
        for index, rule in enumerate(spec[direction.value].elements()):
            entry = PolicyEntry(
                origin=origin,
                namespace="",
                direction=direction,
                action=ACTIONS.get(rule["action"].scalar or "", Action.ALLOW),
                subject=subject,
                peers=(Peer(written=f"{way}: everyone", at=rule.at),),
                ports=_ports(rule, options),
                isolates=False,
                tier=BASELINE if spec["tier"].scalar == "Baseline" else ADMIN,
                priority=(priority if isinstance(priority, int) else 0) + index / 100,
                at=rule.at,
            )
            peers = list(rule[way].elements())
            if not peers:
                yield entry
            for peer in peers:
                yield from _with_peer(entry, peer, options)


def _with_peer(entry: PolicyEntry, peer: Field, options: CiliumOptions) -> Iterator[PolicyEntry]:
    egress = entry.direction is Direction.EGRESS
    if peer["pods"].present:
        pods = _pods(peer["pods"], options)
        yield replace(entry, peers=(Peer(pods, kind="pods", written="pods", at=peer.at),))
    elif peer["namespaces"].present:
        namespaces = namespace_selector(peer["namespaces"])
        yield replace(entry, peers=(Peer(namespaces, kind="namespaces", written="namespaces", at=peer.at),))
    elif egress and peer["nodes"].present:
        labels = prefixed(read_selector(peer["nodes"]), "node")
        own = add(labels, requirement("reserved:host", "Exists"))
        others = cluster_scope(add(labels, requirement("reserved:remote-node", "Exists")), options)
        yield replace(
            entry, peers=tuple(Peer(each, kind="nodes", written="nodes", at=peer.at) for each in (own, others))
        )
    elif egress and peer["networks"].present:
        networks = peer["networks"].elements()
        yield replace(entry, peers=tuple(cidr_peer(each, each.scalar or "", kind="networks") for each in networks))
    elif egress and peer["domainNames"].present:
        yield _dns_entry(entry, options)
        names = peer["domainNames"].elements()
        yield replace(
            entry, peers=tuple(Peer(undecidable=UNDECIDABLE_NAMES, kind="domainNames", at=each.at) for each in names)
        )
    elif entry.action is not Action.ALLOW:
        # An unknown peer: an Accept is skipped, anything else denies everyone.
        yield replace(entry, action=Action.DENY)


def _dns_entry(entry: PolicyEntry, options: CiliumOptions) -> PolicyEntry:
    """Names can only be learned from DNS answers, so asking for them is allowed too."""
    selector = LabelSelector((requirement("any:k8s-app", "In", "kube-dns"),))
    ports: list[PortRule] = []
    for name in ("dns", "dns-tcp"):
        found = port_rules(name, 0, "", version=options.version, at=entry.at)
        ports += [replace(rule, only_if=(Condition.NAME,), proxy=Proxy("dns", rules=True)) for rule in found]
    return replace(entry, peers=(Peer(selector, written="cluster DNS", at=entry.at),), ports=tuple(ports))


def _pods(field: Field, options: CiliumOptions | None) -> LabelSelector:
    namespaces, pods = (
        namespace_selector(field["namespaceSelector"]),
        prefixed(read_selector(field["podSelector"]), "k8s"),
    )
    scoped = pods if options is None else cluster_scope(pods, options)
    return LabelSelector((*namespaces.requirements, *scoped.requirements), field.at)


def _subject(field: Field) -> LabelSelector:
    if field["namespaces"].present:
        return namespace_selector(field["namespaces"])
    return _pods(field["pods"], None)


def _ports(rule: Field, options: CiliumOptions) -> tuple[PortRule, ...] | None:
    protocols = list(rule["protocols"].elements())
    if not protocols:
        return None
    found: list[PortRule] = []
    for each in protocols:
        name = next((name for name in ("tcp", "udp", "sctp") if each[name].present), "")
        port, text, end = each[name]["destinationPort"], "0", 0
        if port["range"].present:
            text, end = port["range"]["start"].scalar or "0", _whole(port["range"]["end"])
        elif port.present:
            text = port["number"].scalar or "0"
        elif not name:
            text = each["destinationNamedPort"].scalar or "0"
        found += port_rules(text, end, name, version=options.version, fold_case=False, at=each.at)
    return tuple(found)


def _whole(field: Field) -> int:
    return field.value if isinstance(field.value, int) else 0
