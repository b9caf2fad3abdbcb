"""Where rendered values were written: in a base, in a patch, or in a kustomization."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from trainlint.finding import Location, Path
from trainlint.source.correspondence import Correspondence, same, scalars, value_at
from trainlint.source.document import MISSING, Document, Field
from trainlint.source.kustomization import is_remote
from trainlint.source.links import follow
from trainlint.source.patches import Documents, Patch, PatchTarget, like, patches
from trainlint.source.reading import objects
from trainlint.source.rendered_root import Overlay
from trainlint.source.transformer_fields import generator, hashed, setter

__all__ = ["NOTE", "Basis", "ObjectOrigin", "Origins"]

NOTE: Final = "config.kubernetes.io/origin"
_DEPLOYER: Final = "<deployer>"
"""Stands for the file of what a deployer adds, in the directory that it builds."""


class Basis(StrEnum):
    """How a place was found, the most certain first."""

    WRITTEN = "the file of the object holds the value"
    PATCHED = "a patch holds the value"
    SET = "a field of a kustomization makes it"
    NEAR = "the nearest parent whose place is known"


class Origins:
    """The origins of all that one root makes.

    ``kustomizations`` are the documents that take part, by directory; ``documents`` gives all documents of a file;
    ``links`` are the symbolic links on the way, ``overlay`` what a deployer wrote into the kustomization of the root.
    """

    def __init__(
        self,
        root: str,
        kustomizations: Mapping[str, Document],
        documents: Documents,
        links: Mapping[str, str],
        overlay: Overlay | None = None,
    ) -> None:
        self._overlay = overlay
        self.root = root
        self.kustomizations = kustomizations
        self._documents = documents
        self._links = links

    def documents(self, file: str) -> tuple[Document, ...]:
        """All documents of a file, by any name that leads to it."""
        return self._documents(self.real(file))

    def real(self, name: str) -> str:
        """The name to which links lead; empty for the root of the repository."""
        name = follow(name, self._links) or name if self._links else posixpath.normpath(name)
        return "" if name == "." else name

    @cached_property
    def chain(self) -> tuple[Document, ...]:
        """The kustomizations, what is applied last first."""
        return (*self._added(), *self._chain(self.root, set()))

    def _added(self) -> Iterator[Document]:
        """What the deployer added, as a document of its own; what stands in it stands in the deployer's manifest."""
        if self._overlay is not None:
            yield Document(posixpath.join(self.root, _DEPLOYER), 0, 1, "", self._overlay.fields)
            components = self._overlay.fields.get("components")
            for each in components if isinstance(components, list) else ():
                if isinstance(each, str) and not is_remote(each):
                    yield from self._chain(self.real(posixpath.join(self.root, each)), set())

    def place(self, at: Location) -> Location:
        """A place for people: in the manifest of the deployer, if it is in what that added."""
        if self._overlay is None or at.file != posixpath.join(self.root, _DEPLOYER):
            return at
        return self._overlay.at(at.path)

    def _chain(self, directory: str, seen: set[str]) -> Iterator[Document]:
        document = self.kustomizations.get(directory)
        if document is None or directory in seen:
            return
        seen.add(directory)
        yield document
        for name in ("components", "resources", "bases"):
            for each in reversed(list(document.root[name].elements())):
                if each.string and not is_remote(each.string):
                    yield from self._chain(self.real(posixpath.join(directory, each.string)), seen)

    @cached_property
    def patches(self) -> tuple[Patch, ...]:
        """All patches, what is applied last first."""
        return tuple(patch for document in self.chain for patch in patches(document, self.documents))

    def of(self, data: Any, note: Any) -> ObjectOrigin:
        """The origins of one rendered object; ``note`` is what kustomize says of it (``NOTE``)."""
        return ObjectOrigin(self, data, note if isinstance(note, dict) else {})


class ObjectOrigin:
    """Says of each path of one rendered object where its value was written."""

    def __init__(self, origins: Origins, data: Any, note: Mapping[str, Any]) -> None:
        self._origins = origins
        self._data = data
        self._note = note
        self._alike = Correspondence()
        self._known: dict[Path, tuple[Location, Basis]] = {}

    def __call__(self, path: Path) -> Location:
        """The place of the value at a path."""
        return self.explain(path)[0]

    def explain(self, path: Path) -> tuple[Location, Basis]:
        """The place of the value at a path, and how it was found."""
        if path not in self._known:
            at, basis = self._find(path)
            self._known[path] = self._origins.place(at), basis
        return self._known[path]

    def _find(self, path: Path) -> tuple[Location, Basis]:
        value = value_at(self._data, path)
        if value is MISSING and path:
            parent, _ = self.explain(path[:-1])
            return parent.child(path[-1]), Basis.NEAR
        base = self._base
        written: Any = MISSING
        if base is not None:
            own, written = self._alike.follow(self._data, base.value, path)
            if written is not MISSING and (not path or like(value, written)):
                at = base.document.at((*base.path, *own))
                mostly = self._mostly(path, value) if path and not same(value, written) else None
                return (at, Basis.WRITTEN) if mostly is None else (mostly, Basis.PATCHED)
        for patch in self._patches:
            for at, held in patch.held(self._alike, self._data, path):
                if like(value, held):
                    return at, Basis.PATCHED
                written = held if written is MISSING else written
        made = self._set(path, value, written)
        if made is not None:
            return made, Basis.SET
        if not path:
            return self._top.at(()), Basis.NEAR
        return self.explain(path[:-1])[0], Basis.NEAR

    def _mostly(self, path: Path, value: Any) -> Location | None:
        """The patch that wrote more than half of what is in a collection; ``None`` if none did."""
        inside = list(scalars(value))
        for patch in self._patches:
            for at, held in patch.held(self._alike, self._data, path):
                if like(value, held):
                    there = (self._alike.follow(value, held, below)[1] for below, _ in inside)
                    if 2 * sum(same(each, other) for (_, each), other in zip(inside, there, strict=True)) > len(inside):
                        return at
        return None

    def _set(self, path: Path, value: Any, written: Any) -> Location | None:
        """The field of a kustomization that made the value."""
        if self._base is None:
            made = generator(self._top, self._target.kind, self._target, path)
            if made is not None:
                return made
        if path and isinstance(value, str) and isinstance(written, str):
            for document in self._origins.chain:
                made = hashed(document, value, written)
                if made is not None:
                    return made
        if path:
            for document in self._origins.chain:
                made = setter(document, self._target, path, value, written, self._origins.documents)
                if made is not None:
                    return made
        return None

    @cached_property
    def _top(self) -> Document:
        """The kustomization that made it, where no file holds it."""
        origins = self._origins
        made = self._note.get("configuredIn")
        if isinstance(made, str):
            directory = posixpath.dirname(origins.real(posixpath.join(origins.root, made)))
            if directory in origins.kustomizations:
                return origins.kustomizations[directory]
        return origins.kustomizations[origins.root]

    @cached_property
    def _base(self) -> Field | None:
        """The object as its own file has it."""
        path = self._note.get("path")
        if not isinstance(path, str):
            return None
        file = posixpath.join(self._origins.root, path)
        found = [each for document in self._origins.documents(file) for each in objects(document)]
        kind, name, namespace = _identity(self._data)
        alike = [each for each in found if each["kind"].string == kind]
        named = [each for each in alike if _named(each) == name]
        if not named:
            named = [each for each in alike if _named(each) and _named(each) in name] or alike
        named.sort(key=lambda each: (-len(_named(each)), each["metadata"]["namespace"].value != namespace))
        return named[0] if named else None

    @cached_property
    def _target(self) -> PatchTarget:
        kind, name, _ = _identity(self._data)
        return PatchTarget(kind, name, _named(self._base) if self._base is not None else "")

    @cached_property
    def _patches(self) -> tuple[Patch, ...]:
        return tuple(patch for patch in self._origins.patches if patch.reaches(self._target))


def _named(each: Field) -> str:
    return each["metadata"]["name"].scalar or ""


def _identity(data: Any) -> tuple[str, str, Any]:
    metadata = data.get("metadata") if isinstance(data, dict) else None
    metadata = metadata if isinstance(metadata, dict) else {}
    kind = data.get("kind") if isinstance(data, dict) else None
    return str(kind or ""), str(metadata.get("name") or ""), metadata.get("namespace")
