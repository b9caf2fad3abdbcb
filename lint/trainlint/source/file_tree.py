"""The files of a world and of the repository around it: what a renderer may read, manifest or not."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import Final

from trainlint.source.git import GitError
from trainlint.source.links import follow
from trainlint.source.world import World

__all__ = ["MAX_FILE", "OutsideError", "Tree"]

MAX_FILE: Final = 64 << 20
"""Bytes up to which a file is read."""


class OutsideError(Exception):
    """A name that leads out of the repository; the message says how."""


class Tree:
    """Reads by names below the root of a world; each file once.

    What the world says about a file wins over the disk: it may be a revision, or hold what is not saved yet.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._files = {file.name: file for file in world.files}
        self._root = os.path.realpath(world.root)
        self._contents: dict[str, bytes | None] = {}
        self._links: dict[str, str | None] = {}

    def read(self, name: str) -> bytes | None:
        """The content of a file by its real name, or ``None`` if there is none (or none that can be read)."""
        if name not in self._contents:
            try:
                self._contents[name] = self._read(name)
            except (OSError, ValueError, GitError):  # names are as written: perhaps too long, or with a NUL
                self._contents[name] = None
        return self._contents[name]

    def read_no_link(self, name: str) -> bytes | None:
        """The content of a file that is no symbolic link, as Git reads its own; ``None`` where there is no such
        file.
        """
        try:
            return self.read(name) if self.link(name) is None else None
        except OutsideError:
            return None

    def _read(self, name: str) -> bytes | None:
        file = self._files.get(name)
        if file is not None:
            return file.read() if file.size() <= MAX_FILE else None
        if not self._world.on_disk:
            return self._world.blob(name) if self._world.blob is not None else None
        path = Path(self._root, name)
        return path.read_bytes() if path.is_file() and path.stat().st_size <= MAX_FILE else None

    def link(self, name: str) -> str | None:
        """What is written in the symbolic link of that name, relative to where it stands; ``None`` if it is no link.

        Raises:
            OutsideError: it leads out of the repository.
        """
        if name not in self._links:
            self._links[name] = self._link(name)
        return self._links[name]

    def _link(self, name: str) -> str | None:
        links = self._world.links
        if links is not None:
            text = links.get(name)
            if text is not None and follow(name, links) is None:
                raise OutsideError(f"the symbolic link {name} leads out of the repository, or nowhere")
            return text
        path = Path(self._root, name)
        try:
            if not path.is_symlink():
                return None
            real = os.path.realpath(path)
        except (OSError, ValueError):
            return None
        if os.path.commonpath([real, self._root]) != self._root:
            raise OutsideError(f"the symbolic link {name} leads out of the repository")
        text = path.readlink().as_posix()
        return posixpath.relpath(text, Path(self._root, posixpath.dirname(name)).as_posix()) if text[0] == "/" else text

    def is_directory(self, name: str) -> bool:
        """Whether there is a directory of that name; not asked of a revision."""
        try:
            return self._world.on_disk and Path(self._root, name).is_dir()
        except (OSError, ValueError):
            return False
