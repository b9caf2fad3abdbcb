"""What keeps a program in, where the system has it: an empty network of its own, and a limit of memory."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from trainlint.source import landlock
from trainlint.source.found import found

__all__ = ["MAX_MEMORY", "alone", "kept_to", "limited"]

MAX_MEMORY: Final = 4 << 30
"""Bytes of a program that renders; the largest public kustomization takes a fifth of it."""

_SECONDS: Final = 5.0


@cache
def alone() -> tuple[str, ...]:
    """What to put before a command so that it has no network, not even that of this machine; empty where the system
    does not let us.
    """
    program = found("unshare") if sys.platform == "linux" else None
    if program is None:
        return ()
    command = (program, "--user", "--net", "--")
    nothing = subprocess.DEVNULL
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        tried = subprocess.run(  # noqa: S603 (fixed command, no shell)
            [*command, program, "--version"],
            check=False,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            timeout=_SECONDS,
        )
        return command if tried.returncode == 0 else ()
    return ()


def kept_to(home: Path) -> tuple[str, ...]:
    """What to put before a command so that it has no files but those of the system and of one directory."""
    return (sys.executable, "-I", "-S", landlock.__file__, str(home)) if sys.platform == "linux" else ()


def limited(process: int) -> None:
    """Let a process have no more memory than rendering needs, where the system can say so."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 (not on Windows)

        with contextlib.suppress(OSError, ValueError):  # it may have ended
            resource.prlimit(process, resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
            resource.prlimit(process, resource.RLIMIT_CORE, (0, 0))
