"""Versions as they are written in tags, ranges and fields."""

from __future__ import annotations

import re
from typing import Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["image_version", "stated_version"]

_EXACT: Final = lazy_pattern(r"[v=~^\s]*(\d+\.\d+(?:\.\d+)?)(?:\.[xX*])?(?:[-+].*)?")
_TAG: Final = lazy_pattern(
    r".*/[^/:]+:v?(\d+\.\d+(?:\.\d+)?)(?:[-+_.][\w.\-+]*)?(?:@.*)?|[^/:]+:v?(\d+\.\d+(?:\.\d+)?)"
)


def stated_version(text: str) -> str:
    """Major and minor, and the patch if it is fixed, of a version or a range within one minor version; else nothing.

    ``1.16.x``, ``~1.16.2`` and ``^1.16`` are some 1.16; ``>=1.15`` may be anything.
    """
    found = _EXACT.fullmatch(text.strip())
    if found is None:
        return ""
    exact = text.strip().lstrip("v=")[:1].isdigit() and not re.search(r"\.[xX*]$", text.strip())
    if text.strip().startswith("^"):
        return ""
    return found[1] if exact else ".".join(found[1].split(".")[:2])


def image_version(image: str) -> str:
    """The version that the tag of an image begins with; nothing for other tags."""
    found = _TAG.fullmatch(image.strip())
    return (found[1] or found[2] or "") if found is not None else ""
