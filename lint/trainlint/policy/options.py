"""The options of Cilium that change verdicts (P 0.1), read from the names they have in cilium-config."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.model.settings import Cni

__all__ = ["CiliumOptions", "cilium_options", "parse_version"]

Version = tuple[int, int, int]

NEWEST_PATCH = 99
"""Stands for "the newest patch release" where only major and minor are stated."""

_REDIRECTS: Final = "enable-local-redirect-policy"


@fact
class CiliumOptions:
    """Effective options of one agent; ``local_cluster`` is the cluster that peers are limited to ("": none).

    ``cluster_named`` says that ``cluster`` is the cluster's name for certain: installers such as Cilium's own command
    give it another name than the default one.
    """

    version: Version
    enforcement: str
    cluster: str
    local_cluster: str
    cluster_named: bool
    cidr_match_nodes: bool
    cidr_match_pods: bool
    node_selector_labels: bool
    node_labels: tuple[str, ...]
    labels: tuple[str, ...]
    host_firewall: bool
    non_default_deny: bool
    allow_localhost: bool
    l7_proxy: bool
    icmp_rules: bool
    extended_protocols: bool
    mutual_authentication: bool
    audit: bool
    local_redirects: bool | None
    enforced_kinds: frozenset[str]


def parse_version(text: str) -> Version:
    """Major, minor and patch of a version; a patch that is not stated counts as the newest one."""
    match = re.match(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?", text)
    if match is None:
        return (1, NEWEST_PATCH, NEWEST_PATCH)
    major, minor, patch = match.groups()
    return (int(major), int(minor or NEWEST_PATCH), int(patch) if patch is not None else NEWEST_PATCH)


def _flag(options: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = options.get(name)
    return default if value is None or value == "" else value.lower() in ("true", "1", "t")


def cilium_options(cni: Cni) -> CiliumOptions:
    """The options of a Cilium installation; what is not stated has the default of that version."""
    options, version = cni.options, parse_version(cni.version)
    cluster = options.get("cluster-name") or "default"
    match_modes = (options.get("policy-cidr-match-mode") or "").replace(",", " ").split()
    kinds = {
        "NetworkPolicy": _flag(options, "enable-k8s-networkpolicy", default=True),
        "CiliumNetworkPolicy": _flag(options, "enable-cilium-network-policy", default=True),
        "CiliumClusterwideNetworkPolicy": _flag(options, "enable-cilium-clusterwide-network-policy", default=True),
        "ClusterNetworkPolicy": version >= (1, 20, 0)
        and _flag(options, "enable-k8s-cluster-network-policy", default=False),
    }
    return CiliumOptions(
        version=version,
        enforcement=options.get("enable-policy") or "default",
        cluster=cluster,
        local_cluster=cluster if _flag(options, "policy-default-local-cluster", default=version >= (1, 19, 0)) else "",
        cluster_named=bool(options.get("cluster-name")),
        cidr_match_nodes="nodes" in match_modes,
        cidr_match_pods="pods" in match_modes and version >= (1, 20, 0),
        node_selector_labels=_flag(options, "enable-node-selector-labels", default=False),
        node_labels=tuple((options.get("node-labels") or "").split()),
        labels=tuple((options.get("labels") or "").split()),
        host_firewall=_flag(options, "enable-host-firewall", default=False),
        non_default_deny=_flag(options, "enable-non-default-deny-policies", default=True),
        # Under Kubernetes the agent turns "auto" into "always" (P 0.1).
        allow_localhost=(options.get("allow-localhost") or "always") in ("always", "auto"),
        l7_proxy=_flag(options, "enable-l7-proxy", default=True),
        icmp_rules=_flag(options, "enable-icmp-rules", default=True),
        extended_protocols=_flag(options, "enable-extended-ip-protocols", default=False),
        mutual_authentication=_flag(options, "mesh-auth-enabled", default=version < (1, 19, 0)),
        local_redirects=_flag(options, _REDIRECTS, default=False) if options.get(_REDIRECTS) else None,
        audit=_flag(options, "policy-audit-mode", default=False),
        enforced_kinds=frozenset(kind for kind, on in kinds.items() if on),
    )
