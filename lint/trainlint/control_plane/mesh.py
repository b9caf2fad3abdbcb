"""Istio as Git describes it: whose pods get a proxy, and which connections their proxies take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from trainlint.control_plane.authorization import AuthorizationRefusal, Caller, authorized
from trainlint.kube.authorization import AuthorizationPolicy, read_authorization_policy
from trainlint.kube.mesh import MESH_KINDS, PeerAuthentication, read_peer_authentication
from trainlint.kube.values import is_placeholder
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet, PortRange
from trainlint.snapshot.objects import ApiObject

__all__ = ["ROOT", "Mesh", "read_mesh"]

ROOT: Final = "istio-system"
_INJECT: Final = "sidecar.istio.io/inject"
_TRAFFIC: Final = "traffic.sidecar.istio.io/"
_AMBIENT: Final = "istio.io/dataplane-mode"
_WAYPOINT: Final = "istio.io/use-waypoint"
_STRICT: Final = "STRICT"


def read_mesh(objects: Sequence[ApiObject]) -> Mesh:
    """The mesh as Git describes it."""
    of_mesh = [each.field for each in objects if each.meta.kind in MESH_KINDS]
    peers, rules = map(read_peer_authentication, of_mesh), map(read_authorization_policy, of_mesh)
    return Mesh(objects, [each for each in peers if each is not None], [each for each in rules if each is not None])


class Mesh:
    """Whose pods get a proxy, and what their proxies accept."""

    def __init__(
        self,
        objects: Sequence[ApiObject],
        policies: Sequence[PeerAuthentication],
        authorizations: Sequence[AuthorizationPolicy] = (),
    ) -> None:
        self._policies = policies
        self.authorizations = authorizations
        self._namespaces = {
            each.meta.name: (each.meta.labels, each.meta.annotations)
            for each in objects
            if each.meta.kind == "Namespace"
        }
        self._waypoints = {
            each.meta.name if each.meta.kind == "Namespace" else each.ref.namespace
            for each in objects
            if each.meta.labels.get(_WAYPOINT, "none") != "none"
        }
        self.strict = any(_STRICT in {each.mode, *each.ports.values()} for each in policies)

    def proxied(self, pods: PodSet) -> bool | None:
        """Whether Istio puts its proxy into the pods; ``None`` where that is not known.

        A Namespace that switches injection off wins over what the pod asks for; an annotation of the pod only opts out.
        """
        if pods.spec.host_network:
            return False
        known = self._namespaces.get(pods.namespace)
        written = known[0].get("istio-injection", "") if known is not None else ""
        asked, said = pods.labels.get(_INJECT), pods.annotations.get(_INJECT, "").lower()
        if isinstance(asked, Undetermined):
            return None
        if asked is not None:
            return asked.lower() == "true" and written != "disabled"
        if said == "false":
            return False
        if known is None or "istio.io/rev" in pods.labels or self.ambient(pods):
            return None
        return written == "enabled" or (not written and bool(known[0].get("istio.io/rev")))

    def ambient(self, pods: PodSet) -> bool:
        """Whether the node's proxy stands before the pods, without one of their own."""
        labels, _ = self._namespaces.get(pods.namespace, ({}, {}))
        if pods.spec.host_network or pods.labels.get(_INJECT) == "true":
            return False
        mode = pods.labels.get(_AMBIENT) or labels.get(_AMBIENT)
        return isinstance(mode, str) and mode != "none"

    def guarded(self, pods: PodSet, ports: PortRange) -> bool:
        """Whether connections to the ports of the pods surely pass a proxy: their own, or that of their node."""
        if self.proxied(pods) is True:
            return not _past(pods.annotations, ports)
        return self.ambient(pods)

    def plain(self, pods: PodSet, port: int, dialed: frozenset[int]) -> bool:
        """Whether the pods surely open plain connections to a port of a target: they have no proxy, or it lets the
        port alone. ``dialed`` are the numbers under which Services lead there.
        """
        proxied = self.proxied(pods)
        if proxied is not True:
            return proxied is False
        excluded = _listed(pods.annotations.get(f"{_TRAFFIC}excludeOutboundPorts", ""))
        return {str(each) for each in (port, *dialed)} <= excluded

    def callers(self, pods: PodSet) -> tuple[Caller | None, ...]:
        """The callers that proxies may take the pods for: a plain one without a proxy, else perhaps their account."""
        if self.proxied(pods) is False:
            return (None,)
        account = pods.spec.service_account or ("" if pods.spec.account_made else "default")
        return () if not account or is_placeholder(account) else (Caller(pods.namespace, account), None)

    def authorized(
        self, callers: Sequence[Caller | None], pods: PodSet, ports: PortRange
    ) -> AuthorizationRefusal | bool | None:
        """What AuthorizationPolicies say of a connection that a proxy guards (see ``authorization.authorized``);
        ``None`` where that is open.
        """
        if pods.namespace in self._waypoints and self.proxied(pods) is not True:
            return None  # the proxy of the node sees the waypoint as the caller
        about = [each for each in self.authorizations if each.namespace in {pods.namespace, ROOT}]
        return authorized(about, pods, callers, ports)

    def requires(self, pods: PodSet, port: int) -> PeerAuthentication | None:
        """The object for which the proxy of the pods refuses plain connections to a port; ``None`` where none does."""
        if not self.guarded(pods, PortRange(port, port)):
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


def _past(annotations: Mapping[str, str], ports: PortRange) -> bool:
    """Whether the pods' proxy lets some of the ports alone."""
    excluded = _listed(annotations.get(f"{_TRAFFIC}excludeInboundPorts", ""))
    included = _listed(annotations.get(f"{_TRAFFIC}includeInboundPorts", "*"))
    if any(each.isdecimal() and ports.first <= int(each) <= ports.last for each in excluded):
        return True
    return "*" not in included and not (ports.first == ports.last and str(ports.first) in included)


def _listed(text: str) -> frozenset[str]:
    return frozenset(part for each in text.split(",") if (part := each.strip()))
