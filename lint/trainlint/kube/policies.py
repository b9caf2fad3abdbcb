"""The kinds of policies and of what their peers name: the prefilter keeps these, and the policy reader reads them."""

from __future__ import annotations

from typing import Final

__all__ = ["ADMIN_KINDS", "FOREIGN_KINDS", "POLICY_KINDS", "POLICY_READ_KINDS", "SERVICE_KINDS"]

POLICY_KINDS: Final = {
    ("cilium.io", "CiliumNetworkPolicy"): True,
    ("cilium.io", "CiliumClusterwideNetworkPolicy"): False,
    ("networking.k8s.io", "NetworkPolicy"): True,
    ("policy.networking.k8s.io", "ClusterNetworkPolicy"): False,
}
"""API group and kind of the policies whose entries are read, and whether the kind lives in a namespace."""

ADMIN_KINDS: Final = ("AdminNetworkPolicy", "BaselineAdminNetworkPolicy")
CALICO_GROUPS: Final = ("projectcalico.org", "crd.projectcalico.org")

FOREIGN_KINDS: Final = {
    **{(group, kind): f"Calico {kind}" for group in CALICO_GROUPS for kind in ("NetworkPolicy", "GlobalNetworkPolicy")},
    **{("crd.antrea.io", kind): f"Antrea {kind}" for kind in ("NetworkPolicy", "ClusterNetworkPolicy")},
    **{("policy.networking.k8s.io", kind): kind for kind in ADMIN_KINDS},
}
"""API group and kind of the policies that only their own engine can judge, and how messages call them."""

SERVICE_KINDS: Final = frozenset({"Endpoints", "EndpointSlice", "Service"})
"""The kinds from which the backends of a Service are read."""

POLICY_READ_KINDS: Final = (
    frozenset(kind for _, kind in (*POLICY_KINDS, *FOREIGN_KINDS))
    | SERVICE_KINDS
    | {"CiliumCIDRGroup", "CiliumLocalRedirectPolicy"}
)
"""Every kind that decides which connections policies permit."""
