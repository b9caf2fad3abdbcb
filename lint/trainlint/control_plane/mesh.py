"""Needed connections that a service mesh refuses: mutual TLS is required, and the caller has no proxy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from trainlint.control_plane.need import Need
from trainlint.control_plane.webhooks import API_SERVER
from trainlint.fact import fact
from trainlint.kube.mesh import MESH_KINDS, PeerAuthentication, read_peer_authentication
from trainlint.model.known import Undetermined
from trainlint.model.workload import Flow, ObjectRef, PodSet
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.objects import ApiObject

__all__ = ["ROOT", "Mesh", "MeshDenial", "mesh_denials", "read_mesh"]

ROOT: Final = "istio-system"
_INJECT: Final = "sidecar.istio.io/inject"
_TRAFFIC: Final = "traffic.sidecar.istio.io/"
_AMBIENT: Final = "istio.io/dataplane-mode"
_STRICT: Final = "STRICT"


@fact
class MeshDenial:
    """A connection from pods without a proxy to pods whose proxy accepts mutual TLS only; ``by`` says so.

    ``needed`` is the connection: one of the control plane, or a flow of ``group``.
    """

    source: str
    target: PodSet
    port: int
    needed: Need | Flow
    by: PeerAuthentication
    owners: tuple[ObjectRef, ...]
    group: str = ""


def mesh_denials(snapshot: Snapshot, needs: Iterable[Need]) -> Iterator[MeshDenial]:
    """The connections of the control plane and of groups that Istio refuses for certain."""
    mesh = read_mesh(snapshot.objects)
    if not mesh.strict:
        return
    for need in needs:
        plain = need.source == API_SERVER or (need.caller is not None and mesh.proxied(need.caller) is False)
        by = mesh.requires(need.target, need.port) if plain else None
        if by is not None:
            yield MeshDenial(need.source, need.target, need.port, need, by, need.owners)
    for group in snapshot.workloads.groups:
        for flow in group.flows:
            if flow.target is None or flow.ports.first != flow.ports.last or flow.protocol != "TCP":
                continue
            caller, target = group.members[flow.source], group.members[flow.target]
            by = mesh.requires(target, flow.ports.first) if mesh.proxied(caller) is False else None
            if by is not None:
                name = f"{caller.namespace}/{caller.name}"
                yield MeshDenial(name, target, flow.ports.first, flow, by, (caller.owner,), group.name)


def read_mesh(objects: Sequence[ApiObject]) -> Mesh:
    """The mesh as Git describes it."""
    found = [read_peer_authentication(each.field) for each in objects if each.meta.kind in MESH_KINDS]
    return Mesh(objects, [each for each in found if each is not None])


class Mesh:
    """Whose pods get a proxy, and what their proxies accept."""

    def __init__(self, objects: Sequence[ApiObject], policies: Sequence[PeerAuthentication]) -> None:
        self._policies = policies
        self._namespaces = {
            each.meta.name: (each.meta.labels, each.meta.annotations)
            for each in objects
            if each.meta.kind == "Namespace"
        }
        self.strict = any(_STRICT in {each.mode, *each.ports.values()} for each in policies)

    def proxied(self, pods: PodSet) -> bool | None:
        """Whether Istio puts its proxy into the pods; ``None`` where that is not known. What the pod says wins."""
        if pods.spec.host_network:
            return False
        for holder in (pods.labels, pods.annotations):
            value = holder.get(_INJECT)
            if isinstance(value, Undetermined):
                return None
            if value is not None:
                return value.lower() == "true"
        known = self._namespaces.get(pods.namespace)
        if known is None or "istio.io/rev" in pods.labels:
            return None
        labels, _ = known
        if self.ambient(pods):
            return None
        written = labels.get("istio-injection", "")
        return written == "enabled" or (not written and bool(labels.get("istio.io/rev")))

    def ambient(self, pods: PodSet) -> bool:
        """Whether the node's proxy stands before the pods, without one of their own."""
        labels, _ = self._namespaces.get(pods.namespace, ({}, {}))
        mode = pods.labels.get(_AMBIENT) or labels.get(_AMBIENT)
        return isinstance(mode, str) and mode != "none"

    def requires(self, pods: PodSet, port: int) -> PeerAuthentication | None:
        """The object for which the proxy of the pods refuses plain connections to a port; ``None`` where none does."""
        if self.proxied(pods) is not True or _past(pods.annotations, port):
            return None
        own = [each for each in self._policies if each.labels and each.namespace == pods.namespace]
        mine = [each for each in own if each.labels.items() <= pods.labels.items()]
        wide = [each for each in self._policies if not each.labels and each.namespace == pods.namespace]
        root = [each for each in self._policies if not each.labels and each.namespace == ROOT]
        if max(map(len, (mine, wide, root))) > 1:  # the oldest counts, and Git does not say which that is
            return None
        for each in mine:
            if mode := each.ports.get(str(port), ""):
                return each if mode == _STRICT else None
        for level in (mine, wide, root):
            if level and level[0].mode:
                return level[0] if level[0].mode == _STRICT else None
        return None


def _past(annotations: Mapping[str, str], port: int) -> bool:
    """Whether the pods' proxy lets a port alone."""
    excluded = annotations.get(f"{_TRAFFIC}excludeInboundPorts", "")
    included = annotations.get(f"{_TRAFFIC}includeInboundPorts", "*")
    listed = {each.strip() for each in included.split(",")}
    return str(port) in {each.strip() for each in excluded.split(",")} or not {"*", str(port)} & listed
