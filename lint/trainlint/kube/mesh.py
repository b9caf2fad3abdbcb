"""Istio's PeerAuthentication: which connections the proxies of pods accept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.meta import read_labels, read_meta
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import read_text
from trainlint.model.api_kind import declared, names
from trainlint.model.operator import Operator
from trainlint.model.selector import LabelSelector
from trainlint.source.document import Field

__all__ = ["KINDS", "MESHES", "MESH_KINDS", "PeerAuthentication", "read_peer_authentication", "restricts"]

_GROUP: Final = "security.istio.io"
KINDS: Final = (
    *declared(_GROUP, namespaced="AuthorizationPolicy PeerAuthentication"),
    *declared("policy.linkerd.io", namespaced="AuthorizationPolicy Server ServerAuthorization"),
)
"""What says which connections proxies accept: Istio's kinds, and Linkerd's servers."""
MESH_KINDS: Final = names(KINDS)

MESHES: Final = (
    Operator(
        "Istio",
        webhooks=("*.istio.io",),
        configurations=("istio-sidecar-injector*", "istio-revision-tag-*", "istio-validator-*", "istiod-*-validator"),
        services=("istiod", "istiod-*"),
        namespace="istio-system",
        labels=(
            ("app", "istiod"),
            ("app", "sidecar-injector"),
            ("app.kubernetes.io/name", "istiod"),
        ),
    ),
    Operator(
        "Linkerd",
        webhooks=("*.linkerd.io",),
        configurations=("linkerd-proxy-injector-webhook-config", "linkerd-*-validator-webhook-config"),
        services=("linkerd-proxy-injector", "linkerd-*-validator"),
        namespace="linkerd",
    ),
    Operator(
        "Kuma",
        webhooks=("*.kuma.io",),
        configurations=("kuma-*-webhook-configuration",),
        services=("kuma-control-plane", "*-control-plane"),
        namespace="kuma-system",
        labels=(("app.kubernetes.io/name", "kuma"),),
    ),
    Operator(
        "Consul",
        webhooks=("*.consul.hashicorp.com",),
        configurations=("consul-connect-injector", "consul-connect-injector-cfg"),
        services=("consul-connect-injector", "consul-connect-injector-svc", "*-connect-injector"),
        namespace="consul",
        labels=(("app", "consul"),),
    ),
)
"""Meshes whose injectors put a proxy into pods: what that means for connections is read in ``control_plane``."""


@fact
class PeerAuthentication:
    """One object: ``labels`` of the pods it is for (none: all of its namespace), its mode and that of single ports."""

    name: str
    namespace: str
    labels: Mapping[str, str]
    mode: str
    ports: Mapping[str, str]
    at: Location


def read_peer_authentication(item: Field) -> PeerAuthentication | None:
    """The object at the cursor; ``None`` where it is of another kind. A mode that is unset is empty."""
    meta, spec = read_meta(item), item["spec"]
    if meta.kind != "PeerAuthentication" or meta.api_group != _GROUP:
        return None
    return PeerAuthentication(
        meta.name,
        meta.namespace or "default",
        read_labels(spec.down("selector", "matchLabels")),
        _mode(spec["mtls"]),
        {port: _mode(value) for port, value in spec["portLevelMtls"].items()},
        spec.down("mtls", "mode").at if spec.down("mtls", "mode").present else spec.at,
    )


def _mode(field: Field) -> str:
    text = read_text(field["mode"]).upper()
    return "" if text == "UNSET" else text


def restricts(item: Field) -> LabelSelector | None:
    """The pods to which an object may refuse connections; ``None`` where it refuses none. These are Istio's
    AuthorizationPolicy, unless it only reports or admits everything, and Linkerd's Server.
    """
    meta, spec = read_meta(item), item["spec"]
    if meta.kind == "Server" and meta.api_group == "policy.linkerd.io":
        return read_label_selector(spec["podSelector"]) or LabelSelector()
    if meta.kind != "AuthorizationPolicy" or meta.api_group != _GROUP:
        return None
    action = read_text(spec["action"]).upper() or "ALLOW"
    everything = any(each.value in (None, {}) for each in spec["rules"].elements())
    if action == "AUDIT" or (action == "ALLOW" and everything):
        return None
    return read_label_selector(spec["selector"]) or LabelSelector()
