"""Directories that hold other projects' code: their manifests are fixtures and samples, never what is deployed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["vendored_home"]


def vendored_home(name: str, has: Callable[[str], bool], trees: Iterable[str] = ()) -> str:
    """The directory in which a file was copied in with somebody else's code; empty if it was not.

    node_modules, and vendor where Go made it: ``has`` tells whether a file of that name is there. ``trees`` are the
    directories (``""`` or with a slash at the end) that were named: whoever names one inside wants to read it.
    """
    if "node_modules/" not in name and "vendor/" not in name:
        return ""
    inside = max((tree.count("/") for tree in trees if name.startswith(tree)), default=0)
    steps = name.split("/")[:-1]
    for depth, step in enumerate(steps[inside:], inside):
        home = "/".join(steps[: depth + 1])
        if step == "node_modules" or (step == "vendor" and has(f"{home}/modules.txt")):
            return home
    return ""
