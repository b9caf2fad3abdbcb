"""JSON Schemas: configuration, inventory, report, and the structure of the manifest kinds that are read, with what the
CRDs of operators demand of values.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["kind_limits", "kind_schema", "schema"]


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema ``name`` ("report"), as plain data; ``KeyError`` where there is no such schema."""
    file = files(__name__).joinpath(f"{name}.json")
    if not name.replace("-", "").replace("_", "").isalnum() or not file.is_file():
        raise KeyError(name)
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


def kind_schema(api_version: str, kind: str) -> dict[str, Any] | None:
    """The structure of a manifest kind; ``None`` if it is not here. An empty kind gives the types of Kubernetes."""
    name = f"{api_version.replace('/', '_')}_{kind}.json" if kind else "kubernetes.json"
    return _read("kinds", name)


def kind_limits(api_version: str, kind: str) -> dict[str, Any] | None:
    """What the CRD of a kind demands of values beyond their types; ``None`` if it is not here.

    A JSON Schema of such keywords alone, with ``rules`` in CEL, ``default``, and ``form`` (a format that CEL reads as
    another type). ``since`` says by keyword which release of the ``operator`` is the first to demand it, where that is
    not the oldest one that was looked at. ``release`` is the newest one, ``from`` the first with the kind.
    """
    return _read("limits", f"{api_version.replace('/', '_')}_{kind}.json")


def _read(within: str, name: str) -> dict[str, Any] | None:
    folder = files(__name__).joinpath(within)
    found = next((file for file in folder.iterdir() if file.name == name), None)
    if found is None:
        return None
    loaded: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
    return loaded
