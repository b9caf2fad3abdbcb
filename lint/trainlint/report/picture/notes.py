"""The notes of a picture: what is to be said of several parts is said once, and what breaks is numbered."""

from __future__ import annotations

from dataclasses import replace

from trainlint.report.picture.view import Note
from trainlint.report.picture.words import unique

__all__ = ["Notes"]


class Notes:
    """Collects notes; parts of the picture know them by their index."""

    def __init__(self) -> None:
        self.all: list[Note] = []
        self._numbers = 0

    def add(self, note: Note) -> int:
        """The index of a note; parts of which the same is to be said share one, and its number."""
        for index, known in enumerate(self.all):
            if replace(known, number=0) == note:
                return index
        self.all.append(note)
        return len(self.all) - 1

    def numbered(self, note: Note) -> int:
        """The same for what breaks: it gets the next number."""
        index = self.add(note)
        if not self.all[index].number:
            self.all[index] = replace(note, number=self._next())
        return index

    def turn(self, index: int, note: Note) -> None:
        """Make of a note one that says what breaks, or let it say that too."""
        known = self.all[index]
        if not known.number:
            self.all[index] = replace(note, number=self._next())
        else:
            self.all[index] = replace(
                known,
                texts=(*known.texts, *note.texts),
                places=unique((*known.places, *note.places)),
                changes=(*known.changes, *note.changes),
            )

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers
