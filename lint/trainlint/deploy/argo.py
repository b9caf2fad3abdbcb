"""Argo CD: what an Application brings, from each of its sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.deploy.changes import patch_of
from trainlint.deploy.context import DeployContext, parsed
from trainlint.deploy.deployment import HERE, Deployed, Deployment, Release, Transformation, Values, Way
from trainlint.deploy.overlay import argo_overlay
from trainlint.deploy.sources import CONTESTED, normal_path
from trainlint.finding import Unknown
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder, read_text
from trainlint.source.document import Field

__all__ = ["application"]

_OWN_CLUSTER: Final = frozenset({"https://kubernetes.default.svc", "https://kubernetes.default", "in-cluster"})
_OVERRIDES: Final = (
    "images",
    "namePrefix",
    "nameSuffix",
    "commonLabels",
    "commonAnnotations",
    "patches",
    "replicas",
    "components",
)


def application(meta: Meta, item: Field, context: DeployContext, by: str = "") -> Deployed:
    """What an Application brings; ``by`` names the one that it was made from, if it was."""
    spec = item["spec"]
    by = by or f"Application {meta.namespace or 'argocd'}/{meta.name}"
    sources = list(spec["sources"].elements()) or [spec["source"]]
    references = {name: each for each in sources if (name := read_text(each["ref"]))}
    made: list[Deployed] = [
        _source(by, each, spec["destination"], references, context)
        for each in sources
        if each["path"].present or each["chart"].present or not each["ref"].present
    ]
    return Deployed(
        tuple(each for found in made for each in found.deployments),
        tuple(each for found in made for each in found.releases),
        tuple(each for found in made for each in found.unknowns),
        closed=bool(made) and all(found.closed for found in made),
        contested=tuple(each for found in made for each in found.contested),
    )


def _source(
    by: str, source: Field, destination: Field, references: dict[str, Field], context: DeployContext
) -> Deployed:
    url, written = read_text(source["repoURL"]), read_text(source["path"])
    cluster, namespace = _cluster(destination), read_text(destination["namespace"])
    if any(map(is_placeholder, (url, written, cluster, namespace))):
        return _undecided(by, source, "its source is filled in elsewhere", "lint what Argo CD makes of it")
    if not url:
        return _undecided(by, source, "its source: it names no repository", "name one (repoURL)")
    helm = source["helm"]
    release = Release(
        read_text(helm["releaseName"]) or by.rpartition("/")[2],
        read_text(helm["namespace"]) or namespace,
        read_text(source["chart"]),
        version=read_text(source["targetRevision"]),
        repository=url,
        values=tuple(_values(helm, normal_path(written), url, references, context)),
        by=by,
        at=source.at,
        version_at=source["targetRevision"],
        evidence=source,
        cluster=cluster,
    )
    if source["chart"].present:
        return Deployed(releases=(release,))
    path = normal_path(written)
    owner = context.sources.owner(url, path)
    if not owner.ours:
        why = f", {CONTESTED}" if owner.contested else ""
        missing = f"its objects: they come from {written or '.'} of {url}{why}"
        return _undecided(by, source, missing, "lint that repository with this one", contested=owner.contested)
    if not context.sources.holds(path):
        return _undecided(by, source["path"], f"its path {path or '.'} does not exist", "name a directory that does")
    directory, kustomize = source["directory"], source["kustomize"]
    way = _way(path, source, context)
    moved = read_text(kustomize["namespace"]) if way is Way.KUSTOMIZE else ""
    chart = Release(
        release.name,
        release.namespace,
        path.rpartition("/")[2],
        path=path,
        values=release.values,
        by=by,
        at=source.at,
        cluster=cluster,
    )
    deployment = Deployment(
        by,
        source.at,
        path,
        way,
        cluster=cluster,
        namespace=moved or namespace,
        moves=bool(moved),
        changes=tuple(_changes(kustomize, by)) if way is Way.KUSTOMIZE else (),
        recurse=directory["recurse"].value is True,
        include=read_text(directory["include"]),
        exclude=read_text(directory["exclude"]),
        overlay=argo_overlay(kustomize) if way is Way.KUSTOMIZE else None,
        insists=way is not Way.CHART,
        release=chart if way is Way.CHART else None,
        kind="Application",
        assumes=(owner.assumes,) if owner.assumes else (),
    )
    closed = not source["plugin"].present
    return Deployed((deployment,), (chart,) if way is Way.CHART else (), closed=closed)


def _way(path: str, source: Field, context: DeployContext) -> Way:
    """What Argo CD takes a directory for, in its order."""

    def holds(name: str) -> bool:
        return (f"{path}/{name}" if path else name) in context.sources.library

    if source["directory"].value:
        return Way.DIRECTORY
    if holds("Chart.yaml") or source["helm"].value:
        return Way.CHART
    if any(map(holds, ("kustomization.yaml", "kustomization.yml", "Kustomization"))) or source["kustomize"].value:
        return Way.KUSTOMIZE
    return Way.DIRECTORY


def _cluster(destination: Field) -> str:
    """The cluster of a destination: its name, or the host of its address."""
    name, server = read_text(destination["name"]), read_text(destination["server"])
    if name:
        return HERE if name in _OWN_CLUSTER else name
    if not server or server.rstrip("/") in _OWN_CLUSTER:
        return HERE
    return server.partition("://")[2].partition("/")[0] or server


def _changes(kustomize: Field, by: str) -> Iterator[Transformation]:
    for name in _OVERRIDES:
        if not kustomize[name].value:
            continue
        if name != "patches":
            yield Transformation(f"{name} of {by}")
            continue
        for patch in kustomize["patches"].elements():
            yield patch_of(patch, f"the patches of {by}")


def _values(helm: Field, path: str, url: str, references: dict[str, Field], context: DeployContext) -> Iterator[Values]:
    """The layers of values, the first is the lowest: files, values as text or object, single parameters."""
    for each in helm["valueFiles"].elements():
        name = each.scalar or ""
        reference, slash, below = name.removeprefix("$").partition("/")
        own = url
        if name.startswith("$") and slash and reference in references:
            own, file = read_text(references[reference]["repoURL"]), normal_path(below)
        else:
            file = normal_path(name) if name.startswith("/") else normal_path(f"{path}/{name}")
        document = context.sources.library.first(file) if context.sources.owner(own, file).ours else None
        if document is not None and document.root.mapping is not None:
            yield Values(document.root, file=file)
        elif not helm["ignoreMissingValueFiles"].value:
            yield Values(missing=f"the values file {name}")
    if helm["valuesObject"].mapping is not None:
        yield Values(helm["valuesObject"])
    elif helm["values"].present:
        found = parsed(helm["values"])
        yield Values(found, "" if found is not None else "its values, which are no YAML")
    for name in ("parameters", "fileParameters"):
        for parameter in helm[name].elements():
            yield _parameter(parameter)


def _parameter(parameter: Field) -> Values:
    """``name: a.b.c`` with its value, as a layer of its own."""
    steps, value = read_text(parameter["name"]).split("."), parameter["value"]
    if not value.present or any("[" in step or "\\" in step for step in steps):
        return Values(missing=f"the parameter {read_text(parameter['name'])}")
    made: Any = value.scalar
    if parameter["forceString"].value is not True and made in ("true", "false"):
        made = made == "true"
    for step in reversed(steps):
        made = {step: made}
    return Values(Field(value.document, value.path, made))


def _undecided(by: str, at: Field, missing: str, remedy: str, *, contested: bool = False) -> Deployed:
    unknown = Unknown(by, missing, remedy, at.at)
    return Deployed(unknowns=(unknown,), contested=(unknown,) if contested else ())
