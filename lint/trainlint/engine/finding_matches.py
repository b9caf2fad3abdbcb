"""Which findings are the same as others of another run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from trainlint.finding import Finding, Severity
from trainlint.result import BaselineEntry

__all__ = ["entry_of", "is_worse", "match"]


def entry_of(finding: Finding) -> BaselineEntry:
    """A finding as a baseline keeps it: without lines, which move."""
    return BaselineEntry(
        id=finding.id,
        rule=finding.rule,
        severity=str(finding.severity or Severity.ERROR),
        file=finding.at.file,
        path="/".join(map(str, finding.at.path)),
        message=finding.message,
    )


def match(now: Sequence[BaselineEntry], before: Sequence[BaselineEntry]) -> dict[int, int]:
    """Pairs of equal findings by their indices, each in one pair at most.

    First those in files of one name, then any of one identity (alternatives hold one object in several files), last
    those that only moved within their lists: rule, file, message and the path without indices are the same.
    """
    pairs: dict[int, int] = {}
    left = set(range(len(before)))
    for key in KEYS:
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for index in sorted(left, reverse=True):
            waiting[key(before[index])].append(index)
        for index, entry in enumerate(now):
            if index not in pairs and waiting[key(entry)]:
                pairs[index] = waiting[key(entry)].pop()
                left.remove(pairs[index])
    return pairs


def is_worse(now: BaselineEntry, before: BaselineEntry) -> bool:
    """Whether a finding is more severe than it was: then it is not accepted yet."""
    return Severity(now.severity).rank < Severity(before.severity).rank


def _named_path(entry: BaselineEntry) -> Hashable:
    steps = [step for step in entry.path.split("/") if not step.isdecimal()]
    return (entry.rule, entry.file, tuple(steps), entry.message)


KEYS: tuple[Callable[[BaselineEntry], Hashable], ...] = (
    lambda entry: (entry.id, entry.file),
    lambda entry: entry.id,
    _named_path,
)
