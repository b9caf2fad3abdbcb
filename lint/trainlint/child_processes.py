"""The programs that were started here and have not ended: a run that breaks off ends them before itself."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

__all__ = ["end_all", "ended", "started"]

_running: set[int] = set()


def started(process: int) -> None:
    """Know of a process, which ends with this one."""
    _running.add(process)


def ended(process: int) -> None:
    """Forget a process that has ended."""
    _running.discard(process)


def end_all() -> None:
    """End all processes that were started here."""
    for process in tuple(_running):
        with suppress(OSError):
            os.kill(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
