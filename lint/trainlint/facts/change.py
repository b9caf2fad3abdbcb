"""What a rule sees of a change: the facts of both states of the repository."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainlint.fact import fact
from trainlint.facts.facts import Facts
from trainlint.finding import Location

__all__ = ["Change"]


@fact(eq=False)
class Change:
    """Two states of one repository: the facts of every snapshot in the base revision, and of every one there is now.

    A place that is gone is named by ``removed``; every other location of a finding is one of ``head``.
    """

    base: tuple[Facts, ...]
    head: tuple[Facts, ...]

    def pairs(self) -> Iterator[tuple[Facts, Facts]]:
        """The snapshots that are in both states, by their names; a single snapshot on each side is the same one."""
        if len(self.base) == len(self.head) == 1:
            yield self.base[0], self.head[0]
            return
        before = {facts.snapshot.name: facts for facts in self.base}
        for facts in self.head:
            if facts.snapshot.name in before:
                yield before[facts.snapshot.name], facts

    @staticmethod
    def removed(at: Location) -> Location:
        """The place of something that the base revision has and the head has not."""
        return replace(at, base=True)
