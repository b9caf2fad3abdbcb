"""Fields that take one of some words, or a number of a range."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from trainlint.admission.flaws import ObjectFlaw
from trainlint.admission.plain_values import below, nearest, number, text
from trainlint.admission.problem import API_SERVER, Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["at_least", "one_of"]


def one_of(item: Any, path: Path, words: Collection[str], by: Because = API_SERVER) -> Iterator[Problem]:
    """A word that is none of those that the field takes."""
    given = text(below(item, *path))
    if given and given not in words and not is_placeholder(given) and not ("_" in given and given.isupper()):
        near = nearest(given, words)
        why = Because(ObjectFlaw.ONE_OF, (_field(path), given, tuple(words), near))
        yield Problem(path, why, ".".join(map(str, path)), by)


def _field(path: Path) -> str:
    """The last name of a path, with the number of an element behind it."""
    names = [index for index, step in enumerate(path) if isinstance(step, str)]
    return ".".join(map(str, path[names[-1] :])) if names else ".".join(map(str, path))


def at_least(
    item: Any, path: Path, least: int, by: Because = API_SERVER, *, most: int | None = None
) -> Iterator[Problem]:
    """A number that is too small, or above ``most``."""
    given = number(below(item, *path))
    if given is not None and (given < least or (most is not None and given > most)):
        why = Because(ObjectFlaw.BOUNDS, (_field(path), given, least, most is None, most))
        yield Problem(path, why, ".".join(map(str, path)), by)
