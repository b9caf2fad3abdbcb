"""Symbolic links of a tree that is not on disk."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Final

__all__ = ["follow"]

_MAX_LINKS: Final = 40  # like Linux


def follow(name: str, links: Mapping[str, str]) -> str | None:
    """Where a name leads, ``.`` for the root; ``None`` if that is outside of it, or if links lead in a circle.

    ``links`` maps the names of links, relative to the root, to what is written in them.
    """
    waiting = list(reversed(posixpath.normpath(name).split("/")))
    done: list[str] = []
    followed = 0
    while waiting:
        step = waiting.pop()
        if step in ("", "."):
            continue
        if step == "..":
            if not done:
                return None
            done.pop()
            continue
        target = links.get("/".join((*done, step)))
        if target is None:
            done.append(step)
            continue
        followed += 1
        if target.startswith("/") or followed > _MAX_LINKS:
            return None
        waiting += reversed(target.split("/"))
    return "/".join(done) or "."
