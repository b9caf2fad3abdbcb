"""Whether the ignore files of a repository exclude a file, also one that is not there."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from trainlint.source.listing import simple_lines

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["IgnoreFiles"]


class IgnoreFiles:
    """Answers for names below the root of the world; ``read`` gives the content of a file, or ``None``."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._spec = cache(self._read_spec)

    def __call__(self, name: str) -> bool:
        """Whether Git ignores a file of this name, or a directory above it."""
        steps = name.split("/")
        above = ["/".join(steps[:count]) + "/" for count in range(1, len(steps))]
        return any(map(self._excluded, [*above, name]))

    def _excluded(self, name: str) -> bool:
        """What the nearest ignore file says that speaks of the name."""
        directory = posixpath.dirname(name.rstrip("/"))
        while True:
            spec = self._spec(directory)
            if spec is not None:
                include = spec.check_file(name[len(directory) + 1 :] if directory else name).include
                if include is not None:
                    return include
            if not directory:
                return False
            directory = posixpath.dirname(directory)

    def _read_spec(self, directory: str) -> GitIgnoreSpec | None:
        content = self._read(posixpath.join(directory, ".gitignore"))
        if content is None:
            return None
        from pathspec import GitIgnoreSpec  # noqa: PLC0415 (only where a file is missing)

        try:
            return GitIgnoreSpec.from_lines(simple_lines(content.decode("utf-8", "replace")))
        except ValueError:
            return None
