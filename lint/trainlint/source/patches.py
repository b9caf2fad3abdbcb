"""The patches of kustomizations: which objects they reach, and where in them a rendered value stands."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import Any

from trainlint.fact import fact
from trainlint.finding import Location, Path
from trainlint.source.correspondence import Correspondence, same, value_at
from trainlint.source.document import MISSING, Document, Field
from trainlint.source.documents import every_document

__all__ = ["Patch", "PatchTarget", "patches"]

Documents = Callable[[str], tuple[Document, ...]]


@fact
class PatchTarget:
    """An object that a patch may reach: its kind, its rendered name, and that in its own file, if it has one."""

    kind: str
    name: str
    written: str

    def is_named(self, name: str) -> bool:
        """Whether the name may have been its own, with some of the prefixes and suffixes that it got."""
        return name in (self.name, self.written) or (name in self.name and self.written in name)


@fact(eq=False)
class Patch:
    """One patch: its data, and where that is written. ``kind`` and ``name`` (a pattern) are those of its target."""

    data: Any
    at: Location
    kind: str = ""
    name: str = ""

    def reaches(self, target: PatchTarget) -> bool:
        """Whether it may change an object; what its selectors say of labels is not asked."""
        kind, name = self.kind, self.name
        if isinstance(self.data, dict) and not (kind or name):
            metadata = self.data.get("metadata")
            own = metadata.get("name") if isinstance(metadata, dict) else None
            return self.data.get("kind") == target.kind and isinstance(own, str) and target.is_named(own)
        return (not kind or _matches(kind, target.kind)) and (
            not name or _matches(name, target.name) or _matches(name, target.written) or target.is_named(name)
        )

    def held(self, alike: Correspondence, rendered: Any, path: Path) -> Iterator[tuple[Location, Any]]:
        """What it writes to the path of a rendered value, and where that stands, what is applied last first."""
        if isinstance(self.data, dict):
            own, value = alike.follow(rendered, self.data, path)
            if value is not MISSING:
                yield self.at.child(*own), value
        elif isinstance(self.data, list):
            for index in range(len(self.data) - 1, -1, -1):
                yield from self._operation(alike, rendered, path, index)

    def _operation(
        self, alike: Correspondence, rendered: Any, path: Path, index: int
    ) -> Iterator[tuple[Location, Any]]:
        operation = self.data[index]
        if not isinstance(operation, dict) or operation.get("op") not in ("add", "replace"):
            return
        steps = _pointer(operation.get("path"))
        if len(steps) <= len(path) and all(map(_is_step, steps, path)):
            here = value_at(rendered, path[: len(steps)])
            own, value = alike.follow(here, operation.get("value"), path[len(steps) :])
            if value is not MISSING:
                yield self.at.child(index, "value", *own), value


def like(rendered: Any, written: Any) -> bool:
    """Whether one may be the other: collections grow and shrink, other values are equal."""
    if isinstance(rendered, (dict, list)):
        return type(rendered) is type(written)
    return same(rendered, written)


def patches(document: Document, documents: Documents) -> Iterator[Patch]:
    """The patches of a kustomization, what is applied last first; ``documents`` gives those of a file."""
    root = document.root
    directory = posixpath.dirname(document.file)
    found: list[Patch] = []
    for each in root["patchesStrategicMerge"].elements():
        found += _merges(each, directory, documents)
    for each in (*root["patches"].elements(), *root["patchesJson6902"].elements()):
        if each.string:
            found += _merges(each, directory, documents)
            continue
        target = each["target"]
        kind, name = target["kind"].scalar or "", target["name"].scalar or ""
        if each["patch"].string:
            inside = every_document(document.file, (each["patch"].string or "").encode())
            found += [Patch(inner.data, each["patch"].at, kind, name) for inner in inside]
        elif each["path"].string:
            inside = documents(posixpath.normpath(posixpath.join(directory, each["path"].string or "")))
            found += [Patch(inner.data, inner.at(()), kind, name) for inner in inside]
    yield from reversed(found)


def _merges(each: Field, directory: str, documents: Documents) -> Iterator[Patch]:
    """Strategic merge patches of a file, or in place."""
    text = each.string or ""
    if "\n" in text or ":" in text:
        for inner in every_document(each.document.file, text.encode()):
            yield Patch(inner.data, each.at)
    elif text:
        for inner in documents(posixpath.normpath(posixpath.join(directory, text))):
            yield Patch(inner.data, inner.at(()))


def _pointer(path: Any) -> list[str]:
    """The steps of a JSON pointer."""
    steps = path.split("/")[1:] if isinstance(path, str) else [""]
    return [step.replace("~1", "/").replace("~0", "~") for step in steps]


def _is_step(written: str, step: str | int) -> bool:
    """Whether a step may be that of a rendered path: what came before or after may have moved indices."""
    return written == step if isinstance(step, str) else written == "-" or written.isdigit()


def _matches(pattern: str, text: str) -> bool:
    """kustomize anchors the patterns of selectors on both sides."""
    try:
        return re.fullmatch(pattern, text) is not None
    except re.error:
        return pattern == text
