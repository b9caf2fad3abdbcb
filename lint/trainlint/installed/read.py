"""The settings of a cluster as its manifests state them, and what they leave unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from trainlint.deploy.deployment import Release
from trainlint.installed import cilium
from trainlint.installed.calico import of_calico
from trainlint.installed.ground import InstalledGround
from trainlint.installed.kinds import CILIUM_CONFIG
from trainlint.installed.known_settings import KnownSettings
from trainlint.installed.kubernetes import of_cluster
from trainlint.installed.kueue import configured
from trainlint.installed.operators import operator_releases
from trainlint.installed.statement import StatedSetting, agreed, disputes
from trainlint.kube.meta import Meta
from trainlint.model.because import Because
from trainlint.model.settings import Cni, Settings
from trainlint.source.document import Field

__all__ = ["informed"]

_OPTION: Final = "cni.options."


def informed(
    settings: Settings,
    objects: Iterable[tuple[Meta, Field]],
    releases: Iterable[Release],
) -> KnownSettings:
    """What is stated in trainlint.yaml counts, then what the manifests agree on; of the rest both sides are told."""
    items, releases = list(objects), tuple(releases)
    of_kubernetes = [each for meta, item in items for each in of_cluster(meta, item)]
    of_cilium = list(_of_cilium(items, releases))
    kubernetes = [] if settings.kubernetes_stated else of_kubernetes
    other = settings.cni.stated and settings.cni.name != "cilium"
    cni = [] if other else [each for each in of_cilium if not _stated(each.name, settings.cni)]
    found = agreed((*kubernetes, *cni))
    if "kubernetes" in found:
        settings = replace(settings, kubernetes=found["kubernetes"].value, kubernetes_stated=True)
    if not other and (of_cilium or settings.cni.stated):
        settings = replace(settings, cni=_cni(settings.cni, found, evident=bool(of_cilium)))
    calico = None if settings.cni.stated or of_cilium else next(of_calico(items, releases), None)
    if calico is not None:
        settings, found = replace(settings, cni=Cni("calico", "", stated=True)), {**found, calico.name: calico}
    manager, doubts = configured(items, releases)
    return KnownSettings(
        replace(settings, kueue=manager, operators=operator_releases(items, releases)),
        {name: each.at for name, each in found.items()},
        (*disputes((*kubernetes, *cni)), *doubts),
        () if other else tuple(_assumed(releases)),
    )


def _assumed(releases: Iterable[Release]) -> Iterator[Because]:
    for release in releases:
        missing = next((each.missing for each in release.values if each.missing), "")
        if release.chart in cilium.CHARTS and missing:
            yield Because(InstalledGround.CILIUM_DEFAULTS, (missing, release.by))


def _stated(name: str, cni: Cni) -> bool:
    return cni.stated and (name.removeprefix(_OPTION) in cni.options or (name == "cni.version" and cni.version_stated))


def _cni(cni: Cni, found: Mapping[str, StatedSetting], *, evident: bool) -> Cni:
    options = {name.removeprefix(_OPTION): each.value for name, each in found.items() if name.startswith(_OPTION)}
    version = found.get("cni.version")
    return replace(
        cni,
        name="cilium" if evident else cni.name,
        version=version.value if version is not None else cni.version,
        options={**options, **cni.options},
        stated=cni.stated or evident,
        version_stated=cni.version_stated or version is not None,
    )


def _of_cilium(objects: Iterable[tuple[Meta, Field]], releases: Iterable[Release]) -> Iterator[StatedSetting]:
    for release in releases:
        if release.chart in cilium.CHARTS:
            if release.evidence is not None:
                yield StatedSetting("cni.name", "cilium", release.by, release.evidence)
            if release.path is None:  # a chart of one's own is rendered: what it makes says more than its values
                yield from cilium.of_release(release)
    for meta, item in objects:
        if meta.kind == "ConfigMap" and meta.name == CILIUM_CONFIG:
            yield StatedSetting("cni.name", "cilium", f"ConfigMap {CILIUM_CONFIG}", item["data"])
            yield from cilium.of_config_map(item["data"])
        elif meta.kind == "DaemonSet":
            yield from cilium.of_agent(meta, item)
