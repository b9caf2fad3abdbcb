"""Something that is refused, in terms of plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from trainlint.fact import fact
from trainlint.finding import Location, Path
from trainlint.model.because import Because
from trainlint.model.refuser import Refuser

__all__ = ["API_SERVER", "KUBERNETES", "Problem"]

API_SERVER = Because(Refuser.API_SERVER)
KUBERNETES = "Kubernetes"
"""Whose release decides where the API server refuses something only since one."""


@fact
class Problem:
    """What is refused at a path below what was looked at, and why.

    ``by`` is who refuses it. ``what`` is what it refuses where that is not the object, but is made of it.
    ``cause`` is equal for the same fault in several roles. ``related`` are other paths, each with its role.
    ``put`` is a value that fixes it, at a path. ``assumes`` says on what the refusal rests: then it is likely.
    ``unmade`` says that nothing is refused, and the job has no pods or cannot run all the same. ``lacks`` is the key
    that is missing at the path. ``since`` is the operator whose release decides, with the first one that refuses it:
    likely, unless Git says which one is installed. ``unknown`` says that it is not known whether it is refused.
    ``elsewhere`` are places in other objects, each with its role.
    """

    at: Path
    why: Because
    cause: str
    by: Because = API_SERVER
    what: Because | None = None
    related: tuple[tuple[Because, Path], ...] = ()
    evidence: Mapping[str, str | int] = field(default_factory=dict)
    put: tuple[Path, Any] | None = None
    assumes: tuple[Because, ...] = ()
    unmade: bool = False
    lacks: str = ""
    since: tuple[str, tuple[int, int]] | None = None
    unknown: bool = False
    elsewhere: tuple[tuple[Because, Location], ...] = ()
