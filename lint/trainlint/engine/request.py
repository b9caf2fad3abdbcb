"""The request of one run."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from pathlib import Path

from trainlint.config.choices import Choices
from trainlint.engine.progress import Progress
from trainlint.fact import fact

__all__ = ["CheckRequest", "Repairs"]


class Repairs(StrEnum):
    """Which repairs are looked for."""

    EACH = "each"
    """All, each about the repository as it is: to be shown."""
    SAFE = "safe"
    """Those that cannot change what already works, one after the other: to be applied."""
    ALL = "all"
    """All but those that admit more traffic, one after the other: to be applied."""


@fact
class CheckRequest:
    """What is asked about a world: the parameters of ``check`` but for those that say where it is read from."""

    paths: tuple[Path, ...]
    config: Path | None
    given: Choices
    progress: Progress
    today: dt.date
    base: str | None
    baseline: Path | None
    graphs: bool
    repairs: Repairs | None
