"""Paths as kustomizations write them."""

from __future__ import annotations

import posixpath

__all__ = ["joined"]


def joined(directory: str, entry: str) -> str | None:
    """A path relative to a directory as one below the root of the repository; ``None`` if it leads out of it."""
    name = posixpath.normpath(posixpath.join(directory, entry))
    if name.startswith(("/", "../")) or name == "..":
        return None
    return "" if name == "." else name
