"""The kinds by which repositories say what goes where."""

from __future__ import annotations

from typing import Final

__all__ = ["DEPLOYER_KINDS", "SOURCE_KINDS"]

DEPLOYER_KINDS: Final = frozenset(
    {
        ("argoproj.io", "Application"),
        ("argoproj.io", "ApplicationSet"),
        ("fluxcd.controlplane.io", "FluxInstance"),
        ("helm.cattle.io", "HelmChart"),
        ("helm.toolkit.fluxcd.io", "HelmRelease"),
        ("kustomize.toolkit.fluxcd.io", "Kustomization"),
    }
)
"""Objects that bring in others: API group and kind."""

SOURCE_KINDS: Final = frozenset(
    {
        ("helm.cattle.io", "HelmChartConfig"),
        ("source.toolkit.fluxcd.io", "Bucket"),
        ("source.toolkit.fluxcd.io", "GitRepository"),
        ("source.toolkit.fluxcd.io", "HelmChart"),
        ("source.toolkit.fluxcd.io", "HelmRepository"),
        ("source.toolkit.fluxcd.io", "OCIRepository"),
    }
)
"""Objects that tell where the others come from, or add to what they say."""
