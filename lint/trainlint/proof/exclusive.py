"""Exclusive topology that asks for more or larger domains than there are (S 2.3; W 5, 6; decision 8)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from trainlint.fact import fact
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import PodSet, Together, Workload
from trainlint.proof.feasibility import Feasibility
from trainlint.scheduling.filter import Refusal
from trainlint.scheduling.node import OWN, Node

__all__ = ["ExclusiveCause", "exclusive_causes"]

Judged = tuple[Feasibility, Sequence[Node]]

_UNLIMITED = 1 << 40


@fact
class ExclusiveCause:
    """``units`` parts of an object want a domain of ``together.key`` each, and ``domains`` can take one.

    ``size`` is the number of pods of a part where every domain is too small for it, and 0 where there are only too few;
    ``room`` is then what the largest domain takes.
    """

    pod_sets: tuple[PodSet, ...]
    together: Together
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
    """The first fault of every object with exclusive topology; nothing where nobody knows the nodes.

    ``judge`` gives the nodes of a pod set with its feasibility on them, ``None`` where there may be others.
    """
    for workload in workloads:
        sets = [pods for pods in workload.pod_sets if pods.together and pods.together.exclusive and pods.replicas != 0]
        found = next(_causes(sets, judge), None) if sets else None
        if found is not None:
            yield found


def _causes(sets: Sequence[PodSet], judge: Callable[[PodSet], Judged | None]) -> Iterator[ExclusiveCause]:
    by_unit: dict[tuple[str, str], list[PodSet]] = defaultdict(list)
    for pods in sets:
        if pods.together is not None:
            by_unit[pods.together.key, pods.together.unit].append(pods)
    total: dict[str, tuple[int, set[str], int]] = {}
    for (key, _), members in by_unit.items():
        units, sizes = _units(members[0]), [_size(pods) for pods in members]
        domains = [_domains(pods, key, judge) for pods in members]
        if isinstance(units, Undetermined) or units == 0:
            return
        alike = len({frozenset(each.requests.items()) for each in domains if each is not None}) == 1
        whole = _sum(sizes) if alike else 0  # equal pods of several roles share the room of one domain
        for pods, own_size, found in zip(members, sizes, domains, strict=True):
            together = pods.together
            size = own_size if isinstance(own_size, Undetermined) else max(own_size, whole)
            if found is None or isinstance(size, Undetermined) or together is None:
                return
            if found.number and found.largest < size:
                yield ExclusiveCause(
                    tuple(members), together, units, tuple(sorted(found.room)), size=size, room=found.largest
                )
            if found.fitting(size) < units:
                names = tuple(sorted(name for name, room in found.room.items() if room >= size))
                yield ExclusiveCause(tuple(members), together, units, names)
            before = total.get(key, (0, set(), 0))
            if pods is members[0]:
                total[key] = (before[0] + units, before[1] | set(found.room), max(before[2], found.own))
    if len({pods.spec.priority_class for pods in sets}) > 1:  # exclusive only within one priority (S 2.3)
        return
    for key, (units, values, own) in total.items():
        together = next(pods.together for pods in sets if pods.together and pods.together.key == key)
        if together is not None and units > len(values) + own:
            yield ExclusiveCause(tuple(sets), together, units, tuple(sorted(values)))


def _sum(sizes: Iterable[Known[int]]) -> int:
    """The sum of the sizes that are known."""
    return sum(size for size in sizes if isinstance(size, int))


def _units(pods: PodSet) -> Known[int]:
    return pods.blocks if pods.together is not None and pods.together.per_block else pods.instances


def _size(pods: PodSet) -> Known[int]:
    """The pods of one unit."""
    if pods.together is None or not pods.together.per_block or isinstance(pods.replicas, Undetermined):
        return pods.replicas
    return pods.replicas // pods.blocks if isinstance(pods.blocks, int) and pods.blocks > 0 else pods.replicas


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
