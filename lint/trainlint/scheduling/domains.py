"""Domains: nodes that agree on every topology key that matters to a group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from trainlint.fact import fact
from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool

__all__ = ["Domain", "partition"]


@fact
class Domain:
    """Nodes with the same value of each topology key (``None``: they lack it); ``pools`` are indices."""

    values: Mapping[str, str | None]
    pools: tuple[int, ...]


def partition(pools: Sequence[Pool], keys: Sequence[str]) -> tuple[Domain, ...] | Undetermined:
    """The pools divided by the values of the keys; undetermined where the value of one is."""
    found: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
    for index, pool in enumerate(pools):
        values = []
        for key in keys:
            value = pool.label(key)
            if isinstance(value, Undetermined):
                return value
            values.append(value)
        found[tuple(values)].append(index)
    ordered = sorted(found.items(), key=lambda item: tuple(value or "" for value in item[0]))
    return tuple(Domain(dict(zip(keys, values, strict=True)), tuple(indices)) for values, indices in ordered)
