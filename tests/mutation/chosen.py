"""Which tests a mutant is tried with: those that reach its lines, in the order in which they are likely to fail."""

from __future__ import annotations

import difflib
import json
from array import array
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutation.points import Point
from tests.mutation.reach import digest, kept_in

__all__ = ["Reached", "reached"]

WIDEST = 6
"""Lines between a part of a statement and the line at which it is said to begin, at most."""
SLOW = 0.5
"""Seconds from which a test is tried last."""
ALIKE = 0.3
"""The part of its lines that a module which was moved keeps, at least."""


@dataclass
class Reached:
    """The tests with their seconds, and which of them reach which line of which file."""

    tests: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    lines: dict[str, dict[int, array[int]]] = field(default_factory=dict)

    def of(self, point: Point, budget: float, known: frozenset[str]) -> list[str]:
        """The tests to try, of at most ``budget`` seconds; the dearest are left out."""
        lines = self.lines.get(point.file, {})
        first = next((line for line in range(point.line, max(0, point.line - WIDEST), -1) if line in lines), point.line)
        reach = {test for line in range(first, point.last + 1) for test in lines.get(line, ())}
        if not point.inner:  # what is done at import: tests of anything in the module
            reach = {test for tests in lines.values() for test in tests}
        kept, spent = [], 0.0
        for test in sorted(reach, key=lambda test: (self.seconds[test], test)):
            if self.tests[test] not in known:
                continue
            spent += self.seconds[test]
            if spent > budget and kept:
                break
            kept.append(test)
        kept.sort(key=lambda test: _rank(self.tests[test], self.seconds[test], point))
        return [self.tests[test] for test in kept]


def _rank(test: str, seconds: float, point: Point) -> tuple[int, float]:
    """Quick ones of the same package first, then golden files, then the others; each by time."""
    own = test.startswith((f"tests/{_package(point)}/", f"tests/test_{_package(point)}"))
    golden = test.startswith("tests/golden/")
    return (3 if seconds > SLOW else 0 if own else 1 if golden else 2), seconds


def _package(point: Point) -> str:
    return Path(point.file).parts[2 if point.file.startswith("lint/") else 0].removesuffix(".py")


def reached(folder: Path, tree: Path, tests: Collection[str]) -> Reached:
    """What the files of a folder say of these files of tests, in terms of the lines of ``tree``."""
    made = Reached()
    now = _Lines(folder / "modules", tree)
    for file in sorted(kept for kept in (kept_in(folder, each) for each in tests) if kept.exists()):
        data = json.loads(file.read_text(encoding="utf-8"))
        first = len(made.tests)
        made.tests.extend(name for name, _ in data["tests"])
        made.seconds.extend(seconds for _, seconds in data["tests"])
        for module, lines in data["lines"].items():
            path, moved = now.of(module, data["modules"][module])
            known = made.lines.setdefault(path, {}) if path else {}
            for line, numbers in lines.items():
                there = int(line) if moved is None else moved.get(int(line))
                if path and there is not None:
                    known.setdefault(there, array("l")).extend(first + number for number in numbers)
    return made


class _Lines:
    """Where the lines of modules as they were stand today."""

    def __init__(self, folder: Path, tree: Path) -> None:
        self.folder, self.tree = folder, tree
        self.files = [str(file.relative_to(tree)) for part in ("lint", "rules") for file in (tree / part).rglob("*.py")]
        self.known: dict[tuple[str, str], tuple[str, dict[int, int] | None]] = {}
        self.holders: dict[str, set[str]] = defaultdict(set)
        for file in self.files:
            for line in self._text(file):
                self.holders[line].add(file)

    def of(self, module: str, name: str) -> tuple[str, dict[int, int] | None]:
        """The module's path today, and today's line for each of its lines (``None``: the same lines)."""
        if (module, name) not in self.known:
            self.known[module, name] = self._found(module, name)
        return self.known[module, name]

    def _found(self, module: str, name: str) -> tuple[str, dict[int, int] | None]:
        if (self.tree / module).exists() and digest(self.tree / module) == name:
            return module, None
        old = (self.folder / f"{name}.py").read_text(encoding="utf-8").splitlines()
        path = module if (self.tree / module).exists() else self._nearest(old)
        if not path:
            return "", None
        matcher = difflib.SequenceMatcher(None, old, self._text(path), autojunk=False)
        return path, {
            block.a + number + 1: block.b + number + 1
            for block in matcher.get_matching_blocks()
            for number in range(block.size)
        }

    def _nearest(self, old: list[str]) -> str:
        """The module that holds most of these lines; none where all hold few of them."""
        votes: dict[str, int] = defaultdict(int)
        for line in {line for line in old if len(line.strip()) > 20}:
            for file in self.holders.get(line, ()):
                votes[file] += 1
        best = max(votes, key=lambda file: votes[file], default="")
        return best if best and votes[best] >= ALIKE * len(old) / 2 else ""

    def _text(self, file: str) -> list[str]:
        return (self.tree / file).read_text(encoding="utf-8").splitlines()
