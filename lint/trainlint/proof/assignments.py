"""Placements as reports show them: how many pods of a set run on how many nodes of a pool."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.fact import remembered
from trainlint.proof.cause import Assignment, Where
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.proof.zone_restriction import zones_of
from trainlint.reachability import NO_DOMAIN
from trainlint.scheduling.exploration import Example
from trainlint.scheduling.packing import UNLIMITED, Packing
from trainlint.scheduling.role import State

__all__ = ["assignments", "example_assignments", "state_assignments"]


def assignments(problem: PlacementProblem, packing: Packing) -> tuple[Assignment, ...]:
    """A packing. Pools that are equal for the group are filled one after the other."""
    zones = zones_of(problem)
    pools_of = _pools_of(problem)
    left: dict[int, int] = {}
    found: list[Assignment] = []
    for slot in packing.slots:
        nodes = slot.nodes
        for pool in pools_of[slot.pool]:
            room = left.get(pool, _size(problem, pool))
            taken = min(nodes, room)
            if taken == 0:
                continue
            nodes, left[pool] = nodes - taken, room - taken
            found += (
                Assignment(
                    problem.pod_sets[role].name, problem.nodes[pool].pool.name, zones[pool], count * taken, taken
                )
                for role, count in sorted(slot.pods.items())
                if role < problem.own
            )
    return _united(found)


def state_assignments(problem: PlacementProblem, state: State) -> tuple[Assignment, ...]:
    """A state: one pod for each of its pairs."""
    return tuple(
        Assignment(problem.pod_sets[role].name, "", problem.zone(domain) or NO_DOMAIN, 1, 0)
        for role, domain in sorted(state)
        if role < problem.own
    )


def example_assignments(problem: PlacementProblem, example: Example) -> tuple[Assignment, ...]:
    """A placement that was tried node by node."""
    zones = zones_of(problem)
    pool_of = {node.name or node.pool.name: index for index, node in enumerate(problem.nodes)}
    found = []
    for pod_set, nodes in example.placed.items():
        for name, count in nodes.items():
            pool = pool_of.get(name, pool_of.get(name.rpartition("/")[0], -1))
            zone = zones.get(pool, NO_DOMAIN)
            found.append(Assignment(pod_set, problem.nodes[pool].pool.name if pool >= 0 else "", zone, count, 1))
    return _united(found)


def _pools(problem: PlacementProblem) -> dict[int, tuple[int, ...]]:
    """The pools of each class of equal nodes, by the first of them."""
    return {each.pool: each.pools or (each.pool,) for each in problem.classes}


_pools_of = remembered(_pools, most=16)


def _size(problem: PlacementProblem, pool: int) -> int:
    maximum = problem.nodes[pool].pool.maximum
    return UNLIMITED if maximum is None else maximum


def _united(found: Iterable[Assignment]) -> tuple[Assignment, ...]:
    """One assignment for each set and pool, in the order of the sets."""
    united: dict[tuple[str, str, str], Assignment] = {}
    for each in found:
        key = (each.pod_set, each.zone, each.pool)
        before = united.get(key, Assignment(each.pod_set, each.pool, each.zone, 0, 0))
        united[key] = Assignment(each.pod_set, each.pool, each.zone, before.pods + each.pods, before.nodes + each.nodes)
    order = {name: number for number, name in enumerate(dict.fromkeys(key[0] for key in united))}
    return tuple(united[key] for key in sorted(united, key=lambda key: (order[key[0]], key[1], key[2])))


def where(problem: PlacementProblem, packing: Packing) -> Where:
    """A packing as pod set, zone and number of pods."""
    zones = zones_of(problem)
    found: dict[str, dict[str, int]] = {}
    for slot in packing.slots:
        for role, count in sorted(slot.pods.items()):
            if role < problem.own:
                by_zone = found.setdefault(problem.pod_sets[role].name, {})
                by_zone[zones[slot.pool]] = by_zone.get(zones[slot.pool], 0) + count * slot.nodes
    return found


def state_where(problem: PlacementProblem, state: State) -> Where:
    """A state, one pod for each of its pairs."""
    found: dict[str, dict[str, int]] = {}
    for role, domain in sorted(state):
        by_zone, zone = found.setdefault(problem.pod_sets[role].name, {}), problem.zone(domain) or NO_DOMAIN
        by_zone[zone] = by_zone.get(zone, 0) + 1
    return found
