"""What a deployer of any kind brings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from trainlint.deploy import flux
from trainlint.deploy.application_set import application_set
from trainlint.deploy.argo import application
from trainlint.deploy.context import DeployContext
from trainlint.deploy.deployment import Deployed, Release
from trainlint.deploy.flux import synced
from trainlint.deploy.k3s import chart_config, helm_chart
from trainlint.kube.meta import Meta
from trainlint.source.document import Field

__all__ = ["deployed_by", "is_deployer"]

Reader = Callable[[Meta, Field, DeployContext], Deployed]

_READERS: Final[dict[tuple[str, str], Reader]] = {
    ("argoproj.io", "Application"): application,
    ("argoproj.io", "ApplicationSet"): application_set,
    ("fluxcd.controlplane.io", "FluxInstance"): flux.flux_instance,
    ("helm.cattle.io", "HelmChart"): helm_chart,
    ("helm.cattle.io", "HelmChartConfig"): chart_config,
    ("helm.toolkit.fluxcd.io", "HelmRelease"): flux.helm_release,
    ("kustomize.toolkit.fluxcd.io", "Kustomization"): flux.kustomization,
}


def is_deployer(meta: Meta) -> bool:
    """Whether an object brings others to a cluster."""
    return (meta.api_group, meta.kind) in _READERS


def deployed_by(meta: Meta, item: Field, context: DeployContext) -> Deployed:
    """What the deployer at the cursor brings. The chart of the Flux Operator's instance is a deployer as well."""
    found = _READERS[meta.api_group, meta.kind](meta, item, context)
    syncs = [(release.by, sync) for release in found.releases if (sync := _sync(release)) is not None]
    more = [synced(by, sync, context) for by, sync in syncs]
    return Deployed(
        (*found.deployments, *(each for one in more for each in one.deployments)),
        found.releases,
        (*found.unknowns, *(each for one in more for each in one.unknowns)),
        closed=found.closed,
        contested=(*found.contested, *(each for one in more for each in one.contested)),
    )


def _sync(release: Release) -> Field | None:
    if release.chart != "flux-instance":
        return None
    for values in reversed(release.values):
        sync = values.field.down("instance", "sync") if values.field is not None else None
        if sync is not None and sync.mapping is not None:
            return sync
    return None
