"""JSON Schemas: configuration, inventory, report, and the structure of the manifest kinds that are read."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["schema"]


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema ``name`` ("report"), as plain data; ``KeyError`` where there is no such schema."""
    file = files(__name__).joinpath(f"{name}.json")
    if not name.replace("-", "").replace("_", "").isalnum() or not file.is_file():
        raise KeyError(name)
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded
