"""Which test executes which line, and how long each test takes: a plugin of pytest, for one process.

``python -m pytest -p tests.mutation.reach --reach FILE ...`` adds to ``FILE`` what the tests of this run reach.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

__all__ = ["Reach"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reach", metavar="FILE", help="write which test reaches which line")


def pytest_configure(config: pytest.Config) -> None:
    file = config.getoption("--reach")
    if file:
        config.pluginmanager.register(Reach(Path(file), Path(config.rootpath)), "reach")


class Reach:
    """Collects ``{file: {line: [tests]}}``, and the seconds of processor time of each test that passes."""

    def __init__(self, file: Path, root: Path) -> None:
        self.file, self.root = file, root
        self.lines: dict[str, dict[int, list[int]]] = {}
        self.tests: list[tuple[str, float]] = []
        self.coverage = coverage.Coverage(data_file=None, include=[f"{root}/lint/*", f"{root}/rules/*"])
        self.coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self.passed = True

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.passed = True
        self.coverage.erase()
        self.coverage.start()
        begun = _seconds()
        yield
        took = _seconds() - begun
        self.coverage.stop()
        if not self.passed:
            return
        number = len(self.tests)
        self.tests.append((item.nodeid, round(took, 3)))
        data = self.coverage.get_data()
        for name in data.measured_files():
            lines = self.lines.setdefault(os.path.relpath(name, self.root), {})
            for line in data.lines(name) or ():
                lines.setdefault(line, []).append(number)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.passed = False

    def pytest_sessionfinish(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps({"tests": self.tests, "lines": self.lines}), encoding="utf-8")


def _seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system if times else time.process_time()
