"""Peers of Cilium's own policies: endpoints, entities, CIDRs, nodes, Services, DNS names, groups (P 1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from trainlint.model.policy import Peer
from trainlint.model.selector import LabelSelector
from trainlint.policy.addresses import Network, parse_prefix
from trainlint.policy.context import CidrGroup, PolicyContext, Service
from trainlint.policy.identity import CLUSTER_KEY, NAMESPACE_KEY
from trainlint.policy.options import CiliumOptions
from trainlint.policy.selector import (
    Matcher,
    add,
    cluster_scope,
    peer_scope,
    prefixed,
    read_selector,
    requirement,
)
from trainlint.source.document import Field

__all__ = ["ENTITIES", "PeerReader", "cidr_peer"]

CLUSTER_ENTITIES = ("host", "remote-node", "init", "ingress", "health", "unmanaged", "kube-apiserver")
ENTITIES = (
    "all",
    "world",
    "cluster",
    "cluster-mesh",
    "host",
    "init",
    "ingress",
    "unmanaged",
    "remote-node",
    "health",
    "none",
    "kube-apiserver",
    "world-ipv4",
    "world-ipv6",
)
UNDECIDABLE_NAMES = "which addresses a DNS name stands for is only known in the cluster"
UNDECIDABLE_GROUPS = "which addresses a cloud provider's group holds is only known in the cluster"


def cidr_peer(field: Field, prefix: str, excepts: tuple[str, ...] = ()) -> Peer:
    """Addresses in a prefix but in none of the exceptions."""
    return Peer(prefixes=((prefix,),), excepts=excepts, written=_written(field), at=field.at)


def _written(field: Field) -> str:
    name = next((str(step) for step in reversed(field.path) if isinstance(step, str)), "")
    return f"{name}: {field.scalar}" if field.scalar is not None else name


@dataclass(frozen=True, slots=True)
class PeerReader:
    """Reads the peers of one rule; ``init`` where the rule is for pods whose labels are not known yet."""

    namespace: str
    context: PolicyContext
    options: CiliumOptions
    init: bool = False

    def read(self, element: Field, *, egress: bool, deny: bool) -> tuple[Peer, ...] | None:
        """The peers of one list element; ``None`` where an empty list makes it be about nobody (P 1.3)."""
        way = "to" if egress else "from"
        fields = {name: element[way + name] for name in ("Endpoints", "Nodes", "Entities", "CIDR", "CIDRSet")}
        if any(field.value == [] for field in fields.values()):
            return None
        peers = [self._endpoint(field) for field in fields["Endpoints"].elements()]
        peers += [self._node(field) for field in fields["Nodes"].elements()]
        for field in fields["Entities"].elements():
            peers += self._entity(field)
        peers += [cidr_peer(field, field.scalar or "") for field in fields["CIDR"].elements()]
        for field in fields["CIDRSet"].elements():
            if field["cidrGroupSelector"].present and self.options.version < (1, 20, 0):
                peers += self._old_group_selector(field["cidrGroupSelector"], _excepts(field))
            else:
                peers.append(self._cidr_set(field))
        if egress and not deny:
            peers += [self._undecidable(field, UNDECIDABLE_NAMES) for field in element["toFQDNs"].elements()]
            for field in element["toServices"].elements():
                peers += self._service(field)
        peers += [self._undecidable(field, UNDECIDABLE_GROUPS) for field in element[way + "Groups"].elements()]
        return tuple(peers)

    def _endpoint(self, field: Field) -> Peer:
        scoped = peer_scope(
            prefixed(read_selector(field), "any"), self.namespace, self.options.local_cluster, init=self.init
        )
        return Peer(scoped, written=_written(field), at=field.at)

    def _node(self, field: Field) -> Peer:
        selector = add(prefixed(read_selector(field), "any"), requirement("reserved:remote-node", "Exists"))
        return Peer(cluster_scope(selector, self.options.local_cluster), written=_written(field), at=field.at)

    def _entity(self, field: Field) -> Iterator[Peer]:
        def peer(*requirements: tuple[str, str, tuple[str, ...]]) -> Peer:
            selector = LabelSelector(tuple(requirement(key, op, *values) for key, op, values in requirements))
            return Peer(selector, written=_written(field), at=field.at)

        match field.scalar:
            case "all":
                yield peer()
            case "world":
                yield from (peer((f"reserved:{name}", "Exists", ())) for name in ("world", "world-ipv4", "world-ipv6"))
            case "cluster" | "cluster-mesh" as entity:
                yield from (peer((f"reserved:{name}", "Exists", ())) for name in CLUSTER_ENTITIES)
                if entity == "cluster":
                    yield peer((f"k8s:{CLUSTER_KEY}", "In", (self.options.cluster,)))
                else:
                    yield peer((f"any:{CLUSTER_KEY}", "Exists", ()))
            case name:
                yield peer((f"reserved:{name}", "Exists", ()))

    def _cidr_set(self, field: Field) -> Peer:
        excepts = _excepts(field)
        reference, selector = field["cidrGroupRef"], field["cidrGroupSelector"]
        if reference.scalar:
            prefixes = _of_groups(group for group in self.context.cidr_groups if group.name == reference.scalar)
            return Peer(prefixes=(prefixes,), excepts=excepts, written=_written(reference), at=field.at)
        if selector.present:
            return self._group_selector(selector, excepts)
        return cidr_peer(field["cidr"], field["cidr"].scalar or "", excepts)

    def _group_selector(self, field: Field, excepts: tuple[str, ...]) -> Peer:
        """Addresses in some group that meets each positive requirement, and in none that a negative one excludes."""
        selector = prefixed(read_selector(field), "cidrgroup")
        if not selector.requirements and not excepts:
            return Peer(written=_written(field), at=field.at)  # Everyone, pods and nodes included (P 10.2).
        within: list[tuple[str, ...]] = []
        outside = list(excepts)
        for item in selector.requirements:
            negative = item.operator in ("NotIn", "DoesNotExist")
            positive = requirement(
                item.key, {"NotIn": "In", "DoesNotExist": "Exists"}.get(item.operator, item.operator)
            )
            matcher = Matcher.of(LabelSelector((requirement(positive.key, positive.operator, *item.values),)))
            prefixes = _of_groups(
                group
                for group in self.context.cidr_groups
                if matcher.matches({f"cidrgroup:{key}": value for key, value in group.labels.items()})
            )
            if negative:
                outside += prefixes
            else:
                within.append(prefixes)
        return Peer(prefixes=tuple(within), excepts=tuple(outside), written=_written(field), at=field.at)

    def _old_group_selector(self, field: Field, excepts: tuple[str, ...]) -> Iterator[Peer]:
        """Up to 1.19 an address has the labels of all groups that hold it, of equal keys that of the longest prefix.

        So each prefix counts for the addresses in it that no longer one covers; what lies in no group has no such
        labels, which meets a selector of negative requirements only, and that may be a pod or a node too.
        """
        matcher, written = Matcher.of(prefixed(read_selector(field), "cidrgroup")), _written(field)
        groups = [(parse_prefix(text), group) for group in self.context.cidr_groups for text in group.prefixes]
        known = {network: "" for network, _ in groups if network}
        for network in known:
            labels: dict[str, str] = {}
            covering = [(other, group) for other, group in groups if other and _covers(other, network)]
            for _, group in sorted(covering, key=lambda each: each[0].prefixlen):
                labels |= {f"cidrgroup:{key}": value for key, value in group.labels.items()}
            if matcher.matches(labels):
                longer = tuple(str(other) for other in known if other != network and _covers(network, other))
                yield Peer(prefixes=((str(network),),), excepts=excepts + longer, written=written, at=field.at)
        if matcher.matches({}):
            outside = excepts + tuple(str(network) for network in known)
            yield Peer(excepts=outside, written=written, at=field.at)

    def _service(self, field: Field) -> Iterator[Peer]:
        for service in self.context.services:
            if not _names_service(field, service):
                continue
            if service.selector:
                selector = LabelSelector(
                    (
                        *(requirement(f"any:{key}", "In", value) for key, value in service.selector.items()),
                        requirement(f"k8s:{NAMESPACE_KEY}", "In", service.namespace),
                    )
                )
                scoped = cluster_scope(selector, self.options.local_cluster)
                yield Peer(scoped, written=f"toServices: {service.namespace}/{service.name}", at=field.at)
            else:
                for address in service.endpoints:
                    yield cidr_peer(field, address)

    def _undecidable(self, field: Field, why: str) -> Peer:
        return Peer(undecidable=why, written=_written(field), at=field.at)


def _excepts(field: Field) -> tuple[str, ...]:
    return tuple(each.scalar or "" for each in field["except"].elements())


def _covers(wide: Network, narrow: Network) -> bool:
    return wide.version == narrow.version and wide.prefixlen <= narrow.prefixlen and narrow.network_address in wide


def _of_groups(groups: Iterable[CidrGroup]) -> tuple[str, ...]:
    return tuple(prefix for group in groups for prefix in group.prefixes)


def _names_service(field: Field, service: Service) -> bool:
    """C:pkg/policy/k8s/service.go: by labels, else by name; an empty namespace is any namespace."""
    by_labels, by_name = field["k8sServiceSelector"], field["k8sService"]
    if by_labels.present:
        labels = {f"any:{key}": value for key, value in service.labels.items()}
        selected = Matcher.of(prefixed(read_selector(by_labels["selector"]), "any")).matches(labels) is True
        return selected and (by_labels["namespace"].scalar or service.namespace) == service.namespace
    if by_name.present:
        same_namespace = (by_name["namespace"].scalar or service.namespace) == service.namespace
        return same_namespace and by_name["serviceName"].scalar == service.name
    return False
