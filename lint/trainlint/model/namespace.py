"""Namespaces as a snapshot knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

__all__ = ["METADATA_NAME", "Namespaces"]

METADATA_NAME: Final = "kubernetes.io/metadata.name"
"""The label that the API server gives every namespace: its name."""

Namespaces: TypeAlias = Mapping[str, Mapping[str, str] | None]
"""Each namespace that is defined or used, with its labels; ``None`` where no document says which it has."""
