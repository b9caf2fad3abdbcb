"""Pod sets that are assigned flavors together, and the order in which Kueue looks at their resources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trainlint.scheduling.kueue.requested import Team

__all__ = ["fnv", "groups_of", "is_explicit", "leader_and_workers", "scaled"]


def scaled(team: Team, count: int) -> Team:
    """The pod set with fewer pods."""
    return replace(team, count=count)


def is_explicit(team: Team) -> bool:
    """Whether the pods themselves ask for a topology."""
    return team.topology is not None and team.topology.explicit


def groups_of(teams: Sequence[Team]) -> list[list[Team]]:
    """The pod sets that get the same flavors and are placed together, in the order of the first of each."""
    found: dict[object, list[Team]] = {}
    for number, team in enumerate(teams):
        name = team.topology.group if team.topology is not None else None
        found.setdefault(number if name is None else name, []).append(team)
    return list(found.values())


def leader_and_workers(group: Sequence[Team]) -> tuple[Team | None, Team]:
    """The leader, which is one pod, and the workers: of two pod sets the one with fewer pods leads; ``None`` where
    there is one pod set.
    """
    if len(group) < 2:
        return None, group[0]
    first, second = group[0], group[1]
    return (first, second) if second.count > first.count else (second, first)


def fnv(name: str) -> int:
    """The hash by whose order resources are looked at: 64-bit FNV-1a."""
    found = 0xCBF29CE484222325
    for byte in name.encode():
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return found
