"""Which groups a finding is about."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.finding import Location
from trainlint.result import GroupVerdict, Placed

__all__ = ["groups_of"]


def groups_of(placed: Placed, groups: Iterable[GroupVerdict]) -> tuple[GroupVerdict, ...]:
    """The groups that the finding names as its cause; else those whose objects it points at, the primary place first.

    Those of the finding's own snapshots, unless none is there: one verdict may stand for several snapshots.
    """
    finding = placed.finding
    everywhere = list(groups)
    candidates = [each for each in everywhere if each.snapshot in finding.snapshots] or everywhere
    named = tuple(each for each in candidates if each.name in finding.groups)
    if named:
        return named
    for places in ([finding.at], [related.at for related in finding.places]):
        found = tuple(each for each in candidates if any(_holds(each, at) for at in places))
        if found:
            return found
    return ()


def _holds(group: GroupVerdict, at: Location) -> bool:
    return any(
        role.at is not None
        and (role.at.file, role.at.document) == (at.file, at.document)
        and at.path[: len(role.at.path)] == role.at.path
        for role in group.roles
    )
