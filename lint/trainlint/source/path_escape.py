"""Texts that would lead out of the repository if they were paths: what keeps a restriction that could be lifted."""

from __future__ import annotations

import posixpath
from typing import Any, Final

__all__ = ["NO_PATHS", "astray"]

NO_PATHS: Final = frozenset(
    {"annotations", "commonAnnotations", "commonLabels", "jsonOp", "labels", "literals", "patch", "target"}
)
"""Fields of kustomizations and their plugins that hold content, never names of files."""


def astray(data: Any, directory: str) -> bool:
    """Whether a kustomization or a plugin's configuration holds such a text, seen from the ``directory``."""
    if isinstance(data, dict):
        return any(astray(value, directory) for key, value in data.items() if key not in NO_PATHS)
    if isinstance(data, list):
        return any(astray(value, directory) for value in data)
    return isinstance(data, str) and any(_leads_out(directory, text) for text in (data, data.partition("=")[2]))


def _leads_out(directory: str, text: str) -> bool:
    name = posixpath.normpath(posixpath.join(directory, text))
    return name.startswith(("/", "../")) or name == ".."
