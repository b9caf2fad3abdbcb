"""How many pods fit where pools share a limit: zones and types of one NodePool have its nodes together, not each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from trainlint.model.known import Answer
from trainlint.scheduling.node import Node
from trainlint.scheduling.packing import Demand, NodeClass, Packing, capacity, pods_per_node

__all__ = ["affordable_room", "over_budget"]


def affordable_room(nodes: Sequence[Node], classes: Sequence[NodeClass], demand: Demand) -> int:
    """The most pods of a demand that fit, alone, within the limits that pools share."""
    if not any(node.pool.budget for node in nodes):
        return sum(capacity(classes[number], demand) for number in demand.classes)
    fits = {number: pods_per_node(classes[number].room, {}, demand) for number in demand.classes}
    return _room(nodes, classes, fits)


def over_budget(nodes: Sequence[Node], classes: Sequence[NodeClass], demands: Sequence[Demand]) -> Packing | None:
    """The refutation where limits that pools share take fewer pods than there are; ``None`` where they do not."""
    wanted = [demand for demand in demands if demand.count > 0]
    if not any(node.pool.budget for node in nodes) or not wanted:
        return None
    for demand in wanted:
        room = affordable_room(nodes, classes, demand)
        if room < sum(each.count for each in wanted if each.role == demand.role and each.classes <= demand.classes):
            return Packing(Answer.REFUTED, short=demand.role, room=room)
    fits: dict[int, int] = defaultdict(int)
    for demand in wanted:
        for number in demand.classes:
            fits[number] = max(fits[number], pods_per_node(classes[number].room, {}, demand))
    if _room(nodes, classes, fits) < sum(demand.count for demand in wanted):
        largest = max(wanted, key=lambda each: each.count)
        return Packing(Answer.REFUTED, short=largest.role)
    return None


def _room(nodes: Sequence[Node], classes: Sequence[NodeClass], fits: Mapping[int, int]) -> int:
    """The most pods on nodes that take so many each: those of one budget have its nodes together.

    Where the parts of a budget have different maxima (types of several sizes), a mix may hold a little more than
    either alone: less than one node of each more.
    """
    total = 0
    shared: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, pods in fits.items():
        for index in classes[number].pools:
            pool = nodes[index].pool
            count = classes[number].count if pool.maximum is None else pool.maximum
            if pool.budget:
                shared[pool.budget].append((count, pods))
            else:
                total += count * pods
    for parts in shared.values():
        equal = len({count for count, _ in parts}) == 1
        best = max(count * pods if equal else max((count + 1) * pods - 1, 0) for count, pods in parts)
        total += min(best, sum(count * pods for count, pods in parts))
    return total
