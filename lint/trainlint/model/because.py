"""Why something is so, or what is not known, as data: sentences are made of it in ``wording``."""

from __future__ import annotations

from enum import Enum

from trainlint.fact import fact

__all__ = ["Because"]


@fact
class Because:
    """A ground with its values: names, amounts, places. Each package that judges has an enumeration of its grounds.

    A value may be a ground by itself, or another ``Because``.
    """

    ground: Enum
    values: tuple[object, ...] = ()
