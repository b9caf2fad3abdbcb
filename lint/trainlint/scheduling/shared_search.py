"""Searches for placements that differ only in names share what they find: alike zones, and trials of repairs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from trainlint.scheduling.domains import Domain
from trainlint.scheduling.packing import NodeClass, Packing
from trainlint.scheduling.role import PlacementRole, State

__all__ = ["DOMAINS", "SharedSearch", "shared_search"]

_MOST: Final = 256
"""Searches that are kept; past it all are forgotten."""
DOMAINS: Final = 64
"""Domains of a search at most that is shared: what larger ones try would take too much memory to keep."""


@dataclass(eq=False)
class Found:
    """What a search found, with classes of nodes by their numbers among those that it may use.

    ``searched`` says that ``reachable`` is known: ``None`` is an answer too. ``steps`` are the domains that were looked
    at for it.
    """

    packings: dict[Hashable, Packing] = field(default_factory=dict)
    reachable: tuple[State, ...] | None = None
    steps: int = 0
    searched: bool = False


_known: dict[Hashable, Found] = {}


class SharedSearch:
    """What is known of a search, in the words of one of those that are alike."""

    def __init__(self, found: Found, pools: Sequence[int]) -> None:
        self.found = found
        self._pools = pools
        self._numbers = {pool: number for number, pool in enumerate(pools)}

    def get(self, key: Hashable) -> Packing | None:
        """A packing that was found before; ``None`` where there is none."""
        packing = self.found.packings.get(key)
        if packing is None or not packing.slots:
            return packing
        return replace(packing, slots=tuple(replace(each, pool=self._pools[each.pool]) for each in packing.slots))

    def keep(self, key: Hashable, packing: Packing) -> None:
        """Keep a packing for all that are alike."""
        slots = tuple(replace(each, pool=self._numbers[each.pool]) for each in packing.slots)
        self.found.packings[key] = replace(packing, slots=slots) if slots else packing


def shared_search(
    roles: Sequence[PlacementRole],
    domains: Sequence[Domain],
    classes: Sequence[NodeClass],
    alike: Sequence[tuple[int, ...]],
    inside: Sequence[frozenset[int]],
) -> SharedSearch:
    """What is known of searches that are like one; ``inside`` are the classes of each domain."""
    used = sorted(frozenset[int]().union(*inside, *(role.classes for role in roles)))
    numbers = {index: number for number, index in enumerate(used)}

    def local(indices: frozenset[int]) -> frozenset[int]:
        return frozenset(numbers[index] for index in indices)

    values: dict[tuple[str, str], int] = {}
    key = (
        tuple(_role(role, local(role.classes)) for role in roles),
        tuple((_values(domain.values, values), local(within)) for domain, within in zip(domains, inside, strict=True)),
        tuple((frozenset(classes[index].room.items()), classes[index].count) for index in used),
        tuple(alike),
    )
    if key not in _known:
        if len(_known) >= _MOST:
            _known.clear()
        _known[key] = Found()
    return SharedSearch(_known[key], [classes[index].pool for index in used])


def _role(role: PlacementRole, classes: frozenset[int]) -> Hashable:
    bound = (role.attractions, role.repulsions, role.ties, role.starts)
    limits = (role.per_node, role.apart, role.lenient, role.spread_from)
    return (frozenset(role.requests.items()), role.count, classes, bound, limits)


def _values(values: Mapping[str, str | None], seen: dict[tuple[str, str], int]) -> Hashable:
    """The values of a domain, each by its number among those of its key: only which are equal matters."""
    return tuple(
        (key, None if value is None else seen.setdefault((key, value), len(seen)))
        for key, value in sorted(values.items())
    )
