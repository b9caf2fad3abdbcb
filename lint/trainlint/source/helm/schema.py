"""Schemas of values (``values.schema.json``): those that need nothing but themselves."""

from __future__ import annotations

import json
from typing import Any, Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["is_closed"]

_REFERENCES: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_BASES: Final = frozenset({"$id", "id"})
_DRAFTS: Final = lazy_pattern(r"https?://json-schema\.org/(?:draft-0[3-7]/schema|draft/20\d\d-\d\d/schema)#?")
MAX_BYTES: Final = 4 << 20


class _OpenError(ValueError):
    """It refers to something else."""


def is_closed(content: bytes) -> bool:
    """Whether a schema is JSON that all parsers read in the same way, and refers to nothing outside of itself.

    With an ``$id``, references to itself may be to an address as well, so that such a schema may have none.
    """
    found: set[str] = set()

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        for key, value in pairs:
            if not isinstance(value, str):
                continue
            if (key in _REFERENCES and not value.startswith("#")) or (
                key == "$schema" and not _DRAFTS.fullmatch(value)
            ):
                raise _OpenError
            if key in _REFERENCES:
                found.add("reference")
            elif key in _BASES:
                found.add("base")
        if len({key for key, _ in pairs}) != len(pairs):
            raise _OpenError
        return dict(pairs)

    try:
        if len(content) > MAX_BYTES:
            return False
        json.loads(content.decode("utf-8"), object_pairs_hook=members)
    except (ValueError, RecursionError):
        return False
    return found != {"reference", "base"}
