"""Needed connections that a service mesh refuses: mutual TLS without a proxy, or an authorization that is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto

from trainlint.control_plane.authorization import AuthorizationRefusal, Caller
from trainlint.control_plane.linkerd import Linkerd, read_linkerd
from trainlint.control_plane.mesh import ROOT, Mesh, read_mesh
from trainlint.control_plane.need import Need
from trainlint.control_plane.webhooks import API_SERVER
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.workload import Flow, ObjectRef, PodSet, PortRange, Service
from trainlint.snapshot.build import Snapshot

__all__ = ["MeshDenial", "MeshReason", "mesh_denials"]


class MeshReason(Enum):
    """Why a proxy refuses a connection."""

    STRICT = auto()  # mutual TLS is required of all
    NO_RULES = auto()  # an ALLOW policy without rules
    NOT_ALLOWED = auto()  # no rule of the ALLOW policies is about the caller
    DENIED = auto()  # a rule of a DENY policy is
    NO_AUTHORIZATION = auto()  # a Server of Linkerd to which nothing is authorized
    NOT_AUTHORIZED = auto()  # all that is authorized has a proxy


@fact
class MeshDenial:
    """A connection that the proxy before the pods of ``target`` refuses; ``by`` is the object, ``at`` the place in it.

    ``needed`` is the connection: one of the control plane, or a flow of ``group``. ``ambient`` says that the proxy is
    that of the node, ``rooted`` that the object counts because its namespace is Istio's root namespace.
    """

    source: str
    target: PodSet
    port: int
    needed: Need | Flow
    reason: MeshReason
    by: str
    at: Location
    owners: tuple[ObjectRef, ...]
    group: str = ""
    ambient: bool = False
    rooted: bool = False
    plain: bool = False


@fact
class _Connection:
    source: str
    caller: PodSet | None
    target: PodSet
    ports: PortRange
    needed: Need | Flow
    owners: tuple[ObjectRef, ...]
    group: str = ""


def mesh_denials(snapshot: Snapshot, needs: Iterable[Need]) -> Iterator[MeshDenial]:
    """The connections of the control plane and of groups that Istio or Linkerd refuses for certain."""
    mesh, linkerd = read_mesh(snapshot.objects), read_linkerd(snapshot.objects)
    if not mesh.strict and not mesh.authorizations and not linkerd.servers:
        return
    services: dict[str, list[Service]] = {}
    for service in snapshot.workloads.services:
        services.setdefault(service.ref.namespace, []).append(service)
    for each in _connections(snapshot, needs):
        denial = _by_istio(mesh, each, services) or _by_linkerd(linkerd, each)
        if denial is not None:
            yield denial


def _connections(snapshot: Snapshot, needs: Iterable[Need]) -> Iterator[_Connection]:
    for need in needs:
        if need.target is None:
            continue
        ports = PortRange(need.port, need.port)
        yield _Connection(need.source, need.caller, need.target, ports, need, need.owners)
    for group in snapshot.workloads.groups:
        for flow in group.flows:
            if flow.target is not None and flow.protocol == "TCP":
                caller = group.members[flow.source]
                name = f"{caller.namespace}/{caller.name}"
                target = group.members[flow.target]
                yield _Connection(name, caller, target, flow.ports, flow, (caller.owner,), group.name)


def _by_istio(mesh: Mesh, call: _Connection, services: Mapping[str, Sequence[Service]]) -> MeshDenial | None:
    if not mesh.guarded(call.target, call.ports):
        return None
    caller, port = call.caller, call.ports.first
    dialed = _dialed(services.get(call.target.namespace, ()), call.target, port)
    plain = call.source == API_SERVER if caller is None else mesh.plain(caller, port, dialed)
    by = mesh.requires(call.target, port) if plain and call.ports.first == call.ports.last else None
    if by is not None:
        name = f"PeerAuthentication {by.namespace}/{by.name}"
        return _denial(mesh, call, MeshReason.STRICT, name, by.at, rooted=by.namespace == ROOT, plain=True)
    callers: Sequence[Caller | None] = (None,) if plain else () if caller is None else mesh.callers(caller)
    refused = mesh.authorized(callers, call.target, call.ports)
    if not isinstance(refused, AuthorizationRefusal):
        return None
    policy = refused.policy
    rules = MeshReason.NOT_ALLOWED if policy.rules else MeshReason.NO_RULES
    reason = MeshReason.DENIED if refused.by_rule else rules
    name = f"AuthorizationPolicy {policy.namespace}/{policy.name}"
    rooted = policy.namespace == ROOT and call.target.namespace != ROOT
    return _denial(mesh, call, reason, name, refused.at, rooted=rooted, plain=plain)


def _denial(
    mesh: Mesh, call: _Connection, reason: MeshReason, by: str, at: Location, *, rooted: bool, plain: bool
) -> MeshDenial:
    return MeshDenial(
        call.source,
        call.target,
        call.ports.first,
        call.needed,
        reason,
        by,
        at,
        call.owners,
        call.group,
        ambient=mesh.proxied(call.target) is not True,
        rooted=rooted,
        plain=plain,
    )


def _by_linkerd(linkerd: Linkerd, call: _Connection) -> MeshDenial | None:
    outside = call.source == API_SERVER if call.caller is None else linkerd.proxied(call.caller) is False
    server = linkerd.refusing(call.target, call.ports, outside=outside)
    if server is None:
        return None
    reason = MeshReason.NOT_AUTHORIZED if server.authorizations else MeshReason.NO_AUTHORIZATION
    return MeshDenial(
        call.source,
        call.target,
        call.ports.first,
        call.needed,
        reason,
        f"Server {server.namespace}/{server.name}",
        server.at,
        call.owners,
        call.group,
        plain=outside,
    )


def _dialed(services: Iterable[Service], target: PodSet, port: int) -> frozenset[int]:
    """The ports of Services that lead to a port of the pods."""
    return frozenset(
        each.number
        for service in services
        if service.selector and service.selector.items() <= target.labels.items()
        for each in service.ports
        if each.number == port or each.target != each.number
    )
