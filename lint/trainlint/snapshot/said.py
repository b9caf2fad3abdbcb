"""What snapshots say equally, said once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from trainlint.model.namespace import Namespaces
from trainlint.model.settings import Settings
from trainlint.snapshot.snapshot import Snapshot

__all__ = ["Said"]

T = TypeVar("T")


class Said:
    """What snapshots say equally is said once: what follows from the very same facts need not be found out again.

    ``known`` are snapshots of the repository as it was before.
    """

    def __init__(self, known: Iterable[Snapshot]) -> None:
        self.known = {each.name: each for each in known}
        self._settings: list[Settings] = []
        self._namespaces: list[Namespaces] = []

    def settings(self, found: Settings) -> Settings:
        """The settings that are equal, and came first."""
        return _first(found, self._settings)

    def namespaces(self, found: Namespaces) -> Namespaces:
        """The namespaces that are equal, and came first."""
        return _first(found, self._namespaces)


def _first(found: T, before: list[T]) -> T:
    for each in before:
        if each == found:
            return each
    before.append(found)
    return found
