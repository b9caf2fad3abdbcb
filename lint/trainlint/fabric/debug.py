"""NCCL_DEBUG and NCCL_DEBUG_SUBSYS as NCCL's releases read them (N 2.3; recorded)."""

from __future__ import annotations

from typing import Final

from trainlint.fabric.release import NEWEST, Release

__all__ = ["SUBSYSTEMS", "read_debug_level", "read_subsystems", "shows"]

SUBSYSTEMS: Final = (
    "INIT", "COLL", "P2P", "SHM", "NET", "GRAPH", "TUNING", "ENV", "ALLOC", "ALLOC_HOST", "CALL", "PROXY", "NVLS",
    "BOOTSTRAP", "REG", "PROFILE", "RAS", "DESTROY",
)  # fmt: skip
DEFAULT: Final = frozenset({"INIT", "ENV", "BOOTSTRAP"})
_LEVELS: Final = ("VERSION", "WARN", "ATTN", "INFO", "ABORT", "TRACE")
_TYPED: Final[Release] = (2, 30)
"""From here on blanks are trimmed, and one unknown subsystem drops the whole list."""
_ATTN: Final[Release] = (2, 32)
_BLANK: Final = " \t\n\v\f\r"


def read_debug_level(text: str, release: Release = NEWEST) -> str | None:
    """The level's name; ``None`` where the text is none, and nothing is logged."""
    word = (text.strip(_BLANK) if release >= _TYPED else text).upper()
    if word not in _LEVELS or (word == "ATTN" and release < _ATTN):
        return None
    return word


def read_subsystems(text: str | None, release: Release = NEWEST) -> frozenset[str] | None:
    """The subsystems that are logged; ``None`` means the text was refused and the default stays (2.30 and newer)."""
    if text is None:
        return DEFAULT
    typed = release >= _TYPED
    text = text.strip(_BLANK) if typed else text
    inverted = text.startswith("^")
    words = [word.strip(_BLANK) if typed else word for word in text[inverted:].split(",")]
    named: set[str] = set()
    for word in (word.upper() for word in words if word):
        if word == "ALL":
            named.update(SUBSYSTEMS)
        elif word in SUBSYSTEMS:
            named.add(word)
        elif typed:
            return None
    return frozenset(SUBSYSTEMS) - named if inverted else frozenset(named)


def shows(level: str | None, subsystems: frozenset[str] | None, subsystem: str) -> bool:
    """Whether INFO lines of a subsystem appear."""
    if level is None or _LEVELS.index(level) < _LEVELS.index("INFO"):
        return False
    return subsystem in (DEFAULT if subsystems is None else subsystems)
