"""Where Kueue places pods in a topology: Topology-Aware Scheduling with slices and leaders (S 2.2).

The domain that is found is the one that fits best, and inside it as few domains as possible, biggest first
(kubernetes-sigs/kueue:pkg/cache/scheduler/tas_flavor_snapshot.go, with the default gates).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainlint.fact import fact
from trainlint.model.queued import Slices, TopologyRequest
from trainlint.scheduling.kueue.domains import Forest, Path, Requests, TopologyDomain
from trainlint.scheduling.kueue.match import level_of
from trainlint.scheduling.kueue.requested import Team

__all__ = ["Places", "place"]

Places = Mapping[Path, int]
"""How many pods in which leaf."""


@fact
class _Wanted:
    """What is looked for: ``count`` pods in slices of ``size``; ``led`` is 1 with a leader."""

    count: int
    size: int
    led: int
    required: bool
    least: bool
    slice_level: int
    inner: Mapping[int, int]

    @property
    def slices(self) -> int:
        """How many slices that makes."""
        return self.count // self.size


def place(
    forest: Forest, workers: Team, leader: Team | None, used: Mapping[Path, Requests], *, implied: bool
) -> tuple[Places, Places] | None:
    """Where the workers and the leader go; ``None`` where there is no room, or what is asked for makes no sense."""
    request = workers.topology or TopologyRequest()
    level = level_of(request, forest.levels) or (forest.levels[-1] if implied else None)
    if level is None or level not in forest.levels:
        return None
    wanted = _wanted(forest, workers, request, led=leader is not None, implied=implied)
    index = forest.levels.index(level)
    if wanted is None or index > wanted.slice_level:
        return None
    requests = None if leader is None else leader.requests
    slicing = (wanted.size, wanted.slice_level, wanted.inner)
    forest.fill(workers.spec, workers.requests, requests, used, slicing)
    found = _fitting(forest, index, wanted)
    if found is None:
        return None
    leaves = _descend(forest, *found, wanted)
    places = {each.path: each.pods for each in leaves if each.pods}
    return places, {each.path: each.leader for each in leaves if each.leader}


def _wanted(forest: Forest, workers: Team, request: TopologyRequest, *, led: bool, implied: bool) -> _Wanted | None:
    first = request.slices[0] if request.slices else Slices(forest.levels[-1], 1)
    if first.size is None or first.size <= 0 or first.level not in forest.levels:
        return None
    inner = _inner(forest, request.slices, first.size)
    if inner is None:
        return None
    only_slices = bool(request.slices) and request.required is None and request.preferred is None
    return _Wanted(
        workers.count,
        first.size,
        int(led),
        request.required is not None,
        bool(request.unconstrained) or implied or only_slices,
        forest.levels.index(first.level),
        inner,
    )


def _inner(forest: Forest, slices: Sequence[Slices], size: int) -> dict[int, int] | None:
    """The sizes of the slices inside of slices, for every level; ``None`` where they do not divide each other."""
    found: dict[int, int] = {}
    above = forest.levels.index(slices[0].level) if slices else 0
    for each in slices[1:]:
        level = forest.levels.index(each.level) if each.level in forest.levels else -1
        if level <= above or not each.size or size % each.size:
            return None
        found |= dict.fromkeys(range(above + 1, level + 1), each.size)
        size, above = each.size, level
    return found


def _fitting(forest: Forest, level: int, wanted: _Wanted) -> tuple[int, list[TopologyDomain]] | None:
    """The domains of a level, or of one above it, that together hold everything."""
    domains = _by_leader(forest.at(level), wanted)
    if not domains:
        return None
    if wanted.least:
        for each in domains:
            if each.leader >= wanted.led and each.slices_beside >= wanted.slices:
                return level, [each]
        if wanted.required:
            return None
    top = domains[0]
    if top.slices_beside >= wanted.slices and top.leader >= wanted.led:
        best = top if wanted.least else _best(domains, wanted.slices, wanted.led, slices=True)
        return level, [best]
    if wanted.required:
        return None
    if level > 0 and not wanted.least:
        return _fitting(forest, level - 1, wanted)
    several = _several(domains, wanted)
    return None if several is None else (level, several)


def _several(domains: Sequence[TopologyDomain], wanted: _Wanted) -> list[TopologyDomain] | None:
    """As few domains as possible: those that take leaders first."""
    ordered = _with_leader_first(domains, wanted.count, wanted.led, wanted.size, slices=True)
    found: list[TopologyDomain] = []
    slices, led, number = wanted.slices, wanted.led, 0
    while led > 0 and number < len(ordered) and ordered[number].leader > 0:
        each = ordered[number]
        if not wanted.least and each.slices_beside >= slices:
            each = _best(ordered[number:], slices, led, slices=True)
        found.append(each)
        led, slices, number = led - each.leader, slices - each.slices_beside, number + 1
    if led > 0:
        return None
    ordered = _by_size(ordered[number:], least=wanted.least)
    for number, first in enumerate(ordered):
        if slices <= 0:
            break
        each = first
        if not wanted.least and each.slices >= slices:
            each = _best(ordered[number:], slices, 0, slices=True)
        found.append(each)
        slices -= each.slices
    return found if slices <= 0 else None


def _descend(forest: Forest, level: int, domains: list[TopologyDomain], wanted: _Wanted) -> list[TopologyDomain]:
    """From the domains that were found to leaves: above the slices all children compete, below them each domain's
    pods go to its own children.
    """
    found = _shared(domains, wanted.count, wanted.led, wanted.size, wanted, slices=True)
    last = len(forest.levels) - 1
    while level < min(last, wanted.slice_level):
        below = _by_size([child for each in found for child in each.children], least=wanted.least)
        found = _shared(below, wanted.count, wanted.led, wanted.size, wanted, slices=True)
        level += 1
    while level < last:
        size = wanted.inner.get(level + 1, 1) if level >= wanted.slice_level else wanted.size
        lower: list[TopologyDomain] = []
        for each in found:
            below = _by_size(each.children, least=wanted.least)
            for child in below if size > 1 else ():
                child.slices, child.slices_beside = child.pods // size, child.pods_beside // size
            lower += _shared(below, each.pods, each.leader, size, wanted, slices=size > 1)
        found = lower
        level += 1
    return found


def _shared(
    domains: Sequence[TopologyDomain], count: int, led: int, size: int, wanted: _Wanted, *, slices: bool
) -> list[TopologyDomain]:
    """The domains that take the pods, each with its part in ``pods`` and ``leader``."""
    ordered = _with_leader_first(domains, count, led, size, slices=slices)
    left = count // size if slices else count
    unit = size if slices else 1
    found: list[TopologyDomain] = []
    for number, first in enumerate(ordered):
        each = first
        if led > 0:
            beside = each.slices_beside if slices else each.pods_beside
            if not wanted.least and beside >= left and each.leader >= led:
                each = _best(ordered[number:], left, led, slices=slices)
                beside = each.slices_beside if slices else each.pods_beside
            found.append(each)
            if beside >= left and each.leader >= led:
                each.leader, each.pods = led, left * unit
                return found
            taken = min(beside, left)
            each.leader = min(each.leader, led)
            each.pods = taken * unit
            led, left = led - each.leader, left - taken
            continue
        has = each.slices if slices else each.pods
        if not wanted.least and has >= left:
            each = _best(ordered[number:], left, 0, slices=slices)
            has = each.slices if slices else each.pods
        each.leader = 0
        found.append(each)
        if has >= left:
            each.pods = left * unit
            return found
        each.pods = has * unit
        left -= has
    return []


def _with_leader_first(
    domains: Sequence[TopologyDomain], count: int, led: int, size: int, *, slices: bool
) -> list[TopologyDomain]:
    """The first domain that takes the leader without taking the room of pods that are needed comes first."""
    ordered = list(domains)
    if led == 0 or len(ordered) < 2:
        return ordered
    needed = count // size if slices else count
    there = sum(each.slices if slices else each.pods for each in ordered)
    for number, each in enumerate(ordered):
        lost = each.slices - each.slices_beside if slices else each.pods - each.pods_beside
        if each.leader >= led and there - lost >= needed:
            return [each, *ordered[:number], *ordered[number + 1 :]]
    return ordered


def _best(domains: Sequence[TopologyDomain], needed: int, led: int, *, slices: bool) -> TopologyDomain:
    """The domain with the least that is enough; the first where none is."""

    def has(each: TopologyDomain) -> int:
        if slices:
            return each.slices_beside if led else each.slices
        return each.pods_beside if led else each.pods

    enough = [each for each in domains if each.leader >= led and has(each) >= needed]
    return min(enough, key=has, default=domains[0])


def _by_leader(domains: Sequence[TopologyDomain], wanted: _Wanted) -> list[TopologyDomain]:
    """The domains in the order in which they are looked through; without a leader nothing is lost beside one."""

    def order(each: TopologyDomain) -> tuple[object, ...]:
        slices = each.slices_beside if wanted.least else -each.slices_beside
        return -each.leader, slices, each.pods_beside, each.path

    return sorted(domains, key=order)


def _by_size(domains: Sequence[TopologyDomain], *, least: bool) -> list[TopologyDomain]:
    return sorted(domains, key=lambda each: (each.slices if least else -each.slices, each.pods, each.path))
