"""Calico, from whatever installs it: its operator's Installation, its chart, or the DaemonSet of its agent.

Whatever assigns the addresses (``spec.cni.type`` may be AmazonVPC, AzureVNET, GKE), Calico enforces policies where it
is installed (projectcalico/calico:charts/tigera-operator/values.yaml, manifests/calico-policy-only.yaml).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.deploy.deployment import Release
from trainlint.installed.statement import StatedSetting
from trainlint.kube.meta import Meta
from trainlint.source.document import Field

__all__ = ["of_calico"]

CHARTS: Final = frozenset({"rke2-calico", "tigera-operator"})
_OPERATOR: Final = "operator.tigera.io/"
_OF_CILIUM: Final = frozenset({"CiliumClusterwideNetworkPolicy", "CiliumNetworkPolicy"})
_AGENTS: Final = frozenset({"calico-node", "canal"})


def of_calico(objects: Iterable[tuple[Meta, Field]], releases: Iterable[Release]) -> Iterator[StatedSetting]:
    """What says that Calico is the engine of policies; nothing where policies of Cilium's are in use beside it."""
    objects = list(objects)
    if any(meta.kind in _OF_CILIUM for meta, _ in objects):
        return
    for release in releases:
        if release.chart in CHARTS and release.evidence is not None:
            yield StatedSetting("cni.name", "calico", release.by, release.evidence)
    for meta, item in objects:
        if meta.kind == "Installation" and meta.api_version.startswith(_OPERATOR):
            yield StatedSetting("cni.name", "calico", f"Installation {meta.name}", item["spec"])
        elif meta.kind == "DaemonSet" and meta.name in _AGENTS:
            for container in item.down("spec", "template", "spec", "containers").elements():
                if "calico/node:" in (container["image"].scalar or ""):
                    yield StatedSetting("cni.name", "calico", f"DaemonSet {meta.name}", container["image"])
