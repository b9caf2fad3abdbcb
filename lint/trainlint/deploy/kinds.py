"""The kinds by which repositories say what goes where."""

from __future__ import annotations

from typing import Final

from trainlint.model.api_kind import declared

__all__ = ["DEPLOYER_KINDS", "KINDS", "SOURCE_KINDS"]

_DEPLOYERS: Final = (
    *declared("argoproj.io", namespaced="Application ApplicationSet"),
    *declared("fluxcd.controlplane.io", namespaced="FluxInstance"),
    *declared("helm.cattle.io", namespaced="HelmChart"),
    *declared("helm.toolkit.fluxcd.io", namespaced="HelmRelease"),
    *declared("kustomize.toolkit.fluxcd.io", namespaced="Kustomization"),
)
DEPLOYER_KINDS: Final = frozenset((each.group, each.name) for each in _DEPLOYERS)
"""Objects that bring in others: API group and kind."""

_SOURCES: Final = (
    *declared("helm.cattle.io", namespaced="HelmChartConfig"),
    *declared("source.toolkit.fluxcd.io", namespaced="Bucket GitRepository HelmChart HelmRepository OCIRepository"),
)
SOURCE_KINDS: Final = frozenset((each.group, each.name) for each in _SOURCES)
"""Objects that tell where the others come from, or add to what they say."""

KINDS: Final = (*_DEPLOYERS, *_SOURCES)
