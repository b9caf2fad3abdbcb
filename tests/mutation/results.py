"""What came of each point: a line of JSON as soon as it is known, and the score of all of them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.mutation.equivalent import entries

__all__ = ["Results"]

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

    def add(self, point: str, outcome: str, test: str, tests: int, seconds: float, place: str) -> None:
        """Write what came of a point; ``place`` is what stands there, as an entry of ``equivalent.txt``."""
        answer = {"point": point, "outcome": outcome, "test": test, "tests": tests, "seconds": seconds, "place": place}
        self.answers[point] = answer
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a", encoding="utf-8") as out:
            out.write(json.dumps(answer) + "\n")
        print(f"{outcome:9} {seconds:5.1f} s {tests:5}  {point}  {test}", file=sys.__stderr__, flush=True)

    def survivors(self) -> list[str]:
        """The points that no test noticed and that change something."""
        return [point for point, is_equal in self._unnoticed() if not is_equal]

    def summary(self) -> int:
        """Print survivors and the score of each package; 1 where the whole is below what is wanted."""
        survived = Counter(map(_package, self.survivors()))
        equal = Counter(_package(point) for point, is_equal in self._unnoticed() if is_equal)
        all_of = Counter(map(_package, self.answers)) - equal
        for each in self.survivors():
            print(each)
        for package in sorted(all_of):
            print(f"{package:14} {all_of[package] - survived[package]:4} of {all_of[package]:4}")
        total, killed = all_of.total(), all_of.total() - survived.total()
        score = killed / max(total, 1)
        print(f"{'all':14} {killed:4} of {total:4}, {score:.1%}")
        return int(score < WANTED)

    def _unnoticed(self) -> Iterator[tuple[str, bool]]:
        """The points that no test noticed, each with whether it changes nothing."""
        equal = set(map(str, entries()))
        for point, answer in self.answers.items():
            if answer["outcome"] == "survived":
                yield point, answer["place"] in equal


def _package(point: str) -> str:
    parts = Path(point.partition(":")[0]).parts
    return parts[2].removesuffix(".py") if parts[0] == "lint" else "rules"
