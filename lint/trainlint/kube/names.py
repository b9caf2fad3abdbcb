"""How far two names are apart."""

from __future__ import annotations

__all__ = ["distance"]


def distance(one: str, other: str) -> int:
    """How many letters must be added, removed, changed or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        oldest, before, row = before, row, [i]
        for j, right in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, oldest[j - 2] + 1)
            row.append(cost)
    return row[-1]
