"""The files that are read together, and what each of them holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Unknown
from trainlint.source.links import follow

__all__ = ["CHART_FILE", "STDIN", "SourceFile", "World"]

STDIN: Final = "<stdin>"

CHART_FILE: Final = "Chart.yaml"
"""The file by which a directory is a Helm chart."""


@fact
class SourceFile:
    """A file that may hold manifests. ``name`` is its POSIX path below the world's root, as reports show it.

    ``chart`` is the Helm chart (a directory, named likewise) whose template the file is, or empty.
    """

    path: str
    name: str
    chart: str = ""
    content: bytes | None = field(default=None, repr=False, compare=False)

    def size(self) -> int:
        """The bytes of the file. Raises OSError."""
        return len(self.content) if self.content is not None else Path(self.path).stat().st_size

    def read(self) -> bytes:
        """The bytes of the file. Raises OSError."""
        if self.content is not None:
            return self.content
        with open(self.path, "rb", buffering=0) as stream:  # noqa: PTH123 (read at once: a buffer is of no use)
            return stream.read()

    def read_up_to(self, limit: int) -> bytes | None:
        """The bytes of the file; ``None`` if there are more than ``limit``. Raises OSError."""
        if self.content is not None:
            return self.content if len(self.content) <= limit else None
        with open(self.path, "rb", buffering=0) as stream:  # noqa: PTH123
            size = os.fstat(stream.fileno()).st_size
            if size > limit:
                return None
            content = stream.read(size + 1)  # most files in one step; none of them is known to be as long as it says
            return content if len(content) == size else content + stream.read()


@fact
class World:
    """All files that are read together.

    ``root`` is the root of the Git work tree, outside Git the directory that was named. ``scope`` holds the names to
    which the report is narrowed (``None``: all of them). ``configs`` are trainlint's own configuration files.
    ``trees`` are the directories below which all manifests were read. ``links`` are the symbolic links of a world that
    is not on disk, and where they lead; ``blob`` gives what such a world holds under a name, manifest or not, ``names``
    all the names. ``vendored`` are directories of other projects' code, which are not read, with the number of
    manifests in each.
    """

    root: Path
    files: tuple[SourceFile, ...]
    scope: frozenset[str] | None = None
    unknowns: tuple[Unknown, ...] = ()
    configs: tuple[SourceFile, ...] = ()
    trees: tuple[Path, ...] = ()
    links: Mapping[str, str] | None = None
    vendored: Mapping[str, int] = field(default_factory=dict)
    blob: Callable[[str], bytes | None] | None = field(default=None, repr=False, compare=False)
    names: Callable[[], Iterable[str]] | None = field(default=None, repr=False, compare=False)

    @property
    def on_disk(self) -> bool:
        """Whether it is the work tree, and not a revision read from Git's objects."""
        return self.links is None

    def real(self, name: str) -> str:
        """The name of the file or directory to which ``name`` leads through symbolic links, if that is in the world."""
        if self.links is not None:
            return follow(name, self.links) or name
        try:
            target = os.path.relpath(os.path.realpath(self.root / name), self.root)
        except (OSError, ValueError):  # a name with a NUL in it, as written in a kustomization
            return name
        return name if target.startswith("..") else Path(target).as_posix()
