"""The changes that change nothing a user can see: ``equivalent.txt`` names the place of each, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.mutation.points import Point

__all__ = ["Place", "entries", "places"]

FILE = Path(__file__).parent / "equivalent.txt"


@dataclass(frozen=True)
class Place:
    """A point by what stands there, which says the same when lines move: file, function, the line's text, the change.

    Where one line holds equal changes, ``number`` counts them from 1.
    """

    file: str
    function: str
    text: str
    change: str
    number: int = 0

    def __str__(self) -> str:
        head = " ".join(filter(None, (self.file, self.function, str(self.number or ""))))
        return f"{head}\n    {self.text}\n    {self.change}"


def places(root: Path, points: Iterable[Point]) -> dict[Point, Place]:
    """The place of each point; those with equal ones at one line need to be given all together."""
    lines = cache(lambda file: (root / file).read_text(encoding="utf-8").split("\n"))
    alike: dict[Place, list[Point]] = defaultdict(list)
    for point in points:
        text = lines(point.file)[point.line - 1].strip()
        alike[Place(point.file, point.function, text, point.change)].append(point)
    found = {}
    for place, those in alike.items():
        for number, point in enumerate(sorted(those), start=1):
            at = Place(place.file, place.function, place.text, place.change, number)
            found[point] = place if len(those) == 1 else at
    return found


def entries(file: Path = FILE) -> Mapping[Place, str]:
    """The places that the file names, each with its reason; raises ``ValueError`` where an entry is not whole."""
    _, *written = file.read_text(encoding="utf-8").strip().split("\n\n")
    found: dict[Place, str] = {}
    for entry in written:
        head, text, change, reason = (line.strip() for line in entry.split("\n"))
        name, *rest = head.split(" ")
        number = int(rest.pop()) if rest and rest[-1].isdecimal() else 0
        place = Place(name, rest[0] if rest else "", text, change, number)
        if place in found:
            raise ValueError(f"written twice: {head}")
        found[place] = reason.removeprefix("# ")
    return found
