"""Whether pods that fit together can still be placed so unluckily that some of them find no room.

The scheduler places one pod at a time and never moves one. Pods of one role alone waste nothing: a node takes as many
of them in any order. So for each role the question is how much room the pods of all other roles can take from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from trainlint.model.known import Answer
from trainlint.scheduling.packing import Demand, NodeClass, capacity, pods_per_node

__all__ = ["always_fits", "crowded_out"]

LOADS = 2_000
"""Loads of one node that are looked at; above it the answer is unknown."""

Load = tuple[int, ...]


def always_fits(classes: Sequence[NodeClass], demands: Sequence[Demand]) -> Answer:
    """Whether every order of placement finds room for all pods, given that some order does.

    Proved by a bound on the room that others can take; refuted by an order that leaves too little.
    """
    answers = {_always_finds_room(classes, demand, demands) for demand in demands}
    return next((each for each in (Answer.REFUTED, Answer.UNKNOWN) if each in answers), Answer.PROVED)


def crowded_out(classes: Sequence[NodeClass], demands: Sequence[Demand]) -> int | None:
    """The role (index) of which some order leaves pods without room; ``None`` where no order is known to do so."""
    refuted = (each.role for each in demands if _always_finds_room(classes, each, demands) is Answer.REFUTED)
    return next(refuted, None)


def _always_finds_room(classes: Sequence[NodeClass], demand: Demand, demands: Sequence[Demand]) -> Answer:
    """Whether the pods of one demand find room, however those of all others are placed."""
    others = [each for each in demands if each is not demand and each.count > 0]
    room = sum(capacity(classes[index], demand) for index in demand.classes)
    asked = sum(each.count for each in demands if each.role == demand.role and each.classes == demand.classes)
    others = [each for each in others if each.role != demand.role or each.classes != demand.classes]
    worst = _worst_loads(classes, demand, others)
    if worst is None:
        return Answer.UNKNOWN
    total = sum(each.count for each in others)
    price = max((Fraction(loss, sum(load)) for _, load, loss in worst), default=Fraction(0))
    if room - int(total * price) >= asked:
        return Answer.PROVED
    return Answer.REFUTED if room - _taken(classes, others, worst) < asked else Answer.UNKNOWN


def _worst_loads(
    classes: Sequence[NodeClass], demand: Demand, others: Sequence[Demand]
) -> list[tuple[int, Load, int]] | None:
    """Loads of other pods on one node of a class that cost the demand room: (class, load, pods of it that lose out)."""
    found: list[tuple[int, Load, int]] = []
    looked = 0
    for index in sorted(demand.classes):
        node = classes[index]
        alone = pods_per_node(node.room, {}, demand)
        limits = [
            min(pods_per_node(node.room, {}, each), each.count) if index in each.classes else 0 for each in others
        ]
        looked += prod(limit + 1 for limit in limits)
        if looked > LOADS:
            return None
        found += [
            (index, load, alone - left)
            for load in product(*(range(limit + 1) for limit in limits))
            if any(load) and (left := _left(node, demand, others, load)) is not None and left < alone
        ]
    return found


def _left(node: NodeClass, demand: Demand, others: Sequence[Demand], load: Load) -> int | None:
    """How many pods of the demand the node takes beside the load; ``None`` if the load itself does not fit."""
    free = dict(node.room)
    pods: dict[int, int] = {}
    for each, count in zip(others, load, strict=True):
        if count == 0:
            continue
        if pods_per_node(free, pods, each) < count:
            return None
        for name, amount in each.requests.items():
            free[name] = free.get(name, 0) - amount * count
        pods[each.role] = pods.get(each.role, 0) + count
    return pods_per_node(free, pods, demand)


def _taken(classes: Sequence[NodeClass], others: Sequence[Demand], worst: list[tuple[int, Load, int]]) -> int:
    """The room that is surely lost in one order: the most expensive loads first, as long as pods and nodes last."""
    left = [each.count for each in others]
    nodes: dict[int, int] = {}
    taken = 0
    for index, load, loss in sorted(worst, key=lambda item: (-Fraction(item[2], sum(item[1])), sum(item[1]))):
        free_nodes = nodes.setdefault(index, classes[index].count)
        times = min([free_nodes, *(have // need for have, need in _pairs(left, load))])
        if times <= 0:
            continue
        nodes[index] -= times
        left = [have - need * times for have, need in zip(left, load, strict=True)]
        taken += loss * times
    return taken


def _pairs(left: Sequence[int], load: Load) -> Iterator[tuple[int, int]]:
    return ((have, need) for have, need in zip(left, load, strict=True) if need)
