"""What a node sees of the slices: pools, whether they are complete and valid, and their devices in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.devices import Consumption, DeviceId, DeviceReach, DeviceSlice, SliceDevice
from trainlint.model.selector import NodeSelectorTerm
from trainlint.scheduling.devices.outcome import AllocationError, DeviceGround
from trainlint.scheduling.node import Node
from trainlint.scheduling.node_affinity import term_error, term_matches
from trainlint.scheduling.ternary import some

__all__ = ["Candidate", "DevicePool", "Offer", "reaches", "selected"]


@fact(eq=False)
class Candidate:
    """A device that a node sees; ``invalid``: it stands for a pool that no search may come to."""

    id: DeviceId
    device: SliceDevice
    slice: DeviceSlice
    invalid: bool = False


@fact(eq=False)
class DevicePool:
    """A pool as a node sees it: its slices of devices, all slices of it anywhere, the counters of all sets."""

    driver: str
    name: str
    incomplete: bool = False
    invalid: bool = False
    slices: tuple[DeviceSlice, ...] = ()
    everywhere: tuple[DeviceSlice, ...] = ()
    counters: tuple[Consumption, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether its devices can be had."""
        return not (self.incomplete or self.invalid)

    def candidates(self) -> Iterator[Candidate]:
        """Its devices, in the order in which they are tried."""
        for each in self.slices:
            if self.invalid:
                yield Candidate((self.driver, self.name, ""), SliceDevice(""), each, invalid=True)
                return
            for device in each.devices:
                yield Candidate((self.driver, self.name, device.name), device, each)


def selected(terms: Iterable[NodeSelectorTerm], node: Node) -> bool | None:
    """Whether one of the terms matches the node; ``None`` where that is not known.

    Raises AllocationError for a malformed one.
    """
    written = [term for term in terms if term.expressions or term.fields]
    for term in written:
        if problem := term_error(term):
            raise AllocationError(Because(DeviceGround.NODE_SELECTOR, (problem,)))
    return some(term_matches(term, node) for term in written)


def reaches(reach: DeviceReach, node: Node) -> bool | None:
    """Whether devices can be used from the node; ``None`` where that is not known. Raises AllocationError."""
    if reach.node:
        return node.name == reach.node
    if reach.everywhere:
        return True
    return reach.terms is not None and selected(reach.terms, node)


class Offer:
    """All slices, found by node and by pool; ``earlier``: before Kubernetes 1.36, only what a node sees counts."""

    def __init__(self, slices: Sequence[DeviceSlice], *, earlier: bool = False) -> None:
        self.slices = slices
        self._earlier = earlier
        self._at: dict[str, list[DeviceSlice]] = defaultdict(list)
        self._of: dict[tuple[str, str], list[DeviceSlice]] = defaultdict(list)
        self._elsewhere: list[DeviceSlice] = []
        for each in slices:
            self._of[each.driver, each.pool].append(each)
            if each.reach.node and not each.counters:
                self._at[each.reach.node].append(each)
            else:
                self._elsewhere.append(each)

    @cached_property
    def devices(self) -> Mapping[DeviceId, SliceDevice]:
        """Every device of any slice."""
        return {(each.driver, each.pool, device.name): device for each in self.slices for device in each.devices}

    def seen(self, node: Node, *, unknown: bool) -> tuple[DevicePool, ...]:
        """The pools that the node sees, in the order in which they are tried; a slice of which it is not known whether
        the node sees it is seen if ``unknown`` says so. Raises AllocationError.
        """
        pools: dict[tuple[str, str], list[DeviceSlice]] = {}
        for each in (*self._at.get(node.name, ()), *self._elsewhere):
            verdict = _relevant(each, node)
            if verdict or (verdict is None and unknown):
                pools.setdefault((each.driver, each.pool), []).append(each)
        made = (self._pool(key, found) for key, found in pools.items())
        return tuple(sorted((each for each in made if each is not None), key=_order))

    def _pool(self, key: tuple[str, str], seen: list[DeviceSlice]) -> DevicePool | None:
        newest = max(each.generation for each in seen)
        kept = sorted((each for each in seen if each.generation == newest), key=lambda each: each.name)
        if self._earlier:
            twice = _twice([device.name for each in kept for device in each.devices])
            return DevicePool(*key, len(kept) != kept[0].slices, twice, tuple(kept), tuple(kept))
        everywhere = [each for each in self._of[key] if each.generation == newest]
        if len(kept) != kept[0].slices:
            if any(each.generation > newest for each in self._of[key]):
                return None
            if len(everywhere) != kept[0].slices:
                return DevicePool(*key, incomplete=True)
        counters = [sets for each in kept for sets in each.counters]
        devices = tuple(each for each in kept if not each.counters)
        if _twice([device.name for each in devices for device in each.devices]) or _twice(
            [each.counter_set for each in counters]
        ):
            return DevicePool(*key, invalid=True)
        known = {(each.counter_set, name) for each in counters for name, _ in each.counters}
        sets = {each.counter_set for each in counters}
        for each in everywhere if len(kept) != kept[0].slices else kept:
            for device in each.devices:
                if not _defined(device, sets, known):
                    return DevicePool(*key, invalid=True)
        return DevicePool(*key, slices=devices, everywhere=tuple(everywhere), counters=tuple(counters))


def _relevant(each: DeviceSlice, node: Node) -> bool | None:
    if each.counters:
        return True
    if each.reach.given:
        return reaches(each.reach, node)
    return each.per_device and some(reaches(device.reach, node) for device in each.devices)


def _order(pool: DevicePool) -> tuple[bool, str, str]:
    binds = any(device.binding_conditions for each in pool.slices for device in each.devices)
    return binds, pool.driver, pool.name


def _twice(names: Sequence[str]) -> bool:
    return len(set(names)) != len(names)


def _defined(device: SliceDevice, sets: set[str], known: set[tuple[str, str]]) -> bool:
    return all(
        each.counter_set in sets and all((each.counter_set, name) in known for name, _ in each.counters)
        for each in device.consumes
    )
