"""Peers of Cilium's own policies: endpoints, entities, CIDRs, nodes, Services, DNS names, groups (P 1.3)."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fact import fact
from trainlint.kube.values import read_strings
from trainlint.model.because import Because
from trainlint.model.policy import Direction, Peer
from trainlint.model.selector import LabelSelector
from trainlint.policy.cidrgroups import group_peers
from trainlint.policy.context import PolicyContext
from trainlint.policy.ground import VerdictGround
from trainlint.policy.identity import CLUSTER_KEY
from trainlint.policy.options import CiliumOptions
from trainlint.policy.selector import add, cluster_scope, peer_scope, prefixed, read_selector, requirement
from trainlint.policy.services import service_peers
from trainlint.source.document import Field

__all__ = ["ENTITIES", "PeerReader", "cidr_peer"]

CHECKED_FOR_EMPTY = ("Endpoints", "Nodes", "Entities", "CIDR", "CIDRSet")
"""Kinds of which a list written empty matches no peer; an empty list of another kind is as if it were not there."""

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
UNDECIDABLE_NAMES = Because(VerdictGround.DNS_NAMES)
UNDECIDABLE_GROUPS = Because(VerdictGround.CLOUD_GROUPS)


def cidr_peer(field: Field, prefix: str, excepts: tuple[str, ...] = (), *, kind: str = "CIDR") -> Peer:
    """Addresses in a prefix but in none of the exceptions."""
    return Peer(prefixes=((prefix,),), excepts=excepts, kind=kind, written=_written(field), at=field.at)


def _written(field: Field) -> str:
    name = next((str(step) for step in reversed(field.path) if isinstance(step, str)), "")
    return f"{name}: {field.scalar}" if field.scalar is not None else name


@fact
class PeerReader:
    """Reads the peers of one rule; ``init`` where the rule is for pods whose labels are not known yet."""

    namespace: str
    context: PolicyContext
    options: CiliumOptions
    init: bool

    def read(self, element: Field, *, egress: bool, deny: bool) -> tuple[Peer, ...] | None:
        """The peers of one list element; ``None`` where an empty list makes it match no peer (P 1.3)."""
        way, written = "to" if egress else "from", element.mapping or {}
        names = [name for name in CHECKED_FOR_EMPTY if way + name in written]
        if any(written[way + name] == [] for name in names):
            return None
        readers = {
            "Endpoints": self._endpoint,
            "Nodes": self._node,
            "Entities": self._entity,
            "CIDR": _cidr,
            "CIDRSet": self._cidr_set,
            "Groups": _group,
        }
        if egress and not deny:
            readers |= {"FQDNs": _name, "Services": self._service}
        peers: list[Peer] = []
        for name, reader in readers.items():
            if way + name in written:
                for field in element[way + name].elements():
                    peers += reader(field)
        return tuple(peers)

    def requirements(self, element: Field, direction: Direction) -> LabelSelector | None:
        """The selector that ``fromRequires`` or ``toRequires`` of Cilium 1.18 adds (P 1.3); ``None`` where nothing is
        required.
        """
        name = "fromRequires" if direction is Direction.INGRESS else "toRequires"
        found = [peer.selector for field in element[name].elements() for peer in self._endpoint(field)]
        return LabelSelector(tuple(item for each in found for item in each.requirements)) if found else None

    def _endpoint(self, field: Field) -> Iterator[Peer]:
        scoped = peer_scope(prefixed(read_selector(field), "any"), self.namespace, self.options, init=self.init)
        yield Peer(scoped, kind="Endpoints", written=_written(field), at=field.at)

    def _node(self, field: Field) -> Iterator[Peer]:
        selector = add(prefixed(read_selector(field), "any"), requirement("reserved:remote-node", "Exists"))
        scoped = cluster_scope(selector, self.options)
        yield Peer(scoped, kind="Nodes", written=_written(field), at=field.at)

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
                    named = self.options.cluster_named
                    own = ("In", (self.options.cluster,)) if named else ("Exists", ())
                    yield peer((f"k8s:{CLUSTER_KEY}", *own))
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

    def _service(self, field: Field) -> Iterator[Peer]:
        return service_peers(field, self.context)


def _cidr(field: Field) -> Iterator[Peer]:
    yield cidr_peer(field, field.scalar or "")


def _name(field: Field) -> Iterator[Peer]:
    name = field["matchName"].scalar or field["matchPattern"].scalar or _written(field)
    yield Peer(undecidable=UNDECIDABLE_NAMES, kind="FQDNs", written=name, at=field.at)


def _group(field: Field) -> Iterator[Peer]:
    yield Peer(undecidable=UNDECIDABLE_GROUPS, kind="Groups", written=_written(field), at=field.at)
