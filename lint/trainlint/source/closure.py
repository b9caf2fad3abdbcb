"""Everything that kustomize reads for one root, and nothing else: what is copied before anything is rendered."""

from __future__ import annotations

import copy
import json
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Location, Path, Unknown
from trainlint.source.document import Document, Field
from trainlint.source.documents import every_document
from trainlint.source.kustomization import FILE_NAMES, is_remote
from trainlint.source.tree import OutsideError, Tree

__all__ = ["MAX_BYTES", "Closure", "RefusedError", "close"]

MAX_BYTES: Final = 64 << 20
"""Bytes of all files together that are copied for one root."""

_LISTS: Final = ("resources", "bases", "components", "generators", "transformers", "validators", "crds")
_MAX_FILES: Final = 20_000
_MAX_NAME: Final = 1024
_CHANGES: Final = "nobody can tell what it changes"


@fact(eq=False)
class Closure:
    """``files`` are the contents of the copy by name, ``links`` its symbolic links.

    ``kustomizations`` are the documents of all kustomizations that take part, by directory, as they are written.
    ``unknowns`` are what was taken out of the copy: the rest is rendered.
    """

    root: str
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    directories: set[str] = field(default_factory=set)
    kustomizations: dict[str, Document] = field(default_factory=dict)
    unknowns: list[Unknown] = field(default_factory=list)


class RefusedError(Exception):
    """A root that is not rendered: why, where that is said, and what would help."""

    def __init__(self, why: str, at: Location, remedy: str = "") -> None:
        super().__init__(why)
        self.at = at
        self.remedy = remedy


def close(tree: Tree, root: str) -> Closure:
    """Collect what the kustomization in the directory ``root`` needs.

    Raises:
        RefusedError: it leads out of the repository, or it needs what is never fetched or run, and without it nobody
            could tell what comes out.
    """
    return _Collector(tree, root).closure()


class _Collector:
    def __init__(self, tree: Tree, root: str) -> None:
        self._tree = tree
        self._closure = Closure(root)
        self._bytes = 0
        self._cleaned: dict[str, dict[str, Any]] = {}
        self._here = Location(posixpath.join(root, FILE_NAMES[0]), 0)

    def closure(self) -> Closure:
        root = self._closure.root
        self._directory(root)
        for name in FILE_NAMES:
            file = posixpath.join(root, name)
            if file in self._closure.files:
                document = self._closure.kustomizations.get(root)
                if document is None or not isinstance(document.data, dict):
                    raise RefusedError("the file is not one YAML mapping", Location(file, 0), "mend it")
                data = self._cleaned[root]
                known = data.get("buildMetadata")
                asked = [each for each in known if each == "managedByLabel"] if isinstance(known, list) else []
                self._write(file, {**data, "buildMetadata": [*asked, "originAnnotations"]})
        return self._closure

    def _write(self, file: str, data: dict[str, Any]) -> None:
        """Put a kustomization into the copy as it shall be read."""
        try:
            self._closure.files[file] = json.dumps(data, allow_nan=False).encode()
        except ValueError:
            raise RefusedError("it holds a number that JSON has no word for", Location(file, 0), "mend it") from None

    def _directory(self, directory: str) -> bool:
        """Add the kustomization of a directory and all that it names; false if there is none."""
        known = self._closure.kustomizations
        if directory in known:
            return True
        found = False
        for name in FILE_NAMES:
            file = posixpath.join(directory, name)
            content = self._tree.read(self._real(file))
            if content is None:
                continue
            found = True
            self._place(file, content)
            documents = every_document(file, content)
            if len(documents) == 1:
                known[directory] = documents[0]
        if directory in known:
            self._kustomization(directory, known[directory])
        return found

    def _kustomization(self, directory: str, document: Document) -> None:
        before, self._here = self._here, Location(document.file, 0)
        if document.duplicates:
            key = document.duplicates[0]
            raise RefusedError(
                f"the key {'.'.join(map(str, key))} stands twice in it", document.at(key), "remove one of the two"
            )
        kept = _Cleaned(document, self)
        for path, name in kept.references:
            self._add(directory, name, Location(document.file, document.index, path))
        self._cleaned[directory] = kept.data
        if kept.changed:
            self._write(document.file, kept.data)
        self._here = before

    def out(self, what: str, at: Location) -> None:
        """Note that something was taken out of the copy."""
        subject = f"the kustomization {posixpath.dirname(at.file) or '.'}"
        self._closure.unknowns.append(Unknown(subject, what, "lint what it makes, where that is there", at))

    def plugins(self, directory: str, entry: str) -> Iterator[Field]:
        """The configurations of plugins that an entry of ``generators`` and the like names."""
        documents: Sequence[Document]
        if "\n" in entry:
            documents = every_document(self._here.file, entry.encode())
        else:
            name = _joined(directory, entry)
            content = None if name is None else self._tree.read(self._real(name))
            if content is None:
                if name is not None:
                    yield from self._plugins_of(name)
                return
            documents = every_document(entry, content)
        yield from (document.root for document in documents if document.root.mapping is not None)

    def _plugins_of(self, directory: str) -> Iterator[Field]:
        for name in FILE_NAMES:
            content = self._tree.read(self._real(posixpath.join(directory, name)))
            for document in every_document(name, content or b""):
                for each in document.root["resources"].elements():
                    if each.string and not is_remote(each.string):
                        yield from self.plugins(directory, each.string)

    def _add(self, directory: str, entry: str, at: Location) -> None:
        """Add the file or directory that a kustomization names."""
        name = _joined(directory, entry)
        if name is None:
            raise RefusedError(f"{entry} leads out of the repository", at, "name a path inside it")
        real = self._real(name, at)
        content = self._tree.read(real)
        if content is not None:
            self._place(real, content)
        elif not self._directory(real) and self._tree.is_directory(real):
            self._closure.directories.add(real)

    def _place(self, name: str, content: bytes) -> None:
        if name not in self._closure.files:
            self._bytes += len(content)
            if self._bytes > MAX_BYTES or len(self._closure.files) > _MAX_FILES:
                raise RefusedError(f"what it reads is larger than {MAX_BYTES >> 20} MiB", self._here, "split it")
        self._closure.files[name] = content

    def _real(self, name: str, at: Location | None = None) -> str:
        """The name behind symbolic links, each of which is made anew in the copy."""
        done: list[str] = []
        waiting = name.split("/")[::-1]
        for _ in range(1000):
            if not waiting:
                return "/".join(done)
            step = waiting.pop()
            if step in ("", "."):
                continue
            if step == "..":
                done = done[:-1]
                continue
            here = "/".join((*done, step))
            try:
                text = self._tree.link(here)
            except OutsideError as error:
                raise RefusedError(str(error), at or self._here, "put a copy in its place") from None
            if text is None:
                done.append(step)
            else:
                self._closure.links[here] = text
                waiting += text.split("/")[::-1]
        raise RefusedError(f"{name} leads through symbolic links in a circle", at or self._here, "mend the links")


class _Cleaned:
    """One kustomization without what is never fetched or run, and the local files that it then still names."""

    def __init__(self, document: Document, collector: _Collector) -> None:
        self._document = document
        self._collector = collector
        self._directory = posixpath.dirname(document.file)
        self.data: dict[str, Any] = copy.deepcopy(document.data) if isinstance(document.data, dict) else {}
        self.changed = False
        self.references: list[tuple[Path, str]] = []
        for name in _LISTS:
            self._filter(name)
        for name in ("helmCharts", "helmChartInflationGenerator"):
            for each in document.root[name].elements():
                chart = each["name"].string or each["chartName"].string or "?"
                self._out(f"the objects of the chart {chart}: charts in a kustomization are not rendered", each.path)
            self._drop(name)
        self._patches()
        self._data_files()

    def _out(self, what: str, path: Path) -> None:
        self._collector.out(what, self._document.at(path))

    def _drop(self, name: str) -> None:
        if self.data.pop(name, None):
            self.changed = True

    def _filter(self, name: str) -> None:
        """Take out of a list what is elsewhere or would run."""
        field = self._document.root[name]
        if not isinstance(field.value, list):
            return
        kept = [each.value for each in field.elements() if self._keeps(name, each)]
        if len(kept) != len(field.value):
            self.data[name] = kept
            self.changed = True

    def _keeps(self, name: str, each: Field) -> bool:
        entry = each.string
        if not entry:
            return True
        if "\n" not in entry and is_remote(entry):
            if name in ("components", "transformers", "crds"):
                raise RefusedError(f"{entry} is elsewhere, and {_CHANGES}", each.at, "keep a copy of it in Git")
            if name != "validators":
                self._out(f"the objects of {entry}, which is elsewhere", each.path)
            return False
        if name in ("generators", "transformers", "validators"):
            for plugin in self._collector.plugins(self._directory, entry):
                kind = plugin["kind"].string or "?"
                if plugin["apiVersion"].string != "builtin" or kind.startswith("HelmChart"):
                    if name == "transformers":
                        raise RefusedError(f"the transformer {kind} would run a program: {_CHANGES}", each.at)
                    if name == "generators":
                        self._out(f"the objects of the generator {kind}: it would run a program", each.path)
                    return False
                self.references += [(each.path, text) for text in _scalars(plugin.value)]
        if "\n" not in entry:
            self.references.append((each.path, entry))
        return True

    def _patches(self) -> None:
        root = self._document.root
        named = [each for each in root["patchesStrategicMerge"].elements() if ":" not in (each.string or "\n:")]
        named += root["configurations"].elements()
        for name in ("patches", "patchesJson6902", "replacements"):
            named += [each["path"] for each in root[name].elements()]
        named.append(root.down("openapi", "path"))
        for each in named:
            if each.string and "\n" not in each.string:
                if is_remote(each.string):
                    raise RefusedError(f"{each.string} is elsewhere, and {_CHANGES}", each.at, "keep a copy in Git")
                self.references.append((each.path, each.string))

    def _data_files(self) -> None:
        for name in ("configMapGenerator", "secretGenerator"):
            kept = []
            for each in self._document.root[name].elements():
                found = [*each["files"].elements(), *each["envs"].elements(), each["env"]]
                texts = [(part.path, _source(part.string)) for part in found if part.string]
                far = next((text for _, text in texts if is_remote(text)), None)
                if far is None:
                    kept.append(each.value)
                    self.references += texts
                else:
                    self._out(f"{each['name'].string or '?'}, made of {far}, which is elsewhere", each.path)
            if isinstance(self.data.get(name), list) and len(kept) != len(self.data[name]):
                self.data[name] = kept
                self.changed = True


def _scalars(value: Any) -> Iterator[str]:
    """Texts that may be names of files."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _scalars(each)
    elif isinstance(value, str) and value and "\n" not in value and len(value) < _MAX_NAME:
        name = _source(value)
        if not name.startswith(("/", "..")) and not is_remote(name):
            yield name


def _source(text: str) -> str:
    """The file of ``key=file``."""
    return text.partition("=")[2] or text


def _joined(directory: str, entry: str) -> str | None:
    """A path relative to a directory as one below the root of the repository; ``None`` if it leads out of it."""
    name = posixpath.normpath(posixpath.join(directory, entry))
    if name.startswith(("/", "../")) or name == "..":
        return None
    return "" if name == "." else name
