"""The second process of the program, in the copy of the tree: all tests are loaded once, and each trial is a fork.

A fork changes the code of the running functions and runs the tests that reach the change, until one fails. A change of
what is done at import, where no function has it alone, is tried in a new process.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.mutation.equivalent import Place, places
from tests.mutation.points import Point, all_points, drawn, mutated
from tests.mutation.reach import Reach
from tests.mutation.results import Results
from tests.mutation.swapped import Functions, functions, swap

__all__ = ["Loop"]

SKIPPED = ("bench", "fuzz", "mutation", "precommit")
"""Folders of tests that measure the program, or start others."""
OWN_WORDS = ("test_docs.py", "test_words.py", "test_packaging.py", "test_readme.py", "test_references.py")
"""Tests that read the text of the program: they would notice every change, or none."""
MEMORY = 6 << 30
COLLECTING = 900
"""Seconds of the processor for the tests of one file while their reach is noted."""
AT_IMPORT = 60
"""Tests at most that are tried in a new process."""

SURVIVED, KILLED, STALLED = "survived", "killed", "stalled"


class Loop:
    """A plugin of pytest that tries points, where others run tests."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.tree = Path.cwd()
        self.results = Results(Path(options.log))
        self.items: dict[str, pytest.Item] = {}
        self.functions: Functions = {}
        self.sound: dict[str, bool] = {}
        self.places: Mapping[Point, Place] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        _import_all(self.tree)
        self.functions = functions(str(self.tree))
        gc.collect()
        gc.freeze()
        if self.options.unreached:
            return self._unreached(session.items)
        possible = [point for point in all_points(self.tree) if self.options.only in point.file]
        self.places = places(self.tree, possible)
        points = drawn(possible, self.tree, self.options.seed, self.options.points)
        reach = Reach(Path(self.options.log).with_suffix(".reach"), self.tree, points)
        self._collect(reach, session.items)
        for point in points:
            if self.results.is_due(str(point), again=self.options.again):
                self._try(point, reach)
        return True

    def _unreached(self, items: Sequence[pytest.Item]) -> bool:
        """Print the points in functions that no test of these reaches."""
        points = [each for each in all_points(self.tree) if each.inner and self.options.only in each.file]
        reach = Reach(Path(self.options.log).with_suffix(".all"), self.tree, points, each_test=False)
        self._collect(reach, items)
        for point in reach.unreached():
            print(point, file=sys.__stdout__, flush=True)
        return True

    def _collect(self, reach: Reach, items: Sequence[pytest.Item]) -> None:
        """Note which points the tests reach that did not run before."""
        files = defaultdict(list)
        for item in items:
            files[item.nodeid.partition("::")[0]].append(item)
        for file in reach.due(list(files)):
            ended = _forked(lambda file=file: reach.collect(self.functions, file, files[file]) or 0, COLLECTING)  # type: ignore[misc]
            if ended:
                print(f"reach of {file}: {ended}", file=sys.__stderr__, flush=True)
        reach.read()

    def _try(self, point: Point, known: Reach) -> None:
        begun = time.monotonic()
        file = self.tree / point.file
        source, times = file.read_bytes(), file.stat()
        budget = self.options.seconds
        tests = known.of(point, budget, self.items)
        at_import = not point.inner or not tests
        if at_import:
            tests = tests[:AT_IMPORT]
        try:
            file.write_bytes(mutated(source, point))
            os.utime(file, (times.st_mtime + 2, times.st_mtime + 2))
            outcome, test = self._outcome(file, source, point, tests, at_import=at_import)
        finally:
            file.write_bytes(source)
            os.utime(file, (times.st_mtime, times.st_mtime))
        took = round(time.monotonic() - begun, 1)
        self.results.add(str(point), outcome, test, len(tests), took, place=str(self.places[point]))

    def _outcome(
        self, file: Path, source: bytes, point: Point, tests: list[str], *, at_import: bool
    ) -> tuple[str, str]:
        while tests:
            if at_import:
                outcome, test = self._fresh(tests)
            else:
                outcome, test = self._fork(
                    tests, lambda: swap(self.functions, str(file), source, mutated(source, point))
                )
                if outcome == "none":
                    at_import, tests = True, tests[:AT_IMPORT]
                    continue
            if outcome != KILLED or not test or self._is_sound(test, file, source):
                return outcome, test
            tests = [each for each in tests if each != test]
        return SURVIVED, "no test reaches it"

    def _is_sound(self, test: str, file: Path, source: bytes) -> bool:
        """Whether the test passes where nothing is changed."""
        if test not in self.sound:
            changed = file.read_bytes()
            file.write_bytes(source)
            self.sound[test] = test not in self.items or self._fork([test], lambda: True)[0] == SURVIVED
            file.write_bytes(changed)
            if not self.sound[test]:
                print(f"fails as it is: {test}", file=sys.__stderr__, flush=True)
        return self.sound[test]

    def _fork(self, tests: Sequence[str], change: Callable[[], bool]) -> tuple[str, str]:
        out, into = os.pipe()

        def child() -> int:
            os.close(out)
            if not change():
                os.write(into, b"none ")
                return 0
            failed = _Failed()
            items = [self.items[test] for test in tests]
            items[0].config.pluginmanager.register(failed)
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if failed.test:
                    os.write(into, f"{KILLED} {failed.test}".encode())
                    return 1
            os.write(into, f"{SURVIVED} ".encode())
            return 0

        ended = _forked(child, 4 * self.options.seconds)
        os.close(into)
        with os.fdopen(out, "rb") as said:
            text = said.read().decode()
        if text:
            outcome, _, test = text.partition(" ")
            return outcome, test
        return (STALLED, "") if ended is None or ended in {-signal.SIGXCPU, -signal.SIGKILL} else (KILLED, "")

    def _fresh(self, tests: Sequence[str]) -> tuple[str, str]:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "--tb=no",
            "--no-header",
            "-p",
            "no:cacheprovider",
            "-rfE",
        ]
        try:
            done = subprocess.run(
                [*command, *tests], check=False, capture_output=True, text=True, timeout=20 * self.options.seconds
            )
        except subprocess.TimeoutExpired:
            return STALLED, ""
        if done.returncode in {0, 4, 5}:
            return SURVIVED, "" if done.returncode == 0 else done.stdout[-200:]
        named = [line.split(" ")[1] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return KILLED, named[0] if named and named[0] in self.items else ""


class _Failed:
    """Remembers the first test that failed."""

    test = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.test:
            self.test = report.nodeid


def _forked(work: Callable[[], int], seconds: float) -> int | None:
    """Run ``work`` in a fork; its exit code, minus the signal that ended it, ``None`` where it takes too long."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            code = work()
        finally:
            os._exit(code)
    end = time.monotonic() + 10 * seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what its tests left running
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _import_all(tree: Path) -> None:
    """Import every module: what functions import later is changed as all else is."""
    for root in ("lint", "rules"):
        for file in sorted((tree / root).rglob("*.py")):
            name = ".".join(file.relative_to(tree / root).with_suffix("").parts).removesuffix(".__init__")
            if not name.endswith("__main__"):
                with contextlib.suppress(ImportError, SyntaxError):
                    importlib.import_module(name)


def _arguments(work: Path) -> Iterator[str]:
    yield from ("-q", "-p", "no:cacheprovider", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning")
    yield f"--basetemp={work / 'temporary'}"
    yield from (f"--ignore=tests/{each}" for each in (*SKIPPED, *OWN_WORDS))


def main() -> int:
    """Run in the copy of the tree; the options are those of ``python -m tests.mutation``."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tests", nargs="*", default=["tests"])
    for each in ("--log", "--only", "--work"):
        parser.add_argument(each, default="")
    for each in ("--seed", "--points"):
        parser.add_argument(each, type=int)
    parser.add_argument("--seconds", type=float)
    for each in ("--again", "--unreached"):
        parser.add_argument(each, action="store_true")
    options = parser.parse_args()
    tree = Path.cwd()
    import trainlint  # noqa: PLC0415 (which one, is the question)

    if not str(trainlint.__file__).startswith(str(tree)):
        raise SystemExit(f"{trainlint.__file__} is not of {tree}")
    return int(pytest.main([*_arguments(Path(options.work)), *options.tests], plugins=[Loop(options)]))


if __name__ == "__main__":
    sys.exit(main())
