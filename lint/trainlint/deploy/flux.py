"""Flux: Kustomizations, HelmReleases, and the FluxInstance that makes the first of them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from trainlint.deploy.changes import patch_of
from trainlint.deploy.context import DeployContext, parsed
from trainlint.deploy.deployment import HERE, Deployed, Deployment, Release, Transformation, Values, Variables, Way
from trainlint.deploy.ground import DeployGround
from trainlint.deploy.overlay import flux_overlay
from trainlint.deploy.remotes import ARCHIVES
from trainlint.deploy.sources import CONTESTED, SourceOwnership, normal_path
from trainlint.finding import Unknown
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder, read_strings, read_text
from trainlint.model.because import Because
from trainlint.source.document import Field

__all__ = ["flux_instance", "helm_release", "kustomization"]

_SOURCES: Final = ARCHIVES | {"GitRepository"}


def kustomization(meta: Meta, item: Field, context: DeployContext) -> Deployed:
    """What a Kustomization of Flux brings (spec.path of spec.sourceRef)."""
    spec, by = item["spec"], f"Kustomization {meta.namespace or 'default'}/{meta.name}"
    path = read_text(spec["path"])
    reference = spec["sourceRef"]
    if is_placeholder(path) or spec.mapping is None:
        return _undecided(by, item, f"its path {path} is filled in elsewhere", "lint what Flux makes of it")
    path = normal_path(path)
    owner, address, path = _owner(meta, reference, path, context)
    if not owner.ours:
        why = f", {CONTESTED}" if owner.contested else ""
        missing = f"its objects: they come from {address}{why}"
        return _undecided(by, item, missing, "lint that repository with this one", contested=owner.contested)
    if not context.sources.holds(path):
        return _undecided(by, spec["path"], f"its path {path or '.'} does not exist", "name a directory that does")
    assumes = [owner.assumes] if owner.assumes else []
    suspended = spec["suspend"].value is True
    if suspended:
        assumes.append(Because(DeployGround.SUSPENDED, (by,)))
    components = tuple(normal_path(posixpath.join(path, each)) for each in read_strings(spec["components"]))
    namespace = read_text(spec["targetNamespace"])
    made = Deployment(
        by,
        item.at,
        path,
        cluster=_cluster(spec["kubeConfig"]),
        namespace=namespace,
        moves=bool(namespace),
        variables=_variables(spec["postBuild"], context),
        changes=tuple(_changes(spec, by)),
        components=components,
        unrestricted=True,
        overlay=flux_overlay(spec),
        common=_common(spec["commonMetadata"]),
        kind=meta.kind,
        insists=not suspended,
        refuses_unplaced=True,
        assumes=tuple(assumes),
    )
    lost = tuple(each for each in components if not context.sources.holds(each))
    unknowns = tuple(Unknown(by, f"its component {each}", at=spec["components"].at) for each in lost)
    return Deployed((made,), unknowns=unknowns, closed=not lost)


def flux_instance(meta: Meta, item: Field, context: DeployContext) -> Deployed:
    """What the first Kustomization brings that the Flux Operator makes of a FluxInstance (spec.sync)."""
    sync = item.down("spec", "sync")
    if sync.mapping is None:
        return Deployed()
    return synced(f"FluxInstance {meta.namespace or 'flux-system'}/{meta.name}", sync, context)


def synced(by: str, sync: Field, context: DeployContext) -> Deployed:
    """What a ``sync`` of a FluxInstance brings."""
    path, url = normal_path(read_text(sync["path"])), read_text(sync["url"])
    owner = context.sources.owner(url, path)
    if not owner.ours or not context.sources.holds(path):
        return _undecided(by, sync, f"its objects: they come from {url}", "lint that repository with this one")
    made = Deployment(
        by, sync.at, path, unrestricted=True, assumes=(owner.assumes,) if owner.assumes else (), kind="Kustomization"
    )
    return Deployed((made,), closed=True)


def helm_release(meta: Meta, item: Field, context: DeployContext) -> Deployed:
    """The chart that a HelmRelease installs, and its path where it is in this repository."""
    spec, own = item["spec"], meta.namespace or "default"
    by = f"HelmRelease {own}/{meta.name}"
    target = read_text(spec["targetNamespace"])
    name = read_text(spec["releaseName"]) or "-".join(filter(None, (target, meta.name)))
    chart, source_namespace, version = _chart(spec, own, context)
    reference = chart["sourceRef"] if chart is not None else spec["chartRef"]
    address = _address(reference, source_namespace, context)
    written = read_text(chart["chart"]) if chart is not None else posixpath.basename(address or "")
    path: str | None = None
    assumes: tuple[Because, ...] = ()
    if chart is not None and reference["kind"].scalar in {"GitRepository", "Bucket"}:
        owner = context.sources.owner(address or "", normal_path(written))
        if owner.ours and context.sources.holds(normal_path(written)):
            path, assumes = normal_path(written), (owner.assumes,) if owner.assumes else ()
        written = posixpath.basename(normal_path(written))
    release = Release(
        name,
        target or own,
        written or read_text(spec.down("chartRef", "name")),
        version=read_text(version) if version is not None else "",
        repository=address or "",
        path=path,
        values=tuple(_values(spec, context)),
        by=by,
        at=item.at,
        version_at=version if version is not None and version.present else None,
        evidence=item,
        cluster=_cluster(spec["kubeConfig"]),
    )
    if path is None:
        return Deployed(releases=(release,))
    made = Deployment(
        by,
        item.at,
        path,
        Way.CHART,
        common=_common(spec["commonMetadata"]),
        insists=False,
        cluster=release.cluster,
        namespace=release.namespace,
        changes=tuple(_rendered_again(spec, by)),
        release=release,
        assumes=assumes,
        kind="HelmRelease",
    )
    return Deployed((made,), (release,), closed=True)


def _rendered_again(spec: Field, by: str) -> Iterator[Transformation]:
    """What is changed after the chart was rendered."""
    for each in spec["postRenderers"].elements():
        for patch in each["kustomize"]["patches"].elements():
            yield patch_of(patch, f"the postRenderers of {by}")
        if each["kustomize"]["images"].value:
            yield Transformation(f"the postRenderers of {by}")


def _chart(spec: Field, namespace: str, context: DeployContext) -> tuple[Field | None, str, Field | None]:
    """The description of a chart (chart, sourceRef), the namespace of its source, and where its version stands."""
    inline = spec.down("chart", "spec")
    if inline.mapping is not None:
        return inline, namespace, inline["version"]
    reference = spec["chartRef"]
    where = read_text(reference["namespace"]) or namespace
    found = context.find(read_text(reference["kind"]), where, read_text(reference["name"]))
    if found is None:
        return None, where, None
    if reference["kind"].scalar == "HelmChart":
        return found["spec"], where, found.down("spec", "version")
    tag = found.down("spec", "ref", "tag")
    return None, where, tag if tag.present else found.down("spec", "ref", "semver")


def _address(reference: Field, namespace: str, context: DeployContext) -> str | None:
    where = read_text(reference["namespace"]) or namespace
    found = context.find(read_text(reference["kind"]), where, read_text(reference["name"]))
    return read_text(found.down("spec", "url")) if found is not None else None


def _owner(meta: Meta, reference: Field, path: str, context: DeployContext) -> tuple[SourceOwnership, str, str]:
    """Whether a Kustomization's source is this repository, how to call it, and the path from the repository's top."""
    kind, name = read_text(reference["kind"]), read_text(reference["name"])
    address = _address(reference, meta.namespace, context)
    shown = address or f"the {kind or 'source'} {name or 'that its deployer adds'}, which is not here"
    if kind == "GitRepository" and address:
        return context.sources.owner(address, path), shown, path
    if path and kind in {*_SOURCES, ""} and context.sources.holds(path):
        named = Because(DeployGround.NAMED_SOURCE, (f"{kind} {name}",))
        assumes = named if kind else Because(DeployGround.UNNAMED_SOURCE)
        return SourceOwnership(ours=True, assumes=assumes), shown, path
    if home := context.sources.home(f"{kind} {name}", address, path) if kind in ARCHIVES else "":
        assumes = Because(DeployGround.ARCHIVE, (f"{kind} {name}", home))
        return SourceOwnership(ours=True, assumes=assumes), shown, f"{home}/{path}" if path else home
    return SourceOwnership(ours=False), shown, path


def _cluster(config: Field) -> str:
    """The cluster of a kubeConfig, by the name of the Secret or ConfigMap that leads to it."""
    for reference in ("secretRef", "configMapRef"):
        if name := read_text(config[reference]["name"]):
            return name.removesuffix("-kubeconfig")
    return HERE


def _variables(build: Field, context: DeployContext) -> Variables | None:
    """The variables of spec.postBuild; those written in place win, and of the sources the last."""
    if build.mapping is None or not (build["substitute"].present or build["substituteFrom"].present):
        return None
    values: dict[str, str] = {}
    missing: list[str] = []
    always = build["substituteStrategy"].value == "Always"
    for source in build["substituteFrom"].elements():
        kind, name = read_text(source["kind"]), read_text(source["name"])
        data = context.config_maps.data(name) if kind == "ConfigMap" else None
        if data is None:
            missing.append(f"{kind} {name}")
            continue
        values.update({key: text for key, value in data.items() if (text := value.scalar) is not None})
    values.update({key: text for key, value in build["substitute"].items() if (text := value.scalar) is not None})
    if not values and not missing and not always:
        return None  # without any variable Flux leaves all text as it is
    return Variables({key: text.replace("\n", "") for key, text in values.items()}, tuple(missing))


def _changes(spec: Field, by: str) -> Iterator[Transformation]:
    """What the Kustomization itself lets kustomize change, beside the namespace."""
    for name in ("patches", "patchesStrategicMerge", "patchesJson6902"):
        for patch in spec[name].elements():
            yield patch_of(patch, f"the patches of {by}")
    for name in ("images", "namePrefix", "nameSuffix"):
        if spec[name].value:
            yield Transformation(f"{name} of {by}")


def _common(metadata: Field) -> dict[str, dict[str, str]]:
    """What spec.commonMetadata gives to every object, after everything else (fluxcd/pkg ssa, SetCommonMetadata)."""
    return {
        name: {key: text for key, each in metadata[name].items() if (text := each.scalar) is not None}
        for name in ("labels", "annotations")
    }


def _values(spec: Field, context: DeployContext) -> Iterator[Values]:
    """The layers of values, the first is the lowest: valuesFrom in order, then values."""
    for source in spec["valuesFrom"].elements():
        kind, name = read_text(source["kind"]), read_text(source["name"])
        data = context.config_maps.data(name) if kind == "ConfigMap" else None
        entry = data.get(read_text(source["valuesKey"]) or "values.yaml") if data else None
        if source["targetPath"].present or entry is None:
            yield Values(missing=f"{kind} {name}")
        else:
            yield Values(parsed(entry), "" if parsed(entry) is not None else f"{kind} {name}")
    if spec["values"].mapping is not None:
        yield Values(spec["values"])


def _undecided(by: str, at: Field, missing: str, remedy: str, *, contested: bool = False) -> Deployed:
    unknown = Unknown(by, missing, remedy, at.at)
    return Deployed(unknowns=(unknown,), contested=(unknown,) if contested else ())
