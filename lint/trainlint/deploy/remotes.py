"""The addresses and paths that deployers name: without a remote, they tell which repository this one is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.deploy.sources import normal_path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder, read_text
from trainlint.source.document import Field

__all__ = ["ARCHIVES", "addressed", "archived"]

ARCHIVES: Final = frozenset({"Bucket", "ExternalArtifact", "OCIRepository"})
"""Sources of Flux that hold packed files: any directory may be their top."""


def addressed(objects: Iterable[tuple[Meta, Field]]) -> Iterator[tuple[str, str]]:
    """Every address of a repository with a path in it, as deployers and their sources are written."""
    repositories: dict[str, str] = {}
    paths: list[tuple[str, str]] = []
    for meta, item in objects:
        spec = item["spec"]
        match meta.kind:
            case "Application" | "ApplicationSet":
                for each in _argo(spec if meta.kind == "Application" else spec.down("template", "spec")):
                    yield read_text(each["repoURL"]), normal_path(read_text(each["path"]))
            case "GitRepository":
                repositories[meta.name] = read_text(spec["url"])
            case "Kustomization":
                paths.append((read_text(spec["sourceRef"]["name"]), normal_path(read_text(spec["path"]))))
            case "FluxInstance":
                yield read_text(spec["sync"]["url"]), normal_path(read_text(spec["sync"]["path"]))
            case _:
                pass
    yield from ((repositories[name], path) for name, path in paths if name in repositories)


def archived(objects: Iterable[tuple[Meta, Field]]) -> Iterator[tuple[str, str]]:
    """Every archive with a path in it, as Kustomizations of Flux are written (``OCIRepository flux-system``)."""
    for meta, item in objects:
        source = item.down("spec", "sourceRef")
        if meta.kind == "Kustomization" and read_text(source["kind"]) in ARCHIVES:
            path = read_text(item.down("spec", "path"))
            if not is_placeholder(path):
                yield f"{read_text(source['kind'])} {read_text(source['name'])}", normal_path(path)


def _argo(spec: Field) -> Iterator[Field]:
    for each in (*spec["sources"].elements(), spec["source"]):
        if each["path"].string and not any(map(is_placeholder, (read_text(each["path"]), read_text(each["repoURL"])))):
            yield each
