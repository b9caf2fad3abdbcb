"""The paths that the configuration gives for a cluster, as names below the root of the world."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace

from trainlint.finding import Path, UsageError
from trainlint.model.settings import Settings
from trainlint.source.document import Document
from trainlint.source.glob import is_pattern, matches
from trainlint.source.library import Library
from trainlint.source.spans import locate
from trainlint.source.world import World

__all__ = ["located"]


def located(settings: Sequence[Settings], document: Document, world: World, base: str) -> tuple[Settings, ...]:
    """The settings with the files and directories that their paths stand for; ``base`` is where they count from.

    Raises:
        UsageError: a path that does not exist, or that leads out of the repository.
    """
    finder = _Finder(document, world, base, Library(world.files))
    return tuple(
        replace(
            each,
            paths=tuple(finder.all(each.paths, ("clusters", index, "paths"))),
            inventories=tuple(finder.all(each.inventories, ("clusters", index, "inventories"), files=True)),
        )
        for index, each in enumerate(settings)
    )


class _Finder:
    def __init__(self, document: Document, world: World, base: str, library: Library) -> None:
        self._document = document
        self._world = world
        self._base = "" if base == "." else base
        self._library = library

    def all(self, paths: Sequence[str], at: Path, *, files: bool = False) -> Iterator[str]:
        """Each file or directory once, in the order in which the configuration names them."""
        yield from dict.fromkeys(
            found for index, path in enumerate(paths) for found in self._one(path, (*at, index), files=files)
        )

    def _one(self, path: str, at: Path, *, files: bool) -> Iterator[str]:
        name = posixpath.normpath(posixpath.join(self._base, path))
        name = "" if name == "." else name
        if name.startswith(("..", "/")):
            raise UsageError(f"{self._place(at)}: {path} leads out of the repository")
        if is_pattern(path):
            found = [each for each in self._library.names if matches(each, name)]
            if not files:
                inside = [each for each in self._library.directories if each and matches(each, name)]
                found = [*sorted(inside), *(each for each in found if not _below(each, inside))]
            if not found and self._whole:
                raise UsageError(f"{self._place(at)}: no file matches {path}")
            yield from found
        elif name in self._library.directories and files:
            yield from (each for each in self._library.names if _below(each, [name]))
        elif name in self._library or name in self._library.directories or not self._missing(name):
            yield name
        else:
            raise UsageError(f"{self._place(at)}: {path} does not exist (paths count from {self._base or '.'})")

    def _missing(self, name: str) -> bool:
        """Whether a path is not there; unknown for a part of the repository, or a revision."""
        return self._world.on_disk and not (self._world.root / name).exists()

    @property
    def _whole(self) -> bool:
        return self._world.on_disk and self._world.root in self._world.trees

    def _place(self, at: Path) -> str:
        _, span = locate(self._document, at)
        return f"{self._document.file}:{span.line}:{span.column}: configuration: {'.'.join(map(str, at))}"


def _below(name: str, directories: Sequence[str]) -> bool:
    return any(not directory or name.startswith(f"{directory}/") for directory in directories)
