"""Directories that hold other projects' code: their manifests are fixtures and samples, never what is deployed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

__all__ = ["vendored_home"]

_COPIES: Final = frozenset({".terraform", ".tox", ".venv", "node_modules", "site-packages"})
"""Directories into which package managers copy what others wrote."""


def vendored_home(name: str, has: Callable[[str], bool], trees: Iterable[str] = ()) -> str:
    """The directory in which a file was copied in with the code of another project; empty if it was not.

    These are the copies of package managers, and vendor where Go made it: ``has`` tells whether a file of that name is
    there. ``trees`` are the directories (``""`` or with a slash at the end) that were named: one inside a copy is read.
    """
    steps = name.split("/")[:-1]
    if "vendor" not in steps and _COPIES.isdisjoint(steps):
        return ""
    inside = max((tree.count("/") for tree in trees if name.startswith(tree)), default=0)
    for depth, step in enumerate(steps[inside:], inside):
        home = "/".join(steps[: depth + 1])
        if step in _COPIES or (step == "vendor" and has(f"{home}/modules.txt")):
            return home
    return ""
