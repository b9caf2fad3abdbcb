"""A kustomization as it is written into the copy that kustomize reads."""

from __future__ import annotations

import json
from typing import Any, Final

from trainlint.finding import Location
from trainlint.source.safe_kustomization import RefusedError

__all__ = ["MAX_BYTES", "not_empty", "written"]

MAX_BYTES: Final = 64 << 20
"""Bytes of all files together that are copied for one root."""


def written(file: str, data: dict[str, Any]) -> bytes:
    """The text of a kustomization.

    Raises:
        RefusedError: it is too large, or JSON cannot say it.
    """
    if _is_longer(data, MAX_BYTES):  # aliases may stand for far more than is written
        raise RefusedError(f"it is larger than {MAX_BYTES >> 20} MiB", Location(file, 0), "split it")
    try:
        return json.dumps(data, allow_nan=False).encode()
    except ValueError:
        raise RefusedError("it holds a number that JSON has no word for", Location(file, 0), "fix it") from None


def not_empty(data: dict[str, Any]) -> dict[str, Any]:
    """A kustomization of which something is left: kustomize refuses one that says nothing."""
    said = {key for key, value in data.items() if value and key not in ("apiVersion", "kind", "metadata")}
    return data if said else {**data, "buildMetadata": ["originAnnotations"]}


def _is_longer(data: Any, limit: int) -> bool:
    """Whether a value takes more than ``limit`` characters, told without writing them."""
    pending = [data]
    while pending and limit >= 0:
        here = pending.pop()
        if isinstance(here, dict):
            pending += here.values()
            limit -= sum(map(len, here))
        elif isinstance(here, list):
            pending += here
        limit -= len(here) if isinstance(here, str) else 4
    return limit < 0
