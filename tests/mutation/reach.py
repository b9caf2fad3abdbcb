"""Which test executes which line, and how long each test takes.

One file of JSON for each file of tests, which says with what content it was made; the modules that the tests read are
kept beside it by their content, since lines move.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

import coverage
import pytest

__all__ = ["collect", "digest", "is_known", "kept_in"]


def digest(file: Path) -> str:
    """A short name for what stands in a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def is_known(folder: Path, root: Path, file: str) -> bool:
    """Whether ``folder`` holds what the tests of ``file`` reach, as the file is now."""
    kept = kept_in(folder, file)
    return kept.exists() and json.loads(kept.read_text(encoding="utf-8"))["test"] == digest(root / file)


def collect(folder: Path, root: Path, file: str, items: Sequence[pytest.Item]) -> None:
    """Run the tests of ``file``, and write what those that pass reach."""
    reach = _Reach(root)
    items[0].config.pluginmanager.register(reach)
    for item, following in zip(items, [*items[1:], None], strict=True):
        reach.run(item, following)
    modules = {module: digest(root / module) for module in reach.lines}
    for module, name in modules.items():
        kept = folder / "modules" / f"{name}.py"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes((root / module).read_bytes())
    data = {"test": digest(root / file), "tests": reach.tests, "modules": modules, "lines": reach.lines}
    kept_in(folder, file).write_text(json.dumps(data, separators=(",", ":")), encoding="utf-8")


class _Reach:
    """Collects ``{file: {line: [tests]}}``, and the seconds of processor time of each test that passes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lines: dict[str, dict[int, list[int]]] = {}
        self.tests: list[tuple[str, float]] = []
        self.coverage = coverage.Coverage(data_file=None, include=[f"{root}/lint/*", f"{root}/rules/*"])
        self.coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self.passed = True

    def run(self, item: pytest.Item, following: pytest.Item | None) -> None:
        self.passed = True
        self.coverage.erase()
        self.coverage.start()
        begun = _seconds()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        took = _seconds() - begun
        self.coverage.stop()
        if not self.passed:
            return
        number = len(self.tests)
        self.tests.append((item.nodeid, round(took, 3)))
        data = self.coverage.get_data()
        for file in data.measured_files():
            lines = self.lines.setdefault(os.path.relpath(file, self.root), {})
            for line in data.lines(file) or ():
                lines.setdefault(line, []).append(number)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.passed = False


def kept_in(folder: Path, file: str) -> Path:
    """Where ``folder`` holds what the tests of ``file`` reach."""
    return folder / (file.replace("/", "-").removesuffix(".py") + ".json")


def _seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
