"""Irreducible sets: the fewest parts of a whole of which something still holds, found by asking about subsets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, TypeVar

__all__ = ["Oracle", "OutOfQuestionsError", "irreducible"]

Part = TypeVar("Part")

FEW: Final = 6
"""Parts up to which leaving out one at a time takes fewer questions than halves do."""


class OutOfQuestionsError(Exception):
    """More questions than were to be asked: what is found so far may be reducible."""


class Oracle(Generic[Part]):
    """A question about sets of parts, each asked once; ``limit`` is how many may be asked.

    ``smallest`` is the smallest set of which it held so far.
    """

    def __init__(self, holds: Callable[[frozenset[Part]], bool], limit: int) -> None:
        self._holds = holds
        self._known: dict[frozenset[Part], bool] = {}
        self._left = limit
        self.smallest: frozenset[Part] | None = None

    @property
    def asked(self) -> int:
        """How many were asked so far."""
        return len(self._known)

    def __call__(self, parts: Iterable[Part]) -> bool:
        """Whether it holds of the parts. Raises OutOfQuestionsError."""
        key = frozenset(parts)
        if key not in self._known:
            if self._left == 0:
                raise OutOfQuestionsError
            self._left -= 1
            self._known[key] = self._holds(key)
            if self._known[key] and (self.smallest is None or len(key) < len(self.smallest)):
                self.smallest = key
        return self._known[key]


def irreducible(oracle: Oracle[Part], parts: Sequence[Part], likely: Iterable[Part] = ()) -> tuple[Part, ...] | None:
    """Parts of which it holds, and of none of whose subsets with one part less it does; ``None`` if not even of all.

    ``likely`` parts are tried first, by themselves. The first of ``parts`` are kept where there is a choice.
    """
    hint = set(likely)
    first = [part for part in parts if part in hint]
    if first and oracle(first):
        whole: Sequence[Part] = first
    elif oracle(parts):
        whole = parts
    else:
        return None
    if oracle(()):
        return ()
    kept = _quickest(oracle, [], [], list(whole)) if len(whole) > FEW else whole
    return _shrunk(oracle, [part for part in whole if part in set(kept)])


def _quickest(oracle: Oracle[Part], base: list[Part], added: list[Part], parts: list[Part]) -> list[Part]:
    """QuickXplain (Junker 2004): what of ``parts`` it takes beside ``base``; later parts are dropped first."""
    if added and oracle(base):
        return []
    if len(parts) <= 1:
        return parts
    half = len(parts) // 2
    early, late = parts[:half], parts[half:]
    of_late = _quickest(oracle, [*base, *early], early, late)
    of_early = _quickest(oracle, [*base, *of_late], of_late, early)
    return [*of_early, *of_late]


def _shrunk(oracle: Oracle[Part], parts: list[Part]) -> tuple[Part, ...]:
    """Without what is not needed after all: where it is not so that more parts make it hold, the halves may mislead."""
    left = list(parts)
    before: list[Part] = []
    while left != before:  # what was needed beside parts that are gone by now may be needed no more
        before = left
        for part in reversed(before):
            fewer = [each for each in left if each is not part]
            if oracle(fewer):
                left = fewer
    return tuple(left)
