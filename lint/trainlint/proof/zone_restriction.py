"""The part of a placement problem that lies in each zone, looked up once, as there may be thousands of zones."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from trainlint.fact import remembered
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.reachability import NO_DOMAIN
from trainlint.scheduling.placement import Placements
from trainlint.scheduling.state import classes_of

__all__ = ["ZoneRestriction", "classes_in", "zones_of"]


def _zones(problem: PlacementProblem) -> dict[int, str]:
    """The zone of each node, by number."""
    return {
        pool: problem.zone(index) or NO_DOMAIN for index, domain in enumerate(problem.domains) for pool in domain.pools
    }


def _classes(problem: PlacementProblem) -> dict[str, frozenset[int]]:
    """The classes of nodes in each zone."""
    found: dict[str, set[int]] = defaultdict(set)
    for index, inside in enumerate(classes_of(problem.domains, problem.classes)):
        found[problem.zone(index) or NO_DOMAIN] |= inside
    return {zone: frozenset(classes) for zone, classes in found.items()}


zones_of = remembered(_zones, most=16)
classes_in = remembered(_classes, most=16)


class ZoneRestriction:
    """A placement problem restricted to one zone at a time; the content of each zone is looked up once."""

    def __init__(self, problem: PlacementProblem) -> None:
        self._problem = problem
        self._inside = classes_of(problem.domains, problem.classes)
        self._domains: dict[str, list[int]] = defaultdict(list)
        for index in range(len(problem.domains)):
            self._domains[problem.zone(index) or NO_DOMAIN].append(index)
        others = frozenset[int]().union(*(role.classes for role in problem.roles[problem.own :]))
        self._others = [index for index, inside in enumerate(self._inside) if not inside.isdisjoint(others)]

    def pools(self, zone: str) -> list[int]:
        """The pools of a zone, by number of the node."""
        return [pool for index in self._domains.get(zone, ()) for pool in self._problem.domains[index].pools]

    def to(self, zone: str) -> Placements:
        """The placements of the group's own roles inside one zone, with the workloads they want to be near anywhere."""
        problem, mine = self._problem, self._domains.get(zone, [])
        usable = frozenset[int]().union(*(self._inside[index] for index in mine))
        roles = [
            role if index >= problem.own else replace(role, classes=role.classes & usable)
            for index, role in enumerate(problem.roles)
        ]
        kept = sorted({*mine, *self._others})
        inside = [self._inside[index] for index in kept]
        return Placements(roles, [problem.domains[index] for index in kept], problem.classes, problem.alike, inside)
