"""Everything that kustomize reads for one root, and nothing else: what is copied before anything is rendered."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from trainlint.finding import Location, Path
from trainlint.source.copied_files import Closure, left_out
from trainlint.source.deployer_overlay import named, tolerant, with_deployer_fields
from trainlint.source.document import Document, Field
from trainlint.source.documents import endless
from trainlint.source.file_tree import OutsideError, Tree
from trainlint.source.generator_merges import without_target
from trainlint.source.ignore_files import IgnoreFiles
from trainlint.source.kustomization import FILE_NAMES
from trainlint.source.patch_targets import with_chosen_targets
from trainlint.source.patches import Documents
from trainlint.source.path_escape import astray
from trainlint.source.plugins import PluginReader
from trainlint.source.relative_path import joined
from trainlint.source.rendered_root import BuildRoot, Overlay
from trainlint.source.safe_kustomization import RefusedError, SafeKustomization
from trainlint.source.written_kustomization import MAX_BYTES, not_empty, written

__all__ = ["RefusedError", "close"]

_MAX_FILES: Final = 20_000
_MAX_BUILDS: Final = 2_000
"""Builds of kustomizations for one root: one that two others name is built twice."""
_MAX_DEPTH: Final = 64
"""Kustomizations one in the other; public ones have ten."""


def close(tree: Tree, deployed: BuildRoot, documents: Documents) -> Closure:
    """Collect what the kustomization in a directory needs; ``documents`` gives all documents of a file.

    The namespace of who deploys it takes the place of the one that it gives; its overlay is written into it.

    Raises:
        RefusedError: it leads out of the repository, or it needs what is never fetched or run, and without it
            the result is unknown.
    """
    collector = _Collector(tree, deployed.directory, documents)
    closure = collector.closure(deployed.namespace, deployed.overlay)
    free = (deployed.unrestricted or deployed.lenient) and collector.may_be_free
    return replace(closure, unrestricted=free and deployed.unrestricted, lenient=free and deployed.lenient)


class _Collector:
    def __init__(self, tree: Tree, root: str, documents: Documents) -> None:
        self._tree = tree
        self._documents = documents
        self._closure = Closure(root)
        self._bytes = 0
        self._astray = False
        self._ignored = IgnoreFiles(tree.read_no_link)
        self._cleaned: dict[str, SafeKustomization] = {}
        self._below: dict[str, set[str]] = {}
        self._plugins = PluginReader(tree, documents, self._real)
        self._depth = 0
        self._here = Location(posixpath.join(root, FILE_NAMES[0]), 0)

    def closure(self, namespace: str, overlay: Overlay | None) -> Closure:
        root = self._closure.root
        self._directory(root)
        builds = self._count(root, {})
        fields: Mapping[str, Any] = {}
        if overlay is not None:
            self._astray = astray(overlay.fields, root)
            for path, name in named(overlay):
                self._add(root, name, overlay.at(path))
            fields = overlay.fields
        short = self._aim()
        if root in short and fields.get("patches"):
            fields = {**fields, "patches": tolerant(self._closure.kustomizations[root], fields["patches"])}
        for name in FILE_NAMES:
            file = posixpath.join(root, name)
            if file in self._closure.files:
                data = with_deployer_fields(self._cleaned[root].data, fields)
                known = data.get("buildMetadata")
                asked = [each for each in known if each == "managedByLabel"] if isinstance(known, list) else []
                if namespace:
                    data = {**data, "namespace": namespace}
                self._write(file, {**data, "buildMetadata": [*asked, "originAnnotations"]})
        return replace(self._closure, builds=builds)

    def _count(self, directory: str, known: dict[str, int]) -> int:
        """How often kustomizations are built below a directory and in it: kustomize builds one anew for each way to it.

        Raises:
            RefusedError: it would do so too often.
        """
        if directory not in known:
            known[directory] = 0  # one that leads to itself is kustomize's to refuse
            known[directory] = 1 + sum(self._count(each, known) for each in self._below.get(directory, ()))
        if known[directory] > _MAX_BUILDS:
            why = f"kustomizations name each other so that more than {_MAX_BUILDS:,} would be built"
            raise RefusedError(why, self._here, "name each of them once")
        return known[directory]

    @property
    def may_be_free(self) -> bool:
        """Whether the restriction to a directory and what is below it can be lifted.

        It cannot where something that may be a path leads out of the copy, nor where plugins take part, which make
        names of what they read: then only the restriction holds them.
        """
        return not self._astray and not any(each.astray or each.plugged for each in self._cleaned.values())

    def _aim(self) -> set[str]:
        """Patches may be meant for what was taken out below: then they reach nothing, and that is no fault. The
        directories of which something is missing.
        """
        short = {directory for directory, kept in self._cleaned.items() if kept.out}
        grown = True
        while grown:
            above = {directory for directory, below in self._below.items() if not below.isdisjoint(short)}
            grown = not above <= short
            short |= above
        for directory in sorted(short):
            kept = self._cleaned[directory]
            document = self._closure.kustomizations[directory]
            self._untangle(directory, document, kept)

            def documents(name: str, directory: str = directory) -> tuple[Document, ...]:
                return self._documents(self._real(joined(directory, name) or name))

            data = with_chosen_targets(document, kept.data, documents)
            if data is not None:
                kept.data = data
                self._write(document.file, data)
        return short

    def _untangle(self, directory: str, document: Document, kept: SafeKustomization) -> None:
        """Leave out the generators that change what was taken out."""
        reached = self._reached(directory)
        below = [self._closure.kustomizations[each] for each in reached]
        files = {
            real
            for each in (directory, *reached)
            for _, name in self._cleaned[each].references
            if (path := joined(each, name)) and (real := self._real(path)) in self._closure.files
        }
        held = [
            document
            for file in sorted(files)
            if file.endswith((".yaml", ".yml", ".json"))
            for document in self._documents(file)
        ]
        data, gone = without_target(document, kept.data, below, held)
        if gone:
            kept.data = data
            self._write(document.file, data)
            self._lose(directory, document, gone)

    def _reached(self, directory: str) -> list[str]:
        """The directories of the kustomizations below one."""
        found: list[str] = []
        pending = sorted(self._below.get(directory, ()))
        while pending:
            here = pending.pop()
            if here not in found:
                found.append(here)
                pending += sorted(self._below.get(here, ()))
        return found

    def _lose(self, directory: str, document: Document, lost: list[tuple[str, str, Path]]) -> None:
        self._closure.lost.extend(left_out(directory, document, lost, "makes where it is there"))

    def _write(self, file: str, data: dict[str, Any]) -> None:
        """Put a kustomization into the copy as it shall be read."""
        self._closure.files[file] = written(file, data)

    def _directory(self, directory: str) -> bool:
        """Add the kustomization of a directory and all that it names; false if there is none."""
        known = self._closure.kustomizations
        if directory in known:
            return True
        found = False
        for name in FILE_NAMES:
            file = posixpath.join(directory, name)
            real = self._real(file)
            content = self._tree.read(real)
            if content is None:
                continue
            if real != file:
                raise RefusedError(f"{file} is a symbolic link", self._here, "put a copy of the file in its place")
            found = True
            self._place(file, content)
            documents = self._documents(file)
            if len(documents) != 1 or documents[0].root.mapping is None:
                raise RefusedError("the kustomization is not one YAML mapping", Location(file, 0), "fix it")
            known[directory] = documents[0]
        if directory in known:
            self._kustomization(directory, known[directory])
        return found

    def _kustomization(self, directory: str, document: Document) -> None:
        before, self._here = self._here, Location(document.file, 0)
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise RefusedError(f"kustomizations lie more than {_MAX_DEPTH} deep", before, "name them nearer to the top")
        kept = SafeKustomization(document, self.plugins, self)
        # one text for all of a kind: a report says it once
        self._closure.unknowns.extend(left_out(directory, document, kept.out, "makes, where all of it is there"))
        self._lose(directory, document, kept.lost)
        for path, name in kept.references:
            self._add(directory, name, document.at(path))
        self._cleaned[directory] = kept
        # kustomize reads what was looked at here, not a text that its parser may read in another way
        self._write(document.file, not_empty(kept.data) if kept.changed else kept.data)
        self._here = before
        self._depth -= 1

    def plugins(self, directory: str, entry: str) -> Iterator[Field]:
        """The configurations of plugins that an entry of ``generators`` and the like names."""
        return self._plugins.configurations(directory, entry, self._here.file)

    def has(self, directory: str, entry: str) -> bool:
        """Whether there is a file of that name."""
        name = joined(directory, entry)
        return name is not None and self._tree.read(self._real(name)) is not None

    def ignored(self, directory: str, entry: str) -> bool:
        """Whether Git ignores a file of that name."""
        name = joined(directory, entry)
        return name is not None and self._ignored(name)

    def _add(self, directory: str, entry: str, at: Location) -> None:
        """Add the file or directory that a kustomization names."""
        name = joined(directory, entry)
        if name is None:
            raise RefusedError(f"{entry} leads out of the repository", at, "name a path inside it")
        real = self._real(name, at)
        content = self._tree.read(real)
        if content is not None:
            self._place(real, content)
        elif self._directory(real):
            self._below.setdefault(directory, set()).add(real)
        elif self._tree.is_directory(real):
            self._closure.directories.add(real)

    def _place(self, name: str, content: bytes) -> None:
        if name not in self._closure.files:
            self._bytes += len(content)
            if self._bytes > MAX_BYTES or len(self._closure.files) > _MAX_FILES:
                raise RefusedError(f"what it reads is larger than {MAX_BYTES >> 20} MiB", self._here, "split it")
            if name.endswith((".yaml", ".yml", ".json", "Kustomization")) and (why := endless(name, content)):
                raise RefusedError(f"{name}: {why}", Location(name, 0), "fix the aliases")
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
        raise RefusedError(f"{name} leads through symbolic links in a circle", at or self._here, "fix the links")
