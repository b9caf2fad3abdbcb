"""Whether counts of pods fit on nodes, several resources at once, by classes of equal pods and equal nodes.

Nothing here enumerates pods or nodes: a state is "so many nodes of this class hold these pods". ``pack`` first tries
greedy orders, which yield a witness; then upper bounds, which prove that no packing exists; then, for small numbers, an
exact search over what one node can hold. Where none of them decides, the answer is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations

from trainlint.effort import spend
from trainlint.fact import fact
from trainlint.model.known import Answer

__all__ = ["UNLIMITED", "Demand", "NodeClass", "Packing", "Slot", "capacity", "pack", "pods_per_node"]

UNLIMITED = 1_000_000
"""Stands for the nodes of a pool without a maximum: more than any group can use."""

ORDERS = 24
EXACT_STATES = 4_000

Resources = Mapping[str, int]


@fact
class NodeClass:
    """Equal empty nodes: the pool of one of them, what each can give, how many there are, and all of their pools."""

    pool: int
    room: Resources
    count: int
    pools: tuple[int, ...] = ()


@fact
class Demand:
    """``count`` pods of one role, each asking for ``requests``, on nodes of ``classes`` (indices).

    At most ``per_node`` pods of the role share a node, and none with a role of ``apart``.
    """

    role: int
    requests: Resources
    count: int
    classes: frozenset[int]
    per_node: int | None = None
    apart: frozenset[int] = frozenset()


@fact
class Slot:
    """``nodes`` nodes of a pool, each holding these pods (role to count)."""

    pool: int
    nodes: int
    pods: Mapping[int, int]


@fact
class Packing:
    """The answer to "do they fit": with the slots where proved, with the role that is short where refuted."""

    answer: Answer
    slots: tuple[Slot, ...] = ()
    short: int | None = None
    room: int = 0


@dataclass(slots=True)
class _Nodes:
    """Nodes of one class that hold the same pods."""

    node_class: int
    count: int
    free: dict[str, int]
    pods: dict[int, int] = field(default_factory=dict)


def capacity(node_class: NodeClass, demand: Demand) -> int:
    """How many pods of the demand fit on all nodes of the class, alone."""
    return pods_per_node(node_class.room, {}, demand) * node_class.count


def pack(classes: Sequence[NodeClass], demands: Sequence[Demand]) -> Packing:
    """Whether all demands fit on the nodes together."""
    wanted = [demand for demand in demands if demand.count > 0]
    for demand in wanted:
        room = sum(capacity(classes[index], demand) for index in demand.classes)
        if room < _total(wanted, demand):
            return Packing(Answer.REFUTED, short=demand.role, room=room)
    for order in _orders(classes, wanted):
        spend(4 * (1 + len(order)))
        slots = _greedy(classes, order)
        if slots is not None:
            return Packing(Answer.PROVED, slots=slots)
    if (resource_short := _over_total(classes, wanted)) is not None:
        return Packing(Answer.REFUTED, short=resource_short)
    return _exact(classes, wanted)


def _total(demands: Iterable[Demand], like: Demand) -> int:
    """All pods of one role that are confined to the same or fewer nodes."""
    return sum(each.count for each in demands if each.role == like.role and each.classes <= like.classes)


def pods_per_node(free: Resources, pods: Mapping[int, int], demand: Demand) -> int:
    """How many more pods of the demand one node takes."""
    if not demand.apart.isdisjoint(pods):
        return 0
    fits: int | None = None
    for name, amount in demand.requests.items():  # the innermost step of every proof
        if amount > 0:
            room = free.get(name, 0) // amount
            if fits is None or room < fits:
                fits = room
    if fits is None:  # it takes no room: pods of others, which are there already
        fits = UNLIMITED
    if demand.per_node is not None:
        fits = min(fits, demand.per_node - pods.get(demand.role, 0))
    return max(fits, 0)


def _orders(classes: Sequence[NodeClass], demands: Sequence[Demand]) -> Iterator[Sequence[Demand]]:
    """Orders to try: the demand with the least choice first, then all others."""

    if len(demands) < 2:
        return iter((demands,))

    def choice(demand: Demand) -> tuple[int, int]:
        room = sum(capacity(classes[index], demand) for index in demand.classes)
        return (room // max(demand.count, 1), -sum(demand.requests.values()))

    return islice(permutations(sorted(demands, key=choice)), ORDERS)


def _greedy(classes: Sequence[NodeClass], demands: Sequence[Demand]) -> tuple[Slot, ...] | None:
    states = [
        _Nodes(index, classes[index].count, dict(classes[index].room))
        for index in _used(demands)
        if classes[index].count > 0
    ]
    for demand in demands:
        left = demand.count
        eligible = [state for state in states if state.node_class in demand.classes]
        for state in sorted(eligible, key=lambda state: _waste(state, demand)):
            fits = pods_per_node(state.free, state.pods, demand)
            if fits == 0 or left == 0:
                continue
            full = min(state.count, left // fits)
            if full:
                states.append(_with(state, demand, fits, full))
                left -= full * fits
            if left and state.count > full:
                states.append(_with(state, demand, min(left, fits), 1))
                left -= min(left, fits)
                full += 1
            state.count -= full
        if left:
            return None
        states = [state for state in states if state.count > 0]
    return tuple(Slot(classes[state.node_class].pool, state.count, dict(state.pods)) for state in states if state.pods)


def _used(demands: Sequence[Demand]) -> list[int]:
    """The classes that some demand may use, in their order: of thousands, a zone has a few."""
    return sorted(frozenset[int]().union(*(demand.classes for demand in demands)))


def _waste(state: _Nodes, demand: Demand) -> tuple[int, int, int]:
    """Prefer nodes that have nothing special which the pod does not use, then nodes in use, then the fullest."""
    unused = sum(1 for name, amount in state.free.items() if amount > 0 and name not in demand.requests)
    return (unused, 0 if state.pods else 1, pods_per_node(state.free, state.pods, demand))


def _with(state: _Nodes, demand: Demand, pods: int, nodes: int) -> _Nodes:
    free = {name: amount - demand.requests.get(name, 0) * pods for name, amount in state.free.items()}
    return _Nodes(state.node_class, nodes, free, {**state.pods, demand.role: state.pods.get(demand.role, 0) + pods})


def _over_total(classes: Sequence[NodeClass], demands: Sequence[Demand]) -> int | None:
    """The role to blame if, for some resource, all that is asked is more than all nodes that anyone may use have."""
    for name in sorted({name for demand in demands for name in demand.requests}):
        askers = [demand for demand in demands if demand.requests.get(name, 0) > 0]
        nodes = frozenset[int]().union(*(demand.classes for demand in askers))
        asked = sum(demand.requests[name] * demand.count for demand in askers)
        if asked > sum(classes[index].room.get(name, 0) * classes[index].count for index in nodes):
            return max(askers, key=lambda demand: demand.requests[name] * demand.count).role
    return None


def _exact(classes: Sequence[NodeClass], demands: Sequence[Demand]) -> Packing:
    """Exact for small numbers: the sets of counts that the nodes seen so far can take, node by node."""
    states = 1
    for demand in demands:
        states *= demand.count + 1
    if states > EXACT_STATES:
        return Packing(Answer.UNKNOWN)
    total = sum(demand.count for demand in demands)
    goal = tuple(demand.count for demand in demands)
    reached: dict[tuple[int, ...], tuple[Slot, ...]] = {tuple(0 for _ in demands): ()}
    for index in _used(demands):
        node_class = classes[index]
        loads = list(_loads(node_class, index, demands))
        if not loads:
            continue
        for _ in range(min(node_class.count, total)):
            grown = dict(reached)
            for counts, slots in reached.items():
                for load in loads:
                    more = tuple(a + b for a, b in zip(counts, load, strict=True))
                    if more not in grown and all(a <= b for a, b in zip(more, goal, strict=True)):
                        grown[more] = (*slots, _slot(node_class, demands, load))
            if len(grown) == len(reached):
                break
            reached = grown
            if goal in reached:
                return Packing(Answer.PROVED, slots=reached[goal])
    return Packing(Answer.REFUTED, short=max(demands, key=lambda each: sum(each.requests.values())).role)


def _loads(node_class: NodeClass, index: int, demands: Sequence[Demand]) -> Iterator[tuple[int, ...]]:
    """Every non-empty load that one node can hold; smaller loads matter too, because counts must be met exactly."""

    def extend(at: int, free: dict[str, int], pods: dict[int, int], load: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if at == len(demands):
            if any(load):
                yield load
            return
        demand = demands[at]
        fits = min(pods_per_node(free, pods, demand), demand.count) if index in demand.classes else 0
        for count in range(fits, -1, -1):
            left = {name: amount - demand.requests.get(name, 0) * count for name, amount in free.items()}
            held = {**pods, demand.role: pods.get(demand.role, 0) + count} if count else pods
            yield from extend(at + 1, left, held, (*load, count))

    yield from extend(0, dict(node_class.room), {}, ())


def _slot(node_class: NodeClass, demands: Sequence[Demand], load: Sequence[int]) -> Slot:
    pods: dict[int, int] = {}
    for demand, count in zip(demands, load, strict=True):
        if count:
            pods[demand.role] = pods.get(demand.role, 0) + count
    return Slot(node_class.pool, 1, pods)
