"""One repository: written, checked as the command does, and all laws looked at."""

from __future__ import annotations

import random
import resource
import shutil
import signal
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tests.fuzz.forms import CONFIGURATION, breaches_of_forms, breaches_of_questions
from tests.fuzz.laws import Breach, breaches
from tests.fuzz.order import breaches_of_order, reordered
from tests.fuzz.packing import breaches_of_packing
from tests.fuzz.repairs import breaches_of_repairs
from tests.fuzz.worlds import World

from trainlint.engine.check import check
from trainlint.engine.request import Repairs
from trainlint.finding import UsageError
from trainlint.result import Result

__all__ = ["SECONDS", "Sample", "Trial", "try_world"]

SECONDS = 20
"""Processor time of one check at most."""
MEGABYTES = 1024
"""Memory of the process at most."""


class TooLong(BaseException):  # nothing that rules raise, so that nothing catches it
    """A check used up its time."""


@dataclass(frozen=True)
class Sample:
    """Which of the dear laws are looked at."""

    forms: bool = True
    questions: bool = True
    order: bool = True
    repairs: bool = True


@dataclass
class Trial:
    """What came of a repository: the laws that do not hold, and how often each was looked at."""

    breaches: list[Breach] = field(default_factory=list)
    looked: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0


def try_world(world: World, home: Path, sample: Sample, seed: str) -> Trial:
    """Look at all laws for one repository, below a directory that is emptied afterwards."""
    trial = Trial()
    root, out = home / "repository", home / "out"
    out.mkdir(parents=True, exist_ok=True)
    try:
        world = _written(root, world)
        for breach in _tried(trial, world, root, out, sample, seed):
            trial.breaches.append(breach)
    except TooLong:
        trial.breaches.append(Breach("time", f"more than {SECONDS} s for the check of a repair or of another order"))
    except Exception as error:
        trial.breaches.append(Breach("exception", _told(error)))
    finally:
        shutil.rmtree(root, ignore_errors=True)
        shutil.rmtree(home / "other", ignore_errors=True)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if used > MEGABYTES:
        trial.breaches.append(Breach("memory", f"the process took {used} MiB"))
    return trial


def _tried(trial: Trial, world: World, root: Path, out: Path, sample: Sample, seed: str) -> Iterator[Breach]:
    trial.looked["repository"] += 1
    if sample.forms:
        trial.looked["formats"] += 1
        yield from breaches_of_forms(root, out)
    begun = time.process_time()
    try:
        with _limited(SECONDS):
            result = check([root], repairs=Repairs.EACH if sample.repairs else None, graphs=sample.forms)
    except TooLong:
        yield Breach("time", f"more than {SECONDS} s for one check")
        return
    except UsageError as error:
        if not CONFIGURATION.match(f"trainlint: {error}"):
            yield Breach("usage", str(error))
        return
    trial.slowest = time.process_time() - begun
    trial.looked["findings"] += len(result.findings)
    trial.looked["groups"] += len(result.groups)
    yield from breaches(world, result)
    if sample.questions:
        trial.looked["other commands"] += 1
        yield from breaches_of_questions(root, out, result)

    def look(other: World) -> Result:
        home = root.parent / "other"
        shutil.rmtree(home, ignore_errors=True)
        _written(home, other)
        with _limited(SECONDS):
            return check([home])

    yield from breaches_of_packing(result, world, look)
    if result.repairs or result.unrepaired:
        trial.looked["repairs"] += len(result.repairs or ())
        yield from breaches_of_repairs(world, result, look)
    if sample.order and (other := reordered(world, random.Random(seed))) is not None:
        trial.looked["order"] += 1
        yield from breaches_of_order(result, look(other))


def _written(root: Path, world: World) -> World:
    """The files that could be written: none below another file."""
    made: World = {}
    for name, content in sorted(world.items()):
        if any(str(parent) in made for parent in PurePosixPath(name).parents):
            continue
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        made[name] = content
    root.mkdir(exist_ok=True)
    return made


def _told(error: Exception) -> str:
    frames = [each for each in traceback.extract_tb(error.__traceback__) if "trainlint" in each.filename]
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].name}" if frames else ""
    return f"{type(error).__name__}{where}: {error}"


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
    def stop(_: int, __: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
