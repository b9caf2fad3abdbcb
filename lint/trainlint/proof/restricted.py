"""What of a cast lies in which zone; it is looked for once, as there may be thousands of zones."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from trainlint.fact import remembered
from trainlint.proof.roles import Cast
from trainlint.reachability import NO_DOMAIN
from trainlint.scheduling.placement import Placements
from trainlint.scheduling.state import classes_of

__all__ = ["Restricted", "classes_in", "zones_of"]


def _zones(cast: Cast) -> dict[int, str]:
    """The zone of each node, by number."""
    return {pool: cast.zone(index) or NO_DOMAIN for index, domain in enumerate(cast.domains) for pool in domain.pools}


def _classes(cast: Cast) -> dict[str, frozenset[int]]:
    """The classes of nodes in each zone."""
    found: dict[str, set[int]] = defaultdict(set)
    for index, inside in enumerate(classes_of(cast.domains, cast.classes)):
        found[cast.zone(index) or NO_DOMAIN] |= inside
    return {zone: frozenset(classes) for zone, classes in found.items()}


zones_of = remembered(_zones, most=16)
classes_in = remembered(_classes, most=16)


class Restricted:
    """A cast inside one zone after the other; what lies in which of them is looked for once."""

    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._inside = classes_of(cast.domains, cast.classes)
        self._domains: dict[str, list[int]] = defaultdict(list)
        for index in range(len(cast.domains)):
            self._domains[cast.zone(index) or NO_DOMAIN].append(index)
        others = frozenset[int]().union(*(role.classes for role in cast.roles[cast.own :]))
        self._others = [index for index, inside in enumerate(self._inside) if not inside.isdisjoint(others)]

    def pools(self, zone: str) -> list[int]:
        """The pools of a zone, by number of the node."""
        return [pool for index in self._domains.get(zone, ()) for pool in self._cast.domains[index].pools]

    def to(self, zone: str) -> Placements:
        """The placements of the group's own roles inside one zone, with the workloads they want to be near anywhere."""
        cast, mine = self._cast, self._domains.get(zone, [])
        usable = frozenset[int]().union(*(self._inside[index] for index in mine))
        roles = [
            role if index >= cast.own else replace(role, classes=role.classes & usable)
            for index, role in enumerate(cast.roles)
        ]
        kept = sorted({*mine, *self._others})
        inside = [self._inside[index] for index in kept]
        return Placements(roles, [cast.domains[index] for index in kept], cast.classes, cast.alike, inside)
