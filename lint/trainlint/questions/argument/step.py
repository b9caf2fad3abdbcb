"""What an argument is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.fact import fact
from trainlint.finding import Location

__all__ = ["Statement", "Step", "listed"]

SHOWN = 6
"""Names of one kind that are told; the others are counted."""


@fact
class Statement:
    """A sentence without its end, the places that show it, and what it consists of."""

    text: str
    places: tuple[Location, ...] = ()
    below: tuple[Statement, ...] = ()

    def locations(self) -> Iterator[Location]:
        """Every place of it and of what is below."""
        yield from self.places
        for each in self.below:
            yield from each.locations()


@fact
class Step:
    """One step of an argument: what it is about, and what holds there."""

    title: str
    statements: tuple[Statement, ...]


def listed(names: Iterable[str]) -> str:
    """Names in one phrase."""
    every = list(dict.fromkeys(names))
    more = [f"{len(every) - SHOWN} more"] if len(every) > SHOWN + 1 else []
    shown = [*(every[:SHOWN] if more else every), *more]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1]))) if shown else "none"
