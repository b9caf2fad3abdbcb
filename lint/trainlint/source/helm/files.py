"""All files of a chart, manifests or not, from the disk or from a revision: what is copied before anything renders."""

from __future__ import annotations

import os
import posixpath
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

from trainlint.source.git import GitError
from trainlint.source.helm.chart import CHART_FILE, in_chart
from trainlint.source.links import follow
from trainlint.source.listing import git_files
from trainlint.source.world import World

__all__ = ["ChartFiles", "RefusedChartError"]

MAX_FILES: Final = 20_000
MAX_BYTES: Final = 64 << 20
"""Limits of one chart with all charts inside it."""


class RefusedChartError(Exception):
    """A chart whose files are not read; the message says why, ``remedy`` what would help."""

    def __init__(self, why: str, remedy: str = "") -> None:
        super().__init__(why)
        self.remedy = remedy


class ChartFiles:
    """Reads the charts of a world. Links are followed inside the repository, and nowhere else."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._root = os.path.realpath(world.root)
        self._known = {file.name: file for file in world.files}

    def below(self, directory: str) -> dict[str, tuple[str, bytes]]:
        """Each file of a chart by its name inside the chart: its real name, and its content.

        What Git ignores is left out, but for ``charts/``: that is where ``helm dependency build`` puts things.

        Raises:
            RefusedChartError: a link leads out of the repository, a file cannot be read, or there is too much.
        """
        found: dict[str, tuple[str, bytes]] = {}
        size = 0
        for inside, name in self._names(directory):
            try:
                content = self._read(name)
            except (OSError, GitError) as error:
                raise RefusedChartError(f"{name} cannot be read: {error}") from None
            if content is None:
                continue
            found[inside] = (name, content)
            size += len(content)
            if len(found) > MAX_FILES or size > MAX_BYTES:
                why = f"it has more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB"
                raise RefusedChartError(why, "give the chart a directory of its own")
        return found

    def read(self, name: str) -> bytes | None:
        """One file by its name in the world, ``None`` if there is none. Raises RefusedChartError."""
        if name.startswith("/") or posixpath.normpath(name).startswith(".."):
            raise RefusedChartError(f"{name} is outside of the repository")
        try:
            if self._world.on_disk:
                name = next((real for _, real in self._on_disk(name, name, frozenset())), name)
            return self._read(name)
        except (OSError, GitError) as error:
            raise RefusedChartError(f"{name} cannot be read: {error}") from None

    def holds(self, directory: str) -> bool:
        """Whether there is a chart in a directory."""
        return in_chart(directory, CHART_FILE) in self._known

    def _names(self, directory: str) -> Iterator[tuple[str, str]]:
        """The names of a chart's files, inside it and where they really are."""
        listed = self._below(directory)
        if not self._world.on_disk:
            yield from self._linked(listed)
            if any(inside.startswith("charts/") for inside, _ in listed):
                return
        elif any(inside == CHART_FILE for inside, _ in listed):
            yield from (
                pair
                for each in listed
                if not each[0].startswith("charts/")
                for pair in self._on_disk(*each, frozenset())
            )
        else:  # outside Git, or in a repository inside this one
            yield from self._walk(directory, "", frozenset())
            return
        yield from self._walk(in_chart(directory, "charts"), "charts", frozenset())

    def _below(self, directory: str) -> list[tuple[str, str]]:
        if directory == ".":
            return [(name, name) for name in self._listing]
        prefix = f"{directory}/"
        start = bisect_left(self._listing, prefix)
        found = []
        for name in self._listing[start:]:
            if not name.startswith(prefix):
                break
            found.append((name.removeprefix(prefix), name))
        return found

    @cached_property
    def _listing(self) -> list[str]:
        """All names of the world, sorted."""
        if self._world.names is not None:
            return sorted(self._world.names())
        return sorted(git_files(Path(self._root)) or ())

    def _on_disk(self, inside: str, name: str, above: frozenset[str]) -> Iterator[tuple[str, str]]:
        path = os.path.join(self._root, name)  # noqa: PTH118 (thousands of names)
        if not os.path.islink(path):  # noqa: PTH114
            yield inside, name
            return
        real = os.path.realpath(path)
        if os.path.commonpath([real, self._root]) != self._root:
            raise RefusedChartError(f"the symbolic link {name} leads out of the repository", "put a copy in its place")
        target = os.path.relpath(real, self._root)
        if Path(real).is_dir():
            yield from self._walk(target, inside, above)
        else:
            yield inside, target

    def _walk(self, directory: str, inside: str, above: frozenset[str]) -> Iterator[tuple[str, str]]:
        """All files below a directory of the disk, hidden directories left out; ``above`` are those it stands in."""
        real = os.path.realpath(os.path.join(self._root, directory))  # noqa: PTH118
        if real in above or not Path(real).is_dir():
            return
        above |= {real}
        with os.scandir(real) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
        for entry in entries:
            name, here = in_chart(directory, entry.name), f"{inside}/{entry.name}".lstrip("/")
            if entry.is_symlink():
                yield from self._on_disk(here, name, above)
            elif entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith("."):
                    yield from self._walk(name, here, above)
            elif entry.is_file(follow_symlinks=False):
                yield here, name

    def _linked(self, listed: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        links = self._world.links or {}
        for inside, name in listed:
            if name not in links:
                yield inside, name
                continue
            target = follow(name, links)
            if target is None:
                raise RefusedChartError(
                    f"the symbolic link {name} leads out of the repository", "put a copy in its place"
                )
            below = self._below(target)
            if below:
                yield from ((f"{inside}/{rest}", real) for rest, real in below if real not in links)
            else:
                yield inside, target

    def _read(self, name: str) -> bytes | None:
        known = self._known.get(name)
        if known is not None:
            return known.read()
        if self._world.blob is not None:
            found = self._world.blob(name)
            if found is not None:
                return found
        path = Path(self._root, name)
        if not path.is_file():
            return None
        if path.stat().st_size > MAX_BYTES:
            raise RefusedChartError(f"{name} is larger than {MAX_BYTES >> 20} MiB")
        return path.read_bytes()
