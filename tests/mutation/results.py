"""What came of each point: a line of JSON as soon as it is known, and the score of all of them."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

__all__ = ["Results"]

EQUIVALENT = Path(__file__).parent / "equivalent.txt"
WANTED = 0.85


class Results:
    """The answers of a log; the last one about each point counts."""

    def __init__(self, log: Path) -> None:
        self.log = log
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        self.answers = {answer["point"]: answer for answer in map(json.loads, lines)}

    def is_due(self, point: str, *, again: bool) -> bool:
        """Whether the point is to be tried: it was not yet, or (``again``) no test noticed it."""
        return point not in self.answers or (again and self.answers[point]["outcome"] == "survived")

    def add(self, point: str, outcome: str, test: str, tests: int, seconds: float) -> None:
        """Write what came of a point."""
        answer = {"point": point, "outcome": outcome, "test": test, "tests": tests, "seconds": seconds}
        self.answers[point] = answer
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a", encoding="utf-8") as out:
            out.write(json.dumps(answer) + "\n")
        print(f"{outcome:9} {seconds:5.1f} s {tests:5}  {point}  {test}", file=sys.__stderr__, flush=True)

    def survivors(self) -> list[str]:
        """The points that no test noticed and that change something."""
        equal = {_change(line.partition("  # ")[0]) for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()}
        return [
            point
            for point, answer in self.answers.items()
            if answer["outcome"] == "survived" and _change(point) not in equal
        ]

    def summary(self) -> int:
        """Print survivors and the score of each package; 1 where the whole is below what is wanted."""
        survived, all_of = Counter(map(_package, self.survivors())), Counter(map(_package, self.answers))
        equal = Counter(
            map(_package, (each for each, answer in self.answers.items() if answer["outcome"] == "survived"))
        )
        for each in self.survivors():
            print(each)
        for package in sorted(all_of):
            of = all_of[package] - (equal[package] - survived[package])
            print(f"{package:14} {of - survived[package]:4} of {of:4}")
        total = all_of.total() - (equal.total() - survived.total())
        score = (total - survived.total()) / max(total, 1)
        print(f"{'all':14} {total - survived.total():4} of {total:4}, {score:.1%}")
        return int(score < WANTED)


def _change(point: str) -> str:
    """A point without its line, which moves."""
    return re.sub(r"(?<=\.py):\d+", "", point)


def _package(point: str) -> str:
    parts = Path(point.partition(":")[0]).parts
    return parts[2].removesuffix(".py") if parts[0] == "lint" else "rules"
