"""Cilium: its version and the options that change verdicts (P 0.1), from whatever installs it.

The values of the chart become options in cilium-config (cilium/cilium:install/kubernetes/cilium/templates/
cilium-configmap.yaml); what ``extraConfig`` holds is written there as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.deploy.deployment import Release
from trainlint.installed.statement import StatedSetting
from trainlint.installed.version import image_version, stated_version
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.source.document import Field

__all__ = ["CHARTS", "OPTIONS", "of_agent", "of_config_map", "of_release"]

CHARTS: Final = frozenset({"cilium", "rke2-cilium"})

_VALUES: Final = {
    ("authentication", "enabled"): "mesh-auth-enabled",
    ("cluster", "name"): "cluster-name",
    ("clustermesh", "policyDefaultLocalCluster"): "policy-default-local-cluster",
    ("enableNonDefaultDenyPolicies",): "enable-non-default-deny-policies",
    ("hostFirewall", "enabled"): "enable-host-firewall",
    ("k8sNetworkPolicy", "enabled"): "enable-k8s-networkpolicy",
    ("l7Proxy",): "enable-l7-proxy",
    ("labels",): "labels",
    ("localRedirectPolicies", "enabled"): "enable-local-redirect-policy",
    ("localRedirectPolicy",): "enable-local-redirect-policy",
    ("nodeLabels",): "node-labels",
    ("nodeSelectorLabels",): "enable-node-selector-labels",
    ("policyAuditMode",): "policy-audit-mode",
    ("policyCIDRMatchMode",): "policy-cidr-match-mode",
    ("policyEnforcementMode",): "enable-policy",
}
"""Where the chart's values hold an option, and the option."""

_REDIRECTS: Final = "cni.options.enable-local-redirect-policy"
"""Off by default, and switched on by either of two values."""

_CLUSTER_NAME: Final = "cni.options.cluster-name"

OPTIONS: Final = frozenset(_VALUES.values()) | {
    "allow-localhost",
    "enable-cilium-clusterwide-network-policy",
    "enable-cilium-network-policy",
    "enable-extended-ip-protocols",
    "enable-icmp-rules",
    "enable-k8s-cluster-network-policy",
}
"""The options that are read at all."""


def of_release(release: Release) -> Iterator[StatedSetting]:
    """What a release of Cilium's chart states. Values that are not known make no option certain."""
    if release.version and release.version_at is not None and (version := stated_version(release.version)):
        yield StatedSetting("cni.version", version, release.by, release.version_at)
    found: dict[str, StatedSetting] = {}
    for layer in release.values:
        if layer.field is None or layer.missing:
            return
        for each in _of_values(layer.field, release.by):
            found[each.name] = each
    if release.evidence is not None:
        found.setdefault(_CLUSTER_NAME, _unnamed(release.by, release.evidence))
        found.setdefault(_REDIRECTS, StatedSetting(_REDIRECTS, "false", release.by, release.evidence))
    yield from found.values()


def _of_values(values: Field, by: str) -> Iterator[StatedSetting]:
    for steps, option in _VALUES.items():
        here = values.down(*steps)
        text = " ".join(element.scalar or "" for element in here.elements()) or here.scalar
        if f"cni.options.{option}" == _REDIRECTS and text != "true":
            continue
        if text is not None and not is_placeholder(text):
            yield StatedSetting(f"cni.options.{option}", text.lower() if option == "enable-policy" else text, by, here)
    for name, value in values["extraConfig"].items():
        if name in OPTIONS and value.scalar is not None and not is_placeholder(value.scalar):
            yield StatedSetting(f"cni.options.{name}", value.scalar, by, value)


def _unnamed(by: str, at: Field) -> StatedSetting:
    """The name of a cluster that its installation does not name: chart and agent have the same default."""
    return StatedSetting(_CLUSTER_NAME, "default", by, at)


def of_config_map(data: Field) -> Iterator[StatedSetting]:
    """What cilium-config states."""
    if data.mapping and not data["cluster-name"].present:
        yield _unnamed("ConfigMap cilium-config", data)
    if data.mapping and not data["enable-local-redirect-policy"].present:
        yield StatedSetting(_REDIRECTS, "false", "ConfigMap cilium-config", data)
    for name, value in data.items():
        if name in OPTIONS and value.scalar is not None and not is_placeholder(value.scalar):
            yield StatedSetting(f"cni.options.{name}", value.scalar, "ConfigMap cilium-config", value)


def of_agent(meta: Meta, item: Field) -> Iterator[StatedSetting]:
    """The version of the agent that a DaemonSet runs; images of one's own have versions of their own."""
    if meta.name == "cilium":
        for container in item.down("spec", "template", "spec", "containers").elements():
            image = container["image"]
            name = (image.scalar or "").partition("@")[0]
            if "cilium/cilium:" in name and (version := image_version(name)):
                yield StatedSetting("cni.version", version, "DaemonSet cilium", image)
