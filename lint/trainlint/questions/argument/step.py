"""What an argument is made of."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.wording.because import because_text
from trainlint.wording.texts.argument import Phrase

__all__ = ["Statement", "Step", "statement"]


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


def statement(
    ground: Phrase, *values: object, places: tuple[Location, ...] = (), below: tuple[Statement, ...] = ()
) -> Statement:
    """The statement of a ground with its values, in words."""
    return Statement(because_text(Because(ground, values)), places, below)
