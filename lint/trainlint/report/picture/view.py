"""What a picture of a group shows, before the layout: boxes, arrows, and the notes that explain them."""

from __future__ import annotations

from typing import Final

from trainlint.fact import fact
from trainlint.model.known import Answer
from trainlint.result import PlacedRelated
from trainlint.result.graph import Reason

__all__ = ["DNS", "PENDING", "Arrow", "Box", "Column", "Note", "RoleState", "View"]

PENDING: Final = "\0pending"
DNS: Final = "\0dns"
"""Keys of columns that are no zones; no label value looks like them."""


class RoleState:
    """How a role stands in a column: pods are there, may be there, cannot be there; or that is not known."""

    PLACED: Final = "placed"
    POSSIBLE: Final = "possible"
    REFUSED: Final = "refused"
    UNSURE: Final = "unsure"
    PENDING: Final = "pending"
    DNS: Final = "dns"


@fact
class Note:
    """What a click on a part of the picture tells; ``number`` is 0 unless it belongs to what breaks.

    ``tone`` is ``bad``, ``slow``, ``open``, ``good`` or ``plain``. ``places`` are the lines that decide,
    ``changes`` what would fix it: one of them is enough.
    """

    title: str
    tone: str = "plain"
    number: int = 0
    texts: tuple[str, ...] = ()
    places: tuple[PlacedRelated, ...] = ()
    changes: tuple[Reason, ...] = ()


@fact
class Box:
    """A role in a column. ``row`` is its number; ``note`` is an index into the notes of the view."""

    row: int
    column: str
    state: str
    title: str
    lines: tuple[str, ...]
    note: int


@fact
class Column:
    """A zone (or what stands for one) with its pools: for each the lines of a small box."""

    key: str
    title: str
    answer: Answer | None
    pools: tuple[tuple[str, ...], ...]
    note: int


@fact
class Arrow:
    """Connections from one box to another (indices), or in ``both`` directions.

    ``tone`` is that of its note: ``good`` (permitted), ``slow`` (permitted, and that is what is wrong), ``bad``
    (denied) or ``open`` (not known). The line number ``verdict`` says what is wrong, if there are so many.
    """

    source: int
    target: int
    tone: str
    lines: tuple[str, ...]
    note: int
    both: bool = False
    verdict: int = 1


@fact
class View:
    """One picture: ``key`` is ``bad``, ``good`` or ``all``. ``more`` says what is left out."""

    key: str
    title: str
    columns: tuple[Column, ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    notes: tuple[Note, ...]
    more: tuple[str, ...] = ()
