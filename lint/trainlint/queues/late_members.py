"""Gangs that wait for pods which are made only when others of the same gang run or have ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from trainlint.fact import fact
from trainlint.model.workload import Gang, PodSet, Wait, Workload
from trainlint.workload.gangs import pods_of

__all__ = ["LateMembers", "late_members"]


@fact
class LateMembers:
    """A gang that is never complete: ``count`` of its pods are made before ``late``, each with why it waits.

    ``awaited`` are the sets that the first of them waits for: itself where each of its pods waits for the one before.
    """

    gang: Gang
    count: int
    early: tuple[PodSet, ...]
    late: tuple[tuple[PodSet, Wait], ...]
    awaited: tuple[PodSet, ...]

    @property
    def in_order(self) -> bool:
        """Whether the pods of one set are made one after the other."""
        return self.awaited == (self.late[0][0],)


def late_members(gangs: Iterable[Gang], objects: Sequence[Workload]) -> Iterator[LateMembers]:
    """The gangs whose minimum is reached only with pods that wait for others of the gang; those that demand more pods
    than there are at all are left out, and those with pods that wait for themselves in a circle: these are refused.
    """
    homes = {id(pods): (workload, index) for workload in objects for index, pods in enumerate(workload.pod_sets)}
    for gang in gangs:
        if not isinstance(gang.minimum, int):
            continue
        late = [each for each in gang.pod_sets if _waits(each, gang, homes)]
        if not late:
            yield from _in_order(gang, homes)
            continue
        early = tuple(each for each in gang.pod_sets if all(each is not other for other in late))
        count, everything = pods_of(early), pods_of(gang.pod_sets)
        if count is None or everything is None or not count < gang.minimum <= everything:
            continue
        if any(_is_circular(*homes[id(each)]) for each in late):
            continue
        waits = tuple((each, homes[id(each)][0].waits[homes[id(each)][1]]) for each in late)
        first, wait = homes[id(late[0])][0], waits[0][1]
        yield LateMembers(gang, count, early, waits, tuple(first.pod_sets[index] for index in wait.awaited))


def _in_order(gang: Gang, homes: Mapping[int, tuple[Workload, int]]) -> Iterator[LateMembers]:
    """A gang that counts pods of sets of which each pod is made when the one before it is Ready: of these only the
    first one is made.
    """
    slow = [each for each in gang.pod_sets if id(each) in homes and _is_in_order(*homes[id(each)])]
    others = tuple(each for each in gang.pod_sets if all(each is not other for other in slow))
    count, everything = pods_of(others), pods_of(gang.pod_sets)
    if not slow or count is None or everything is None or not isinstance(gang.minimum, int):
        return
    first = count + sum(1 for each in slow if each.replicas != 0)
    if first < gang.minimum <= everything:
        workload, index = homes[id(slow[0])]
        yield LateMembers(gang, first, others, ((slow[0], workload.waits[index]),), (slow[0],))


def _is_in_order(workload: Workload, index: int) -> bool:
    """Whether each pod of a set waits for the one before it."""
    wait = workload.waits.get(index)
    return wait is not None and wait.awaited == (index,)


def _waits(
    pods: PodSet, gang: Gang, homes: Mapping[int, tuple[Workload, int]], above: frozenset[int] = frozenset()
) -> bool:
    """Whether pods of a set are made only after pods of the gang were started."""
    home = homes.get(id(pods))
    wait = None if home is None else home[0].waits.get(home[1])
    if home is None or wait is None or id(pods) in above or _is_in_order(*home):
        return False
    held = [
        any(each is other for other in gang.pod_sets if other.replicas != 0)
        or _waits(each, gang, homes, above | {id(pods)})
        for each in (home[0].pod_sets[index] for index in wait.awaited)
    ]
    return all(held) if wait.any_of else any(held)


def _is_circular(home: Workload, index: int) -> bool:
    """Whether pods of a set wait for themselves, by way of others or not."""
    seen: set[int] = set()
    ahead = [index]
    while ahead:
        wait = home.waits.get(ahead.pop())
        found = set() if wait is None else set(wait.awaited)
        if index in found:
            return True
        ahead += found - seen
        seen |= found
    return False
