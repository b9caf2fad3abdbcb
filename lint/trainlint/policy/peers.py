"""Peers of Cilium's own policies: endpoints, entities, CIDRs, nodes, Services, DNS names, groups (P 1.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.kube.values import read_strings
from trainlint.model.policy import Direction, Peer
from trainlint.model.selector import LabelSelector
from trainlint.policy.cidrgroups import group_peers
from trainlint.policy.context import PolicyContext
from trainlint.policy.identity import CLUSTER_KEY
from trainlint.policy.options import CiliumOptions
from trainlint.policy.selector import add, cluster_scope, peer_scope, prefixed, read_selector, requirement
from trainlint.policy.services import service_peers
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


def cidr_peer(field: Field, prefix: str, excepts: tuple[str, ...] = (), *, kind: str = "CIDR") -> Peer:
    """Addresses in a prefix but in none of the exceptions."""
    return Peer(prefixes=((prefix,),), excepts=excepts, kind=kind, written=_written(field), at=field.at)


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
            peers += self._cidr_set(field)
        if egress and not deny:
            peers += [_undecidable(field, UNDECIDABLE_NAMES, "FQDNs") for field in element["toFQDNs"].elements()]
            for field in element["toServices"].elements():
                peers += service_peers(field, self.context)
        groups = element[way + "Groups"].elements()
        peers += [_undecidable(field, UNDECIDABLE_GROUPS, "Groups") for field in groups]
        return tuple(peers)

    def requirements(self, element: Field, direction: Direction) -> LabelSelector | None:
        """``fromRequires`` and ``toRequires`` of Cilium 1.18 (P 1.3)."""
        name = "fromRequires" if direction is Direction.INGRESS else "toRequires"
        found = [self._endpoint(field).selector for field in element[name].elements()]
        return LabelSelector(tuple(item for each in found for item in each.requirements)) if found else None

    def _endpoint(self, field: Field) -> Peer:
        scoped = peer_scope(
            prefixed(read_selector(field), "any"), self.namespace, self.options.local_cluster, init=self.init
        )
        return Peer(scoped, kind="Endpoints", written=_written(field), at=field.at)

    def _node(self, field: Field) -> Peer:
        selector = add(prefixed(read_selector(field), "any"), requirement("reserved:remote-node", "Exists"))
        scoped = cluster_scope(selector, self.options.local_cluster)
        return Peer(scoped, kind="Nodes", written=_written(field), at=field.at)

    def _entity(self, field: Field) -> Iterator[Peer]:
        def peer(*requirements: tuple[str, str, tuple[str, ...]]) -> Peer:
            selector = LabelSelector(tuple(requirement(key, op, *values) for key, op, values in requirements))
            return Peer(selector, kind="Entities", written=_written(field), at=field.at)

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

    def _cidr_set(self, field: Field) -> Iterator[Peer]:
        excepts = read_strings(field["except"])
        if field["cidr"].scalar:
            yield cidr_peer(field["cidr"], field["cidr"].scalar or "", excepts, kind="CIDRSet")
        else:
            context = self.context
            bare = context.bare_engine
            yield from group_peers(field, excepts, context.cidr_groups, self.options.version, bare=bare)


def _undecidable(field: Field, why: str, kind: str) -> Peer:
    return Peer(undecidable=why, kind=kind, written=_written(field), at=field.at)
