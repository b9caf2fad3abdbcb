"""The kinds of policies and of what their peers name: the prefilter keeps these, and the policy reader reads them."""

from __future__ import annotations

from typing import Final

from trainlint.model.api_kind import ApiKind, declared, names

__all__ = [
    "ADMIN_KINDS",
    "CALICO_GROUPS",
    "FOREIGN_CLUSTER",
    "FOREIGN_KINDS",
    "KINDS",
    "POLICY_KINDS",
    "POLICY_READ_KINDS",
    "SERVICE_KINDS",
]

POLICY_KINDS: Final = {
    ("cilium.io", "CiliumNetworkPolicy"): True,
    ("cilium.io", "CiliumClusterwideNetworkPolicy"): False,
    ("networking.k8s.io", "NetworkPolicy"): True,
    ("policy.networking.k8s.io", "ClusterNetworkPolicy"): False,
}
"""API group and kind of the policies whose entries are read, and whether the kind lives in a namespace."""

ADMIN_KINDS: Final = ("AdminNetworkPolicy", "BaselineAdminNetworkPolicy")
CALICO_GROUPS: Final = ("projectcalico.org", "crd.projectcalico.org")
"""The API groups of Calico's objects: behind its own API server, and as they are stored."""

FOREIGN_KINDS: Final = {
    **{(group, kind): f"Calico {kind}" for group in CALICO_GROUPS for kind in ("NetworkPolicy", "GlobalNetworkPolicy")},
    **{("crd.antrea.io", kind): f"Antrea {kind}" for kind in ("NetworkPolicy", "ClusterNetworkPolicy")},
    **{("policy.networking.k8s.io", kind): kind for kind in ADMIN_KINDS},
}
"""API group and kind of the policies that only their own engine can judge, and how messages call them."""

FOREIGN_CLUSTER: Final = frozenset({"ClusterNetworkPolicy", "GlobalNetworkPolicy", *ADMIN_KINDS})
"""Those of them that are objects of the cluster."""

_CALICO_CLUSTER: Final = "GlobalNetworkSet HostEndpoint KubeControllersConfiguration Tier"

SERVICE_KINDS: Final = frozenset({"Endpoints", "EndpointSlice", "Service"})
"""The kinds from which the backends of a Service are read."""

KINDS: Final = (
    *(ApiKind(group, kind, namespaced) for (group, kind), namespaced in POLICY_KINDS.items()),
    *(ApiKind(group, kind, kind not in FOREIGN_CLUSTER) for group, kind in FOREIGN_KINDS),
    *declared("", namespaced="Endpoints Service"),
    *declared("discovery.k8s.io", namespaced="EndpointSlice"),
    *declared("cilium.io", namespaced="CiliumLocalRedirectPolicy", cluster="CiliumCIDRGroup"),
    *(kind for group in CALICO_GROUPS for kind in declared(group, namespaced="NetworkSet", cluster=_CALICO_CLUSTER)),
)
"""Every kind that decides which connections policies permit."""
POLICY_READ_KINDS: Final = names(KINDS)
