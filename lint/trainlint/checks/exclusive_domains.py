"""Pods that are placed as one and ask for more or larger domains than there are (S 2; W 5, 6, 8, 11; decision 8)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from trainlint.fact import fact
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import Colocation, PodSet, Workload
from trainlint.proof.colocation_units import key_of, sizes_of
from trainlint.proof.feasibility import Feasibility
from trainlint.scheduling.filter import Refusal
from trainlint.scheduling.node import OWN, Node

__all__ = ["ExclusiveCause", "exclusive_causes"]

Judged = tuple[Feasibility, Sequence[Node]]

_UNLIMITED = 1 << 40


@fact
class ExclusiveCause:
    """``units`` parts of an object want a domain each, for themselves if that is exclusive; ``domains`` can take one.

    ``size`` is the number of pods of a part where every domain is too small for it, and 0 where there are only too few;
    ``room`` is then what the largest domain takes.
    """

    pod_sets: tuple[PodSet, ...]
    together: Colocation
    units: int
    domains: tuple[str, ...]
    size: int = 0
    room: int = 0


@fact
class _Domains:
    """The domains that pods of one set may use: name to the most pods that fit there; ``many`` more of equal nodes."""

    room: dict[str, int]
    requests: Mapping[str, Known[int]]
    own: int = 0
    own_room: int = 0

    @property
    def number(self) -> int:
        return len(self.room) + self.own

    def fitting(self, size: int) -> int:
        """How many domains take that many pods."""
        return sum(room >= size for room in self.room.values()) + (self.own if self.own_room >= size else 0)

    @property
    def largest(self) -> int:
        return max([*self.room.values(), self.own_room if self.own else 0], default=0)


def exclusive_causes(
    workloads: Iterable[Workload], judge: Callable[[PodSet], Judged | None]
) -> Iterator[ExclusiveCause]:
    """The first fault of every object with pods that are placed as one; nothing where the nodes are unknown.

    ``judge`` gives the nodes of a pod set with its feasibility on them, ``None`` where there may be others.
    """
    for workload in workloads:
        asked: dict[str, list[tuple[PodSet, Colocation]]] = defaultdict(list)
        for pods in workload.pod_sets if any(each.placed_by for each in workload.pod_sets) else ():
            for together in (pods.together, pods.parts):
                if together is not None and pods.replicas != 0 and not together.doubt:
                    asked[together.by].append((pods, together))
        found = next((cause for members in asked.values() for cause in _causes(members, judge)), None)
        if found is not None:
            yield found


def _causes(
    members: Sequence[tuple[PodSet, Colocation]], judge: Callable[[PodSet], Judged | None]
) -> Iterator[ExclusiveCause]:
    units = _units(members)
    together = members[0][1]
    key = key_of(together)
    copies = members[0][0].instances
    if isinstance(units, Undetermined) or isinstance(key, Undetermined) or isinstance(copies, Undetermined):
        return
    domains = {id(pods): _domains(pods, key, judge) for pods, _ in members}
    if any(found is None for found in domains.values()):
        return
    known = {name: found for name, found in domains.items() if found is not None}
    for unit, number in Counter(units).items():
        pod_sets = tuple(pods for pods, _ in members if any(each == id(pods) for each, _ in unit))
        alike = len({frozenset(known[each].requests.items()) for each, _ in unit}) == 1
        whole = sum(size for _, size in unit) if alike else 0  # equal pods of several roles share the room of a domain
        for each, own_size in unit:
            found, size = known[each], max(own_size, whole)
            if found.number and found.largest < size:
                room = found.largest
                yield ExclusiveCause(pod_sets, together, number, tuple(sorted(found.room)), size=size, room=room)
            if together.exclusive and found.fitting(size) < number * copies:
                names = tuple(sorted(name for name, room in found.room.items() if room >= size))
                yield ExclusiveCause(pod_sets, together, number * copies, names)
    priorities = {pods.spec.priority_class for pods, _ in members}
    if together.exclusive and len(priorities) == 1:  # exclusive only within one priority (S 2.3)
        values = {name for found in known.values() for name in found.room}
        own = max(found.own for found in known.values())
        if len(units) * copies > len(values) + own:
            pod_sets = tuple(pods for pods, _ in members)
            yield ExclusiveCause(pod_sets, together, len(units) * copies, tuple(sorted(values)))


def _units(members: Sequence[tuple[PodSet, Colocation]]) -> Known[tuple[tuple[tuple[int, int], ...], ...]]:
    """Each unit as the pod sets (by identity) that have pods in it, with how many."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for pods, together in members:
        sizes = sizes_of(pods, together)
        if isinstance(sizes, Undetermined):
            return sizes
        for number, size in enumerate(sizes):
            name = f"{together.unit} {number}" if together.per_block else together.unit
            if size > 0:
                found[name].append((id(pods), size))
    return tuple(tuple(each) for each in found.values())


def _domains(pods: PodSet, key: str, judge: Callable[[PodSet], Judged | None]) -> _Domains | None:
    judged = judge(pods)
    if judged is None:
        return None
    feasible, nodes = judged
    room: dict[str, int] = defaultdict(int)
    own = own_room = 0
    for index, verdicts in feasible.verdicts.items():
        if any(isinstance(each, Refusal) for each in verdicts):
            continue
        node = nodes[index]
        domain, count = node.domain(key), node.pool.maximum
        if isinstance(domain, Undetermined):
            return None
        if domain is None:
            continue
        each = _room(feasible, node)
        if domain == OWN:
            own += _UNLIMITED if count is None else count
            own_room = max(own_room, each)
        else:
            room[domain] += _UNLIMITED if count is None else each * count
    return _Domains(dict(room), feasible.pod.requests.amounts, own, own_room)


def _room(feasible: Feasibility, node: Node) -> int:
    """The most pods that one empty node takes."""
    if node.allocatable is None:
        return _UNLIMITED
    fits = _UNLIMITED
    for name, amount in {**feasible.pod.requests.amounts, "pods": 1}.items():
        there = max(_number(node.allocatable.get(name, 0)), node.ceiling.get(name, 0))
        if isinstance(amount, int) and amount > 0:
            fits = min(fits, there // amount)
    return fits


def _number(amount: Known[int]) -> int:
    return amount if isinstance(amount, int) else _UNLIMITED
