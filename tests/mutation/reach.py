"""Which tests reach which points: a probe stands before every point while all tests run once."""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import os
import types
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.mutation.points import Point
from tests.mutation.swapped import Functions, swap_code

__all__ = ["Reach"]

PROBE = "__mutation_probe__"
LISTS = ("body", "orelse", "finalbody", "handlers", "cases")
SLOW = 0.5
"""Seconds from which a test is tried last."""


class Reach:
    """What each test reaches of these points, and its seconds; a line of JSON for each file of tests.

    Without ``each_test`` only what all tests of a file reach together.
    """

    def __init__(self, log: Path, tree: Path, points: Sequence[Point], *, each_test: bool = True) -> None:
        self.log, self.tree, self.each_test = log, tree, each_test
        self.points = {str(point): point for point in points}
        self.known: dict[str, Any] = {}
        self.read()

    def due(self, files: Sequence[str]) -> list[str]:
        """The files of tests that have not run since they, or the points, changed."""
        return [
            file
            for file in files
            if self.known.get(file, {}).get("digest") != self._digest(file)
            or self.known[file]["points"] != self._names()
        ]

    def collect(self, functions: Functions, file: str, items: Sequence[pytest.Item]) -> None:
        """Run the tests of a file in this process, and append what they reach to the log."""
        numbers = {name: number for number, name in enumerate(self.points)}
        hits: set[int] = set()
        setattr(builtins, PROBE, hits.add)
        of_modules = defaultdict(dict)
        for name, point in self.points.items():
            of_modules[point.file][numbers[name]] = point
        for module, points in of_modules.items():
            source = (self.tree / module).read_bytes()
            swap_code(functions, str(self.tree / module), source, _probed(source, str(self.tree / module), points))
        run = _Run(hits, each_test=self.each_test)
        items[0].config.pluginmanager.register(run)
        for item, following in zip(items, [*items[1:], None], strict=True):
            run.one(item, following)
        tests = run.tests if self.each_test else [("", 0.0, sorted(hits))]
        entry = {"file": file, "digest": self._digest(file), "points": self._names(), "tests": tests}
        with self.log.open("a", encoding="utf-8") as out:
            out.write(json.dumps(entry, separators=(",", ":")) + "\n")

    def of(self, point: Point, budget: float, wanted: Mapping[str, object]) -> list[str]:
        """The tests to try, of at most ``budget`` seconds: those likely to fail first; the dearest are left out."""
        reach = []
        for entry in self.known.values():
            number = entry["points"].index(str(point)) if str(point) in entry["points"] else None
            reach += [(test, seconds) for test, seconds, hits in entry["tests"] if test in wanted and number in hits]
        kept, spent = [], 0.0
        for test, seconds in sorted(reach, key=lambda each: each[::-1]):
            spent += seconds
            if spent > budget and kept:
                break
            kept.append((test, seconds))
        return [test for test, seconds in sorted(kept, key=lambda each: (_rank(*each, point), each[1]))]

    def unreached(self) -> list[Point]:
        """The points that no test reaches."""
        hits = {number for entry in self.known.values() for _, _, reached in entry["tests"] for number in reached}
        return [point for number, point in enumerate(self.points.values()) if number not in hits]

    def read(self) -> None:
        """Read again what forks of this process wrote."""
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        self.known = {entry["file"]: entry for entry in map(json.loads, lines)}

    def _names(self) -> list[str] | str:
        """The points by name, or where there are all of them, a digest of their names."""
        names = list(self.points)
        return names if self.each_test else hashlib.sha256("\n".join(names).encode()).hexdigest()

    def _digest(self, file: str) -> str:
        return hashlib.sha256((self.tree / file).read_bytes()).hexdigest()[:16]


class _Run:
    """Runs tests, and notes the seconds of the processor and the points of those that pass."""

    def __init__(self, hits: set[int], *, each_test: bool) -> None:
        self.hits, self.each_test = hits, each_test
        self.tests: list[tuple[str, float, list[int]]] = []
        self.passed = True

    def one(self, item: pytest.Item, following: pytest.Item | None) -> None:
        self.passed = True
        if self.each_test:
            self.hits.clear()
        begun = _seconds()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if self.passed:
            self.tests.append((item.nodeid, round(_seconds() - begun, 3), sorted(self.hits)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.passed = False


def _probed(source: bytes, file: str, points: Mapping[int, Point]) -> types.CodeType:
    """The code of a module with a probe before the statement of each point; for one at import all functions have it."""
    tree = ast.parse(source)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def holds(statement: ast.stmt) -> Callable[[Point], bool]:
        first = starts[statement.lineno - 1] + statement.col_offset
        last = starts[(statement.end_lineno or statement.lineno) - 1] + (statement.end_col_offset or 0)
        return lambda point: first <= point.start < last

    def insert(node: ast.AST, left: dict[int, Point]) -> set[int]:
        """Put probes into the lists of statements below a node; the numbers of those that stand there."""
        placed: set[int] = set()
        for name in LISTS:
            made: list[ast.AST] = []
            for each in getattr(node, name, ()):
                within = insert(each, left)
                if isinstance(each, ast.stmt):
                    inside = holds(each)
                    own = {number for number, point in left.items() if inside(point)} - within - placed
                    made += [_probe(number, each) for number in sorted(own)]
                    within |= own
                made.append(each)
                placed |= within
            if made:
                setattr(node, name, made)
        return placed

    inner = {number: point for number, point in points.items() if point.inner}
    outer = points.keys() - inner.keys()
    for function in _functions(tree):
        insert(function, inner)
        text = ast.get_docstring(function, clean=False) is not None
        function.body[text:text] = [_probe(number, function.body[0]) for number in sorted(outer)]
    return compile(ast.fix_missing_locations(tree), file, "exec")


def _functions(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions of a module and its classes, without those inside of functions."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.FunctionDef):
            yield each
        elif isinstance(each, ast.ClassDef):
            yield from _functions(each)


def _probe(number: int, before: ast.AST) -> ast.stmt:
    statement = ast.parse(f"{PROBE}({number})").body[0]
    for each in ast.walk(statement):
        ast.copy_location(each, before)
    return statement


def _rank(test: str, seconds: float, point: Point) -> int:
    """Quick ones of the same package first, then golden files, then the others."""
    package = Path(point.file).parts[2 if point.file.startswith("lint/") else 0].removesuffix(".py")
    if seconds > SLOW:
        return 3
    if test.startswith((f"tests/{package}/", f"tests/test_{package}")):
        return 0
    return 1 if test.startswith("tests/golden/") else 2


def _seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
