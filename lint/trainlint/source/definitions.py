"""Definitions of kinds without the structures of these, which are most of their bytes and are never read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.prefilter import top_kind
from trainlint.source.text import NotTextError, decode, split

__all__ = ["slim", "without_structures"]

DEFINITION: Final = "CustomResourceDefinition"
WORTH: Final = 1 << 16
"""Bytes from which on a file is worth the search."""

# The key, and all lines below it: those that are indented more, and empty ones.
_STRUCTURE: Final = lazy_pattern(r"^( +)openAPIV3Schema:[ ]*\n(?:(?:\1 .*|[ \t]*)\n)+", re.MULTILINE)


def without_structures(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files among those given that define kinds at length, as they are without the structures of these."""
    found = {name: slim(content) for name, content in files.items() if len(content) >= WORTH}
    return {name: content for name, content in found.items() if content is not None}


def slim(content: bytes) -> bytes | None:
    """A file without the structures that its definitions give; ``None`` if there is nothing to leave out."""
    if DEFINITION.encode() not in content or b"openAPIV3Schema:" not in content:
        return None
    try:
        parts = [part.text for part in split(decode(content))]
    except NotTextError:
        return None
    slimmer = [_slim(text) if top_kind(text) == DEFINITION else text for text in parts]
    return None if slimmer == parts else "---\n".join(slimmer).encode("utf-8", "surrogatepass")


def _slim(text: str) -> str:
    whole = text if text.endswith("\n") else f"{text}\n"
    return _STRUCTURE.sub(r"\1openAPIV3Schema: {type: object}\n", whole)
