"""Releases of NCCL as numbers that compare."""

from __future__ import annotations

from typing import Final, TypeAlias

__all__ = ["NEWEST", "Release", "read_release", "write_release"]

Release: TypeAlias = tuple[int, ...]
"""Major, minor and patch, as far as they are said."""

NEWEST: Final[Release] = (2, 32, 3)
"""The newest release that was examined; what an image of unknown version is taken for."""


def read_release(text: str) -> Release | None:
    """The release in a text such as ``2.21.5`` or ``2.27.5-1``; ``None`` where there is none."""
    parts = text.split("-", 1)[0].split("+", 1)[0].split(".")
    if len(parts) < 2 or not all(part.isdecimal() and part.isascii() and len(part) < 5 for part in parts):
        return None
    return tuple(int(part) for part in parts)


def write_release(release: Release) -> str:
    """The release as people write it."""
    return ".".join(map(str, release))
