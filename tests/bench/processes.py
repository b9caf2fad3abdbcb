"""What a command costs in a fresh process."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

__all__ = ["Cost", "interleaved"]


@dataclass(frozen=True)
class Cost:
    """Medians over some runs, in seconds; ``peak`` is the largest resident set, in bytes."""

    wall: float
    cpu: float
    peak: int
    runs: int


def interleaved(commands: Sequence[Sequence[str]], runs: int, caches: Path) -> list[Cost]:
    """The cost of each command. They take turns, so that a busy machine is busy for all of them.

    Bytecode is cached in the directory ``caches``, as it is after an installation, even where it is switched off.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(caches)
    measured: list[list[tuple[float, float, int]]] = [[] for _ in commands]
    for command in commands:
        _run(command, environment)  # fills the caches: bytecode, files
    for _ in range(runs):
        for taken, command in zip(measured, commands, strict=True):
            taken.append(_run(command, environment))
    return [
        Cost(
            wall=median(wall for wall, _, _ in taken),
            cpu=median(cpu for _, cpu, _ in taken),
            peak=max(peak for _, _, peak in taken),
            runs=runs,
        )
        for taken in measured
    ]


def _run(command: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float, int]:
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stderr is not None
        complaint = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}\n{complaint.decode(errors='replace')}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
