"""Charts that a kustomization inflates itself (``helmCharts``), or a values file that it gives to one."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from trainlint.deploy.deployment import Release, Values
from trainlint.kube.values import read_text
from trainlint.source.document import Document, Field
from trainlint.source.library import Library

__all__ = ["inflated"]


def inflated(document: Document, library: Library) -> Iterator[Release]:
    """The charts that the kustomization in a document inflates."""
    for entry in document.root["helmCharts"].elements():
        directory = posixpath.dirname(document.file)
        yield Release(
            read_text(entry["releaseName"]) or read_text(entry["name"]),
            read_text(entry["namespace"]),
            read_text(entry["name"]),
            version=read_text(entry["version"]),
            repository=read_text(entry["repo"]),
            values=tuple(_values(entry, directory, library)),
            by=f"the kustomization {directory or '.'}",
            at=entry.at,
            version_at=entry["version"],
            evidence=entry,
        )


def _values(entry: Field, directory: str, library: Library) -> Iterator[Values]:
    files = [entry["valuesFile"], *entry["additionalValuesFiles"].elements()]
    for file in files:
        name = posixpath.normpath(posixpath.join(directory, read_text(file)))
        if not file.present:
            continue
        document = library.first(name)
        if document is not None and document.root.mapping is not None:
            yield Values(document.root, file=name)
        else:
            yield Values(missing=f"the values file {read_text(file)}")
    if entry["valuesInline"].mapping is not None:
        yield Values(entry["valuesInline"])
