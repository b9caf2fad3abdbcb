"""The domains of a topology as Kueue sees them: nodes of a flavor, added up level by level (S 2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from trainlint.fact import fact
from trainlint.kube.node import HOSTNAME
from trainlint.model.known import Undetermined
from trainlint.model.kueue import Flavor
from trainlint.model.pod import PodSpec
from trainlint.model.pool import Taint
from trainlint.scheduling.kueue.match import tolerant
from trainlint.scheduling.node import Node
from trainlint.scheduling.node_affinity import matches

__all__ = ["Forest", "Host", "Requests", "TopologyDomain", "count_in"]

_FILTERED: Final = frozenset({"NoSchedule", "NoExecute"})
_ENDLESS: Final = 2**31 - 1

Requests = Mapping[str, int]
Path = tuple[str, ...]


@fact(eq=False)
class Host:
    """A node that counts: Ready and schedulable. ``free`` is what is allocatable without what other pods use."""

    node: Node
    taints: tuple[Taint, ...]
    free: Requests


def count_in(requests: Requests, capacity: Requests) -> int:
    """How often the requests fit: a request of 0 limits nothing, no request at all never fits."""
    found: int | None = None
    for name, amount in requests.items():
        times = _ENDLESS if amount == 0 else max(0, min(_ENDLESS, capacity.get(name, 0) // amount))
        found = times if found is None else min(found, times)
    return found or 0


@dataclass(eq=False)
class TopologyDomain:
    """A domain with what fits into it for the pods that are looked at: ``pods`` and ``slices``, the same beside a
    leader, and whether a leader fits (0 or 1).
    """

    path: Path
    children: list[TopologyDomain] = field(default_factory=list)
    hosts: list[Host] = field(default_factory=list)
    pods: int = 0
    slices: int = 0
    leader: int = 0
    pods_beside: int = 0
    slices_beside: int = 0


@fact(slots=False)
class Forest:
    """The nodes of a TAS flavor in the domains of its topology: ``roots`` are those of the top level."""

    flavor: Flavor
    levels: tuple[str, ...]
    roots: tuple[TopologyDomain, ...]
    leaves: Mapping[Path, TopologyDomain]

    @staticmethod
    def of(flavor: Flavor, levels: Sequence[str], hosts: Iterable[Host]) -> Forest:
        """The domains of the hosts that carry the flavor's labels and every level of the topology.

        If the last level is the host name, leaves are told apart by it alone, whatever is above.
        """
        wanted = {each.key: each.values[0] for each in flavor.node_labels if each.values}
        domains: dict[Path, TopologyDomain] = {}
        by_name: dict[str, TopologyDomain] = {}
        for host in hosts:
            values = [_label(host, level) for level in levels]
            if any(value is None for value in values) or any(
                (_label(host, key) or "") != value for key, value in wanted.items()
            ):
                continue
            path = tuple(value or "" for value in values)
            leaf = by_name.get(path[-1]) if levels[-1] == HOSTNAME else domains.get(path)
            if leaf is None:
                leaf = _grown(domains, path)
                by_name[path[-1]] = leaf
            leaf.hosts.append(host)
        roots = tuple(each for path, each in sorted(domains.items()) if len(path) == 1)
        return Forest(flavor, tuple(levels), roots, {p: each for p, each in domains.items() if len(p) == len(levels)})

    @property
    def by_host(self) -> bool:
        """Whether the leaves are hosts: only then are labels and taints of nodes looked at."""
        return bool(self.levels) and self.levels[-1] == HOSTNAME

    def at(self, level: int) -> list[TopologyDomain]:
        """The domains of a level."""
        found = list(self.roots)
        for _ in range(level):
            found = [child for each in found for child in each.children]
        return found

    def id_of(self, leaf: TopologyDomain) -> Path:
        """What tells the leaf apart from others, also of other flavors."""
        return leaf.path[-1:] if self.by_host else leaf.path

    def fill(
        self,
        spec: PodSpec,
        requests: Requests,
        leader: Requests | None,
        used: Mapping[Path, Requests],
        slicing: tuple[int, int, Mapping[int, int]],
    ) -> None:
        """Count what fits into every domain: ``slicing`` is the size and level of slices, and the sizes below."""
        for leaf in self.leaves.values():
            self._fill_leaf(leaf, spec, {**requests, "pods": 1}, leader, used.get(self.id_of(leaf), {}))
        for root in self.roots:
            _add_up(root, 0, slicing, led=leader is not None)

    def _fill_leaf(
        self, leaf: TopologyDomain, spec: PodSpec, requests: Requests, leader: Requests | None, used: Requests
    ) -> None:
        leaf.pods = leaf.slices = leaf.leader = leaf.pods_beside = leaf.slices_beside = 0
        taken = self.capacity(leaf, spec)
        if taken is None:
            return
        free = {name: amount - used.get(name, 0) for name, amount in taken.items()}
        leaf.pods = count_in(requests, free)
        if leader is not None and count_in({**leader, "pods": 1}, free) > 0:
            leaf.leader = 1
            free = {name: amount - {**leader, "pods": 1}.get(name, 0) for name, amount in free.items()}
        leaf.pods_beside = count_in(requests, free)

    def capacity(self, leaf: TopologyDomain, spec: PodSpec) -> Requests | None:
        """What is free in a leaf; ``None`` where its hosts refuse the pods."""
        if self.by_host and not all(self._takes(host, spec) for host in leaf.hosts[:1]):
            return None
        found: dict[str, int] = {}
        for host in leaf.hosts:
            for name, amount in host.free.items():
                found[name] = found.get(name, 0) + amount
        return found

    def _takes(self, host: Host, spec: PodSpec) -> bool:
        taints = [each for each in host.taints if each.effect in _FILTERED]
        if not all(tolerant(spec, self.flavor, each) for each in taints):
            return False
        return matches(spec, host.node) is not False


def _label(host: Host, key: str) -> str | None:
    value = host.node.label(key)
    return None if isinstance(value, Undetermined) else value


def _grown(domains: dict[Path, TopologyDomain], path: Path) -> TopologyDomain:
    found = domains.get(path)
    if found is None:
        found = domains[path] = TopologyDomain(path)
        if len(path) > 1:
            _grown(domains, path[:-1]).children.append(found)
    return found


def _add_up(domain: TopologyDomain, level: int, slicing: tuple[int, int, Mapping[int, int]], *, led: bool) -> None:
    """What fits into a domain is what fits into its children, those of inner slices in multiples of their size; a
    leader takes the place of as few pods as it can.
    """
    size, slice_level, inner = slicing
    if not domain.children:
        if level == slice_level:
            domain.slices, domain.slices_beside = domain.pods // size, domain.pods_beside // size
        return
    step = inner.get(level + 1, 1)
    pods = slices = leader = 0
    lost: list[tuple[int, int]] = []
    for child in domain.children:
        _add_up(child, level + 1, slicing, led=led)
        own, beside = child.pods // step * step, child.pods_beside // step * step
        pods, slices = pods + own, slices + child.slices
        leader = max(leader, child.leader)
        if not led or child.leader > 0:
            lost.append((own - beside, child.slices - child.slices_beside))
    domain.pods, domain.leader = pods, leader
    domain.pods_beside = pods - min(each for each, _ in lost) if lost else 0
    domain.slices = slices
    domain.slices_beside = slices - min(each for _, each in lost) if lost else 0
    if level == slice_level:
        domain.slices, domain.slices_beside = domain.pods // size, domain.pods_beside // size
