"""Directories that hold other projects' code: their manifests are fixtures and samples, never what is deployed."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["vendored_home"]


def vendored_home(name: str, has: Callable[[str], bool]) -> str:
    """The directory in which a file was copied in with somebody else's code; empty if it was not.

    node_modules, and vendor where Go made it: ``has`` tells whether a file of that name is there.
    """
    if "node_modules/" not in name and "vendor/" not in name:
        return ""
    steps = name.split("/")[:-1]
    for depth, step in enumerate(steps):
        home = "/".join(steps[: depth + 1])
        if step == "node_modules" or (step == "vendor" and has(f"{home}/modules.txt")):
            return home
    return ""
