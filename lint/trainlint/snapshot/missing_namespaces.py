"""Objects without a namespace: Flux hands them to the API server as they are, and it refuses them."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from typing import Final

from trainlint.deploy.deployment import Deployment
from trainlint.finding import Location
from trainlint.kube.meta import read_meta
from trainlint.kube.values import is_placeholder
from trainlint.snapshot.kinds import REGISTRY
from trainlint.snapshot.path_objects import Reach
from trainlint.source.document import Document
from trainlint.source.kustomization_faults import BuildFault
from trainlint.source.library import Library
from trainlint.source.reading import objects

__all__ = ["unplaced"]

_UNCLEAR: Final = ("transformers", "replacements", "vars", "configurations", "generators")
_PATCHES: Final = ("patches", "patchesStrategicMerge", "patchesJson6902")
_GENERATORS: Final = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}


class _UnclearError(Exception):
    """What a kustomization changes may give a namespace, and only kustomize knows."""


def unplaced(deployment: Deployment, reach: Reach, library: Library) -> BuildFault | None:
    """The fault of a path whose deployer gives no namespace, at the first object that states none; ``None`` where all
    do, or that cannot be told.
    """
    if deployment.namespace or not deployment.refuses_unplaced or _speaks(deployment):
        return None
    walk = _Walk(reach, library)
    try:
        found = list(dict.fromkeys(walk.path(deployment.path, deployment.components)))
    except _UnclearError:
        return None
    if not found:
        return None
    (first, at), *others = found
    more = f" ({len(others)} more state none either)" if others else ""
    what = f"states no namespace, and neither a kustomization nor {deployment.by} gives it one{more}, so Flux refuses "
    what += "everything in the path"
    remedy = "set spec.targetNamespace of the Kustomization, or namespace in the kustomization or the object"
    related = tuple((f"{name} states none either", place) for name, place in others[:5])
    return BuildFault(deployment.path, at, what, remedy, related, subject=first)


def _speaks(deployment: Deployment) -> bool:
    """Whether a patch of the deployer may give a namespace."""
    return any("namespace" in json.dumps(each.patch, default=str) for each in deployment.changes)


class _Walk:
    """Goes through all that a path brings, with whether a kustomization above gives a namespace."""

    def __init__(self, reach: Reach, library: Library) -> None:
        self._reach = reach
        self._library = library

    def path(self, path: str, components: tuple[str, ...]) -> Iterator[tuple[str, Location]]:
        """Everything without a namespace: its kind and name, and where it stands."""
        if any(self._gives(each) for each in components):
            return
        roots = self._reach.roots(path)
        for root in roots:
            yield from self._directory(root, ())
        if roots != (path,):
            for file in self._reach.files(path):
                own = self._reach.below(file, path) is not None
                if own and not any(self._reach.below(file, root) is not None for root in roots):
                    yield from self._file(file)

    def _directory(self, directory: str, above: tuple[str, ...]) -> Iterator[tuple[str, Location]]:
        one = self._reach.kustomization(directory)
        if one is None or directory in above or self._gives(directory):
            return
        document = self._library.first(one.file)
        if document is None:
            raise _UnclearError
        self._check(document)
        parts = [name for name in one.resources if self._is_component(name)]
        if any(self._gives(name) for name in parts):
            return
        yield from _generated(document)
        for name in one.resources:
            if self._reach.kustomization(name) is not None:
                yield from self._directory(name, (*above, directory))
            else:
                yield from self._file(name)

    def _is_component(self, name: str) -> bool:
        one = self._reach.kustomization(name)
        return one is not None and one.component

    def _gives(self, directory: str) -> bool:
        one = self._reach.kustomization(directory)
        return one is not None and bool(one.namespace)

    def _check(self, document: Document) -> None:
        """Raises _UnclearError where more than ``namespace`` may give one."""
        if any(document.root[name].value for name in _UNCLEAR):
            raise _UnclearError
        home = posixpath.dirname(document.file)
        for name in _PATCHES:
            for each in document.root[name].elements():
                file = each["path"].string or each.string or ""
                text = "" if "\n" in file else self._library.text(posixpath.normpath(posixpath.join(home, file)))
                if "namespace" in (text or "") or "namespace" in json.dumps(each.value, default=str):
                    raise _UnclearError

    def _file(self, file: str) -> Iterator[tuple[str, Location]]:
        for document in self._library.documents(file):
            for item in objects(document):
                meta = read_meta(item)
                inside = REGISTRY.in_namespace(meta.api_group, meta.kind)
                placed = not inside or item.down("metadata", "namespace").present
                if not placed and meta.name and not is_placeholder(meta.name):
                    yield f"{meta.kind} {meta.name}", item.at


def _generated(document: Document) -> Iterator[tuple[str, Location]]:
    for field, kind in _GENERATORS.items():
        for each in document.root[field].elements():
            name = each["name"].string
            if name and not each["namespace"].present and each["behavior"].value in (None, "create"):
                yield f"{kind} {name}", each.at
