"""``python -m tests.hostile.measure``: the time and memory that hostile repositories take.

Writes every repository of ``tests.hostile.inputs`` into a temporary directory, checks it in a fresh process without a
cache, and prints what that took: seconds by the clock, seconds of the processor (with all children), the peak of
memory in MiB (the proportional set size of the process and all of its children together, asked for every 50 ms where
there is ``/proc``; elsewhere the largest process alone) and the exit code. The limits are 20 seconds and 1 GiB on two
cores (where other programs use the processors too, those of the processor): the program ends with 1 where an input
passes one of them, or makes trainlint end with another code than 0 or 1. A check that used three times as much of the
processor is ended, and so is one that waits for ten minutes.
Words as arguments choose the inputs whose names hold one of them; ``--list`` shows the names.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.inputs import INPUTS, Made
from tests.source.repositories import write

__all__ = ["Taken", "measured"]

SECONDS, MEMORY = 20.0, 1 << 30
PATIENCE, WAITED = 3 * SECONDS, 600.0
PAUSE = 0.05


@dataclass(frozen=True)
class Taken:
    """What a check took: seconds and bytes, and its exit code."""

    wall: float
    cpu: float
    peak: int
    code: int

    busy: bool
    """Whether other programs used the processors too."""

    @property
    def keeps(self) -> bool:
        """Whether it keeps to the limits, on a busy machine by the time of the processor."""
        seconds = min(self.wall, self.cpu) if self.busy else self.wall
        return seconds <= SECONDS and self.peak <= MEMORY and self.code in (0, 1)


def measured(made: Made, patience: float) -> Taken:
    """What a check of a repository takes; it is ended after so many seconds of the processor."""
    with tempfile.TemporaryDirectory(prefix="trainlint-hostile-") as folder:
        root, cache = Path(folder, "repository"), Path(folder, "cache")
        write(root, made.files())
        command = [sys.executable, "-I", "-m", "trainlint", "check", str(root), *made.options]
        if made.pipe:
            subprocess.run(command, env=_variables(cache), stdout=subprocess.DEVNULL, check=False)
            for entry in cache.glob("*"):
                entry.unlink()
                os.mkfifo(entry)
        return _run(
            command if made.pipe else [*command, "--no-cache"], _variables(cache), Path(folder, "said"), patience
        )


def _variables(cache: Path) -> dict[str, str]:
    return {**os.environ, "TRAINLINT_CACHE_DIR": str(cache)}


def _run(command: list[str], variables: dict[str, str], said: Path, patience: float) -> Taken:
    before, start, peak = os.times(), time.monotonic(), 0
    with said.open("wb") as output, subprocess.Popen(command, env=variables, stdout=output, stderr=output) as run:
        while run.poll() is None and time.monotonic() - start < WAITED:
            family = tuple(_family(run.pid))
            peak = max(peak, sum(map(_memory, family)))
            if sum(map(_used, family)) > patience:
                break
            time.sleep(PAUSE)
        wall = time.monotonic() - start
        if run.poll() is None:
            run.terminate()
        code = run.wait()
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return Taken(wall, cpu, peak or _largest(), code, busy=_is_busy())


def _is_busy() -> bool:
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > 1 + (os.cpu_count() or 1)


def _family(process: int) -> Iterator[int]:
    """A process and all that it started, and those started."""
    yield process
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        children = [int(each) for task in tasks for each in (task / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield from _family(child)


def _memory(process: int) -> int:
    """Bytes that a process takes, of shared ones its part."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)


def _used(process: int) -> float:
    """Seconds of the processor that a process used, with those of its children that have ended."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")


def _largest() -> int:
    try:
        import resource  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return 0
    found = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return found if sys.platform == "darwin" else found << 10


def main() -> None:
    """Measure the inputs that are asked for, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.measure", description=__doc__)
    parser.add_argument("words", nargs="*", help="only inputs whose names hold one of these")
    parser.add_argument("--list", action="store_true", help="show the names, and measure nothing")
    parser.add_argument(
        "--patience", type=float, default=PATIENCE, help="seconds of the processor after which a check is ended"
    )
    options = parser.parse_args()
    chosen = {name: made for name, made in INPUTS.items() if _asked(name, options.words)}
    if options.list:
        print("\n".join(chosen))
        return
    kept = True
    print(f"{'':52} wall s   CPU s     MiB  exit")
    for name, made in chosen.items():
        taken = measured(made, options.patience)
        kept = kept and taken.keeps
        mark = "  past the limits" if not taken.keeps else "  by the processor's time" if taken.wall > SECONDS else ""
        print(
            f"{name:52} {taken.wall:6.1f} {taken.cpu:7.1f} {taken.peak / 2**20:7.0f} {taken.code:5}{mark}", flush=True
        )
    print(f"limits: {SECONDS:g} s and {MEMORY >> 20} MiB: {'kept' if kept else 'exceeded'}")
    sys.exit(not kept)


def _asked(name: str, words: list[str]) -> bool:
    return not words or any(word in name for word in words)


if __name__ == "__main__":
    main()
