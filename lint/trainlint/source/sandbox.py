"""What keeps a program in, where the system has it: an empty network of its own, and a limit of memory."""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from trainlint.source import landlock
from trainlint.source.executables import executable

__all__ = ["MAX_HELD", "MAX_MEMORY", "alone", "kept_to", "limited", "seconds_of"]

MAX_MEMORY: Final = 4 << 30
"""Addresses of a program that renders: it reserves far more than it holds."""
MAX_HELD: Final = 450 << 20
"""Bytes that it holds; two of them run at a time."""

_SECONDS: Final = 5.0


@cache
def alone() -> tuple[str, ...]:
    """What to put before a command so that it has no network, not even that of this machine; empty where the system
    does not let us.
    """
    program = executable("unshare") if sys.platform == "linux" else None
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


def limited(process: int, seconds: float) -> None:
    """Let a process have no more memory than rendering needs, and so many seconds of the processor, where the system
    can say so.
    """
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 (not on Windows)

        with contextlib.suppress(OSError, ValueError):  # it may have ended
            resource.prlimit(process, resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
            resource.prlimit(process, resource.RLIMIT_DATA, (MAX_HELD, MAX_HELD))
            most = math.ceil(seconds)
            resource.prlimit(process, resource.RLIMIT_CPU, (most, most))
            resource.prlimit(process, resource.RLIMIT_CORE, (0, 0))


def seconds_of(process: int) -> float:
    """Seconds of the processor that a process took, with those of its children; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0.0
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0.0
    own = sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(seconds_of(int(child)) for child in children)
