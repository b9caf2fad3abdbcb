"""A run over many repositories: in children of this process, so that one that dies or stalls is told by its number."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from tests.fuzz.laws import Breach
from tests.fuzz.mutations import made, recipe
from tests.fuzz.trial import Sample, Trial, try_world

__all__ = ["Failed", "Summary", "apart", "fuzz", "sample_of"]

BATCH = 200
"""Repositories of one child: its memory begins anew with the next."""
STALLED = 400
"""Seconds after which a child that says nothing is ended."""
ADDRESSES = 4 << 30
"""Bytes that a child may take: more is an error of memory, not a machine that stands still."""
FORMS_EVERY, QUESTIONS_EVERY, ORDER_EVERY, REPAIRS_EVERY = 10, 30, 3, 3


@dataclass(frozen=True)
class Failed:
    """A repository of which a law does not hold."""

    number: int
    breaches: tuple[Breach, ...]


@dataclass
class Summary:
    """What a run found: failures, and how much was looked at in how many seconds."""

    seconds: float = 0.0
    looked: Counter[str] = field(default_factory=Counter)
    failed: list[Failed] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, 0)

    @property
    def kinds(self) -> dict[str, list[int]]:
        """The numbers of the repositories by the kind of what failed."""
        found: dict[str, list[int]] = {}
        for each in self.failed:
            for kind in dict.fromkeys(breach.kind for breach in each.breaches):
                found.setdefault(kind, []).append(each.number)
        return found


def sample_of(number: int) -> Sample:
    """What is looked at of a repository beside the laws that are cheap."""
    return Sample(
        forms=number % FORMS_EVERY == 0,
        questions=number % QUESTIONS_EVERY == 0,
        order=number % ORDER_EVERY == 0,
        repairs=number % REPAIRS_EVERY == 1,
    )


def fuzz(
    seed: str, count: int, seconds: float, tell: Callable[[Failed], None] = lambda _: None, first: int = 0
) -> Summary:
    """Try repositories, by number from ``first`` on, until there were ``count`` or the time is over."""
    summary = Summary()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="trainlint-fuzz-") as folder:
        os.environ["TRAINLINT_CACHE_DIR"] = str(Path(folder) / "cache")
        os.environ["GIT_CEILING_DIRECTORIES"] = folder
        number = first
        while number < first + count and time.monotonic() - begun < seconds:
            end = min(number + BATCH, first + count)
            for trial in _batch(seed, number, end, Path(folder) / "work", begun + seconds):
                summary.looked.update(trial.looked)
                summary.slowest = max(summary.slowest, (trial.slowest, number))
                if trial.breaches:
                    failed = Failed(number, tuple(trial.breaches))
                    summary.failed.append(failed)
                    tell(failed)
                number += 1
            print(f"{number - first} repositories in {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    summary.seconds = time.monotonic() - begun
    return summary


def _batch(seed: str, first: int, end: int, home: Path, until: float) -> Iterator[Trial]:
    """The trials of some numbers, made by a child; the last may be that of what killed it."""
    reader, writer = Pipe(duplex=False)
    child = apart(lambda: _work(seed, first, end, home, until, writer))
    writer.close()
    number = first
    try:
        while reader.poll(STALLED):
            try:
                yield reader.recv()
            except EOFError:
                break
            number += 1
        else:
            yield Trial([Breach("stalled", f"nothing was said for {STALLED} s")])
            number = end
    finally:
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        shutil.rmtree(home, ignore_errors=True)
    if number < end and os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGKILL:
        yield Trial([Breach("killed", f"by signal {os.WTERMSIG(status)}")])


def apart(work: Callable[[], None]) -> int:
    """A child that does some work with limited memory, on one core, as the leader of a group of processes."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, resource.getrlimit(resource.RLIMIT_AS)[1]))
        if hasattr(os, "sched_setaffinity"):
            # no more children: it is one process that is tried
            os.sched_setaffinity(0, {random.choice(sorted(os.sched_getaffinity(0)))})
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _work(seed: str, first: int, end: int, home: Path, until: float, writer: Connection) -> None:
    """Try repositories and say what came of them."""
    for number in range(first, end):
        if time.monotonic() > until and number > first:
            break
        writer.send(try_world(made(recipe(seed, number)), home, sample_of(number), f"{seed} {number}"))
