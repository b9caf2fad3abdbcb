"""A group over nodes, compiled: everything that the filters can ask while its pods are placed, as small integers.

A node is its class and its column: how many pods of each role it holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.namespace import Namespaces
from trainlint.model.settings import ZONE
from trainlint.model.storage import Storage
from trainlint.scheduling import inter_pod_affinity, node_ports, pod_topology_spread
from trainlint.scheduling import volume_restrictions as restrictions
from trainlint.scheduling.counter import Counter
from trainlint.scheduling.filter import refusals
from trainlint.scheduling.node import OWN
from trainlint.scheduling.node_class import Cell, GroupNodeClass, domain_among, shared_values, united
from trainlint.scheduling.node_volume_limits import attached
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Doubt, DoubtGround, Refusal

__all__ = ["Cell", "Column", "GroupModel", "GroupNodeClass", "Role"]

Column = tuple[int, ...]


@fact(eq=False)
class Role:
    """Equal pods of a group."""

    name: str
    pod: Pod
    replicas: int


@dataclass(eq=False)
class GroupModel:
    """The compiled group. ``doubt`` is why its filters cannot be decided; then nothing else is of use.

    ``told_apart``: no two cells are one class, however much they are alike.
    """

    roles: Sequence[Role]
    cells: Sequence[Cell]
    namespaces: Namespaces = field(default_factory=dict)
    storage: Storage | None = None
    topology_key: str = ZONE
    told_apart: bool = False

    def __post_init__(self) -> None:
        bound: dict[int, Pod] = {id(pod): pod for cell in self.cells for pod in cell.bound}
        kinds = [*(role.pod for role in self.roles), *bound.values()]
        self._kind_of = {identity: len(self.roles) + index for index, identity in enumerate(bound)}
        nodes = [cell.node for cell in self.cells]
        self.affinity = [
            inter_pod_affinity.rules(role.pod, kinds, self.namespaces, own=index)
            for index, role in enumerate(self.roles)
        ]
        self.spread = [pod_topology_spread.rules(role.pod, kinds, nodes) for role in self.roles]
        self.counters: tuple[Counter, ...] = tuple(dict.fromkeys(self._all_counters()))
        self.number = {counter: index for index, counter in enumerate(self.counters)}
        self.of_role = [
            frozenset(self.number[counter] for counter in self._counters_of(index)) for index in range(len(self.roles))
        ]
        self.weights = [[role in counter.kinds for role in range(len(self.roles))] for counter in self.counters]
        self._weight: dict[tuple[int, Column], int] = {}
        self.resources = sorted({name for role in self.roles for name, _ in role.pod.requests.compared})
        self.doubt = next(filter(None, self._doubts()), None)
        shared = shared_values(self.cells, {counter.key for counter in self.counters})
        self.classes: tuple[GroupNodeClass, ...] = ()
        if not self.doubt:
            made = (self._class_of(index, cell, shared) for index, cell in enumerate(self.cells))
            self.classes = tuple(made) if self.told_apart else united(made)
        self.base = [self._base(index) for index in range(len(self.counters))]

    def _counters_of(self, role: int) -> Iterator[Counter]:
        rules = self.affinity[role]
        yield from (*rules.affinity, *rules.anti_affinity, *rules.symmetry)
        yield from (constraint.counter for constraint in self.spread[role].constraints)

    def _all_counters(self) -> Iterator[Counter]:
        for role in range(len(self.roles)):
            yield from self._counters_of(role)

    @cached_property
    def _static(self) -> list[tuple[tuple[Refusal | Doubt, ...], ...]]:
        """Per cell and role, what keeps a pod of the role away whatever the rest of the group does."""
        placed = [pod for cell in self.cells for pod in cell.bound]
        return [
            tuple(refusals(role.pod, cell.node, cell.bound, placed, self.storage) for role in self.roles)
            for cell in self.cells
        ]

    def _doubts(self) -> Iterator[Because | None]:
        for affinity, spread in zip(self.affinity, self.spread, strict=True):
            yield affinity.doubt or spread.doubt
            if affinity.doubtful or spread.doubtful:
                yield Because(DoubtGround.SELECTED)
        for pod in (*(role.pod for role in self.roles), *(pod for cell in self.cells for pod in cell.bound)):
            amounts = (amount for amount in pod.requests.amounts.values() if isinstance(amount, Undetermined))
            yield from (Because(DoubtGround.VALUE, (amount.why,)) for amount in amounts)
        keys = [self.topology_key, *(counter.key for counter in self.counters)]
        for cell, row in zip(self.cells, self._static, strict=True):
            for found in row:
                if not any(isinstance(answer, Refusal) for answer in found):
                    yield from (answer.why for answer in found if isinstance(answer, Doubt))
            values = map(cell.node.domain, keys)
            yield from (Because(DoubtGround.VALUE, (each.why,)) for each in values if isinstance(each, Undetermined))

    def _class_of(self, index: int, cell: Cell, shared: set[tuple[str, str]]) -> GroupNodeClass:
        used: dict[str, int] = defaultdict(int)
        for pod in cell.bound:
            for name, amount in pod.requests.amounts.items():
                used[name] += amount if isinstance(amount, int) else 0
        allocatable = cell.node.allocatable or {}
        zone = cell.node.domain(self.topology_key)
        csi = self.storage.csi_nodes.get(cell.node.name) if self.storage else None
        name = cell.node.name or cell.node.pool.name
        opened = tuple(not found for found in self._static[index])
        return GroupNodeClass(
            size=cell.size,
            members=((name, cell.size),),
            zone=name if zone == OWN else zone if isinstance(zone, str) else None,
            open=opened,
            free=tuple(
                self._most(name, opened)
                if name in cell.node.by_devices
                else min(_number(allocatable.get(name, 0)) - used[name], self._most(name, opened))
                for name in self.resources
            ),
            slots=min(_number(allocatable.get("pods", 0)) - len(cell.bound), sum(role.replicas for role in self.roles)),
            domains=tuple(domain_among(cell, counter.key, shared) for counter in self.counters),
            counted=tuple(counter.nodes is None or index in counter.nodes for counter in self.counters),
            own=tuple(sum(self._kind_of[id(pod)] in counter.kinds for pod in cell.bound) for counter in self.counters),
            limits=tuple(
                sorted((name, most) for name, most in (csi.limits if csi else {}).items() if most is not None)
            ),
            volumes=self._attached(cell.bound),
        )

    def _most(self, resource: str, opened: Sequence[bool]) -> int:
        """What all pods that may come request of a resource: having more is no different."""
        return sum(
            role.replicas * _number(role.pod.requests.get(resource))
            for role, may in zip(self.roles, opened, strict=True)
            if may
        )

    def _base(self, counter: int) -> dict[str, int]:
        """What the bound pods contribute to the domains that take part, those that are shared by several nodes."""
        counts: dict[str, int] = {}
        for each in self.classes:
            domain = each.domains[counter]
            if domain is not None and domain != OWN and each.counted[counter]:
                counts[domain] = counts.get(domain, 0) + each.own[counter] * each.size
        return counts

    def weight(self, counter: int, column: Column) -> int:
        """What the group's pods on one node contribute to a counter."""
        found = self._weight.get((counter, column))
        if found is None:
            counted = self.weights[counter]
            found = self._weight[counter, column] = sum(pods for role, pods in enumerate(column) if counted[role])
        return found

    def room(self, role: int, node_class: int, column: Column) -> bool:
        """Whether a node of the class with these pods has room for one more of the role: all that one node decides."""
        here = self.classes[node_class]
        if not here.open[role] or sum(column) >= here.slots:
            return False
        pod = self.roles[role].pod
        for index, name in enumerate(self.resources):
            wanted = _number(pod.requests.get(name))
            taken = sum(
                pods * _number(self.roles[each].pod.requests.get(name)) for each, pods in enumerate(column) if pods
            )
            if wanted and wanted > here.free[index] - taken:
                return False
        present = [self.roles[each].pod for each, pods in enumerate(column) if pods]
        if node_ports.verdict(pod, present) is not None or any(restrictions.conflict(pod, other) for other in present):
            return False
        return self._attachable(pod, here, present)

    def _attachable(self, pod: Pod, here: GroupNodeClass, present: Sequence[Pod]) -> bool:
        if not here.limits:
            return True
        there = here.volumes | self._attached(present)
        new = self._attached((pod,)) - there
        return all(
            not any(driver == name for driver, _ in new) or sum(driver == name for driver, _ in new | there) <= limit
            for name, limit in here.limits
        )

    def _attached(self, pods: Iterable[Pod]) -> frozenset[tuple[str, str]]:
        if self.storage is None:
            return frozenset()
        return frozenset(volume for pod in pods for volume in attached(pod, self.storage))

    @cached_property
    def exclusive(self) -> list[frozenset[int]]:
        """The roles, for each role, of which no pod may exist anywhere, for they use a claim that only one pod may
        use.
        """
        return [
            frozenset(
                index
                for index, other in enumerate(self.roles)
                if self.storage is not None
                and restrictions.shares_single_pod_claim(role.pod, (other.pod,), self.storage)
            )
            for role in self.roles
        ]


def _number(amount: object) -> int:
    return amount if isinstance(amount, int) else 0
