"""A setting that is in force, and where it comes from."""

from __future__ import annotations

from enum import StrEnum

from trainlint.fact import fact

__all__ = ["EffectiveSetting", "Origin"]


class Origin(StrEnum):
    """Who said it."""

    FILE = "file"
    OPTION = "option"
    REPOSITORY = "repository"
    DEFAULT = "default"


@fact
class EffectiveSetting:
    """``name`` is the path in trainlint.yaml, ``detail`` the line, the option, or what it was read from."""

    name: str
    value: str | bool | tuple[str, ...]
    origin: Origin
    detail: str = ""
