"""Which tests a mutant is tried with: those that reach its lines, in the order in which they are likely to fail."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutation.points import Point

__all__ = ["Reached", "reached"]

WIDEST = 6
"""Lines between a part of a statement and the line at which it is said to begin, at most."""
SLOW = 0.5
"""Seconds from which a test is tried last."""


@dataclass
class Reached:
    """The tests with their seconds, and which of them reach which line of which file."""

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[int, list[str]]] = field(default_factory=dict)

    def tests(self, point: Point, budget: float) -> list[str]:
        """The tests to try, of at most ``budget`` seconds; the dearest are left out."""
        lines = self.lines.get(point.file, {})
        first = next((line for line in range(point.line, max(0, point.line - WIDEST), -1) if line in lines), point.line)
        reach = {test for line in range(first, point.last + 1) for test in lines.get(line, ())}
        if not point.inner:  # what is done at import: tests of anything in the module
            reach = {test for tests in lines.values() for test in tests}
        kept, spent = [], 0.0
        for test in sorted(reach, key=lambda test: (self.seconds[test], test)):
            spent += self.seconds[test]
            if spent > budget and kept:
                break
            kept.append(test)
        return sorted(kept, key=lambda test: _rank(test, self.seconds[test], point))

    def nearest(self, tree: Path, point: Point) -> list[str]:
        """The folder of tests of the point's package, for what only second processes execute."""
        folder = Path("tests") / _package(point)
        return [str(folder)] if (tree / folder).is_dir() else []


def _rank(test: str, seconds: float, point: Point) -> tuple[int, float]:
    """Quick ones of the same package first, then golden files, then the others; each by time."""
    own = test.startswith((f"tests/{_package(point)}/", f"tests/test_{_package(point)}"))
    golden = test.startswith("tests/golden/")
    return (3 if seconds > SLOW else 0 if own else 1 if golden else 2), seconds


def _package(point: Point) -> str:
    return Path(point.file).parts[2 if point.file.startswith("lint/") else 0].removesuffix(".py")


def reached(folder: Path) -> Reached:
    """What the plugin wrote into the files of a folder."""
    all_tests = Reached()
    for file in sorted(folder.glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        names = [name for name, _ in data["tests"]]
        all_tests.seconds.update(dict(data["tests"]))
        for module, lines in data["lines"].items():
            known = all_tests.lines.setdefault(module, {})
            for line, numbers in lines.items():
                known.setdefault(int(line), []).extend(names[number] for number in numbers)
    return all_tests
