"""What keeps kustomizations from being built, where that is plain before they are: files that are not there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Document, Field
from trainlint.source.file_tree import OutsideError, Tree
from trainlint.source.ignore_files import IgnoreFiles
from trainlint.source.kustomization import FILE_NAMES, is_remote, kustomization
from trainlint.source.reading import Reading, is_kustomization
from trainlint.source.world import World

__all__ = ["BuildFault", "faults"]

_MANIFESTS: Final = ("resources", "bases", "components")
_OTHERS: Final = ("crds", "configurations", "generators", "transformers", "validators")
_FILLED_IN: Final = lazy_pattern(r"[${}<>%*\[\]\0]")
"""What stands in names that are filled in before anything is built."""
_MAX_NAME: Final = 255
_MAX_OTHERS: Final = 5


@fact
class BuildFault:
    """What keeps the kustomization in a directory from being built, and where that stands.

    ``what`` goes on from the ``subject``, which is the kustomization where it is empty: "names x.yaml, which is not
    there". ``remedy`` is what fixes it; ``related`` are other places, each with its role.
    """

    directory: str
    at: Location
    what: str
    remedy: str = ""
    related: tuple[tuple[str, Location], ...] = ()
    subject: str = ""

    @property
    def name(self) -> str:
        """What is at fault, as messages begin."""
        return self.subject or f"the kustomization {self.directory or '.'}"


def faults(world: World, readings: Iterable[Reading]) -> Mapping[str, tuple[BuildFault, ...]]:
    """The faults of each kustomization itself, by its directory.

    A file that Git ignores, that is in a submodule or elsewhere, or whose name is filled in later is none.
    """
    files = _Files(world)
    found: dict[str, tuple[BuildFault, ...]] = {}
    for reading in readings:
        if is_kustomization(reading.file):
            for document in reading.documents:
                if kustomization(document) is not None:
                    own = list(_faults(document, files))
                    if own:
                        found[posixpath.dirname(document.file)] = (_joined(own),)
    return found


def _joined(own: Sequence[BuildFault]) -> BuildFault:
    """One fault for all the names of one kustomization that lead nowhere: most often something was moved or removed."""
    first, *others = own
    if not others:
        return first
    related = tuple((f"it also {each.what}", each.at) for each in others[:_MAX_OTHERS])
    return replace(first, what=f"{first.what} (and {len(others)} more)", related=related)


def _faults(document: Document, files: _Files) -> Iterator[BuildFault]:
    directory = posixpath.dirname(document.file)
    seen: set[str] = set()
    for each, manifests in _named(document.root):
        name = each.string or ""
        if name in seen or "\n" in name or is_remote(name) or _FILLED_IN.search(name) or name.startswith("/"):
            continue
        seen.add(name)
        path = posixpath.normpath(posixpath.join(directory, name))
        if path.startswith("..") or any(len(step) > _MAX_NAME for step in path.split("/")):
            continue
        lacks = files.lacks(path, directories=manifests)
        if lacks:
            remedy = f"add {path}, or take it out of the list" if lacks == _ABSENT else "add one, or name its files"
            yield BuildFault(directory, document.at(each.path), f"names {name}, {lacks}", remedy)


def _named(root: Field) -> Iterator[tuple[Field, bool]]:
    """The files and directories that a kustomization needs, and whether a directory must be a kustomization."""
    for name in _MANIFESTS:
        yield from ((each, True) for each in root[name].elements() if each.string)
    for name in _OTHERS:
        yield from ((each, False) for each in root[name].elements() if each.string and ":" not in each.string)
    for each in root["patchesStrategicMerge"].elements():
        if each.string and ":" not in each.string:
            yield each, False
    for name in ("patches", "patchesJson6902", "replacements"):
        yield from ((each["path"], False) for each in root[name].elements() if each["path"].string)
    for each in root["configMapGenerator"].elements():
        for part in (*each["files"].elements(), *each["envs"].elements(), each["env"]):
            if part.string:
                yield Field(part.document, part.path, part.string.partition("=")[2] or part.string), False


_ABSENT: Final = "which is not there"


class _Files:
    """Which files and directories the repository has."""

    def __init__(self, world: World) -> None:
        self._tree = Tree(world)
        self._world = world
        self._ignored = IgnoreFiles(self._tree.read)
        self._names = frozenset(file.name for file in world.files)

    def lacks(self, path: str, *, directories: bool) -> str:
        """What is wrong with the name, as the end of a sentence; empty where nothing is wrong, or that is unknown."""
        if path in self._names or any(posixpath.join(path, name) in self._names for name in FILE_NAMES):
            return ""
        try:
            real = self._world.real(path)
            if self._tree.link(path) is not None and real == path:
                return ""  # a link that leads nowhere: what it names may come with a checkout
        except OutsideError:
            return ""
        if self._tree.read(real) is not None:
            return ""
        if self._elsewhere(path) or self._ignored(path):
            return ""
        if self._is_directory(real):
            own = any(self._tree.read(posixpath.join(real, name)) is not None for name in FILE_NAMES)
            return "a directory without a kustomization" if directories and not own else ""
        return _ABSENT

    def _is_directory(self, path: str) -> bool:
        return self._tree.is_directory(path) or path in self._directories

    @cached_property
    def _directories(self) -> frozenset[str]:
        names = self._world.names() if self._world.names is not None else (file.name for file in self._world.files)
        found: set[str] = {"."}
        for name in names:
            here = posixpath.dirname(name)
            while here and here not in found:
                found.add(here)
                here = posixpath.dirname(here)
        return frozenset(found)

    def _elsewhere(self, path: str) -> bool:
        """Whether it lies in a submodule: what that holds is not in this repository."""
        return any(path == home or path.startswith(f"{home}/") for home in self._modules)

    @cached_property
    def _modules(self) -> tuple[str, ...]:
        text = (self._tree.read(".gitmodules") or b"").decode("utf-8", "replace")
        return tuple(re.findall(r"^\s*path\s*=\s*(\S+)\s*$", text, re.MULTILINE))
