"""A progress bar for runs that take long enough to wonder."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Final

__all__ = ["Progress"]

PATIENCE: Final = 1.0
"""Seconds before the bar appears."""
INTERVAL: Final = 0.1
BAR: Final = 24


class Progress:
    """Call it with (stage, done, total); it draws on standard error, only if that is a terminal."""

    def __init__(self, *, enabled: bool = True) -> None:
        self.terminal = enabled and sys.stderr.isatty()
        self.started = self.drawn = time.monotonic()
        self.visible = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.visible:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Say how far ``stage`` is; cheap enough to be called for every file."""
        now = time.monotonic()
        if not self.terminal or now - self.started < PATIENCE or now - self.drawn < INTERVAL:
            return
        self.drawn = now
        self.visible = True
        filled = BAR * done // total if total > 0 else 0
        sys.stderr.write(f"\r\x1b[K{stage} [{'#' * filled}{'.' * (BAR - filled)}] {done}/{total}")
        sys.stderr.flush()
