"""Short ways to write nodes, pods and groups for tests, and a naive explorer that enumerates single nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from trainlint.kube.meta import read_labels
from trainlint.kube.node import read_node
from trainlint.kube.pod import read_pod_spec
from trainlint.model.storage import Storage
from trainlint.scheduling.filter import Doubt, verdicts
from trainlint.scheduling.node import Node, node_of
from trainlint.scheduling.occupancy import Occupancy
from trainlint.scheduling.pod import Pod, defaulted
from trainlint.source.document import Document, Field

ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"

Data = dict[str, Any]


def field(data: object) -> Field:
    return Document("made-up.yaml", 0, 1, "", data).root


def node(name: str = "n", labels: Data | None = None, *, taints: Sequence[Data] = (), **allocatable: str) -> Node:
    """A node with room for everything unless told otherwise; ``_`` in the names of resources stands for ``/``."""
    resources = {"cpu": "64", "memory": "256Gi", "pods": "110"}
    resources |= {key.replace("gpu", "nvidia.com/gpu"): value for key, value in allocatable.items()}
    data = {
        "metadata": {"name": name, "labels": {HOSTNAME: name, **(labels or {})}},
        "spec": {"taints": list(taints)},
        "status": {"allocatable": resources},
    }
    return node_of(read_node(field(data)))


def bare_node(data: Data) -> Node:
    """A node with exactly these labels."""
    cursor = field(data)
    return node_of(replace(read_node(cursor), labels=read_labels(cursor.down("metadata", "labels"))))


def taint(key: str, value: str = "", effect: str = "NoSchedule") -> Data:
    return {"key": key, "value": value, "effect": effect}


def spec(limits: Data | None = None, **parts: Any) -> Data:
    containers = parts.pop("containers", [{"name": "main", "resources": {"limits": limits or {}}}])
    return {"containers": containers, **parts}


def pod(labels: Data | None = None, namespace: str = "default", **parts: Any) -> Pod:
    data = parts if "containers" in parts else spec(**parts)
    return defaulted(namespace, labels or {}, read_pod_spec(field(data)), name="p")


def term(key: str = ZONE, labels: Data | None = None, **parts: Any) -> Data:
    return {"topologyKey": key, "labelSelector": {"matchLabels": labels or {}}, **parts}


def near(*terms: Data) -> Data:
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def apart(*terms: Data) -> Data:
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def on_nodes(*terms: Data) -> Data:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def where(key: str, operator: str, *values: str) -> Data:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def feasible(
    incoming: Pod,
    nodes: Sequence[Node],
    placed: Sequence[tuple[str, Pod]] = (),
    *,
    namespaces: Mapping[str, Mapping[str, str]] | None = None,
    storage: Storage | None = None,
) -> list[str]:
    """The names of the nodes that pass every filter; a doubt is not a pass."""
    index = {each.name: number for number, each in enumerate(nodes)}
    occupancy = Occupancy(
        nodes, [each for _, each in placed], [{index[name]: 1} for name, _ in placed], namespaces or {}
    )
    answers = verdicts(incoming, occupancy, storage)
    return [
        each.name for number, each in enumerate(nodes) if all(answer[number] is None for answer in answers.values())
    ]


def refusing(incoming: Pod, on: Node, placed: Sequence[Pod] = (), storage: Storage | None = None) -> dict[str, str]:
    """The filters that do not pass on one node, with code or ``doubt``."""
    occupancy = Occupancy([on], list(placed), [{0: 1}] * len(placed))
    return {
        plugin: "doubt" if isinstance(answer[0], Doubt) else str(answer[0])
        for plugin, answer in verdicts(incoming, occupancy, storage).items()
        if answer[0] is not None
    }


class Enumeration:
    """Everything that can become of a group, by trying every pod on every single node in every order."""

    def __init__(
        self,
        roles: Sequence[tuple[Pod, int]],
        nodes: Sequence[Node],
        zones: Sequence[str | None],
        bound: Sequence[tuple[int, Pod]] = (),
        order: Sequence[int] | None = None,
    ) -> None:
        self.roles, self.nodes, self.zone_of, self.bound, self.order = roles, nodes, zones, bound, order
        self.states: set[tuple[tuple[int, ...], ...]] = set()
        self.complete = 0
        self.zones: set[frozenset[str | None]] = set()
        self.stuck = self.dead_end = False
        self.role_zones: list[set[str | None]] = [set() for _ in roles]
        self.pairs: dict[tuple[int, int], set[tuple[str | None, ...]]] = {
            (one, other): set()
            for one in range(len(roles))
            for other in range(one, len(roles))
            if one != other or roles[one][1] > 1
        }
        self._visit(tuple((0,) * len(nodes) for _ in roles))

    def _visit(self, state: tuple[tuple[int, ...], ...]) -> None:
        if state in self.states:
            return
        self.states.add(state)
        placed = [
            (node, role) for role, row in enumerate(state) for node, count in enumerate(row) for _ in range(count)
        ]
        for at, role in placed:
            self.role_zones[role].add(self.zone_of[at])
        if self.order is None:
            open_roles = [role for role, (_, replicas) in enumerate(self.roles) if sum(state[role]) < replicas]
        else:
            open_roles = [self.order[len(placed)]] if len(placed) < len(self.order) else []
        if not open_roles:
            self._complete(placed)
            return
        free = {role: self._feasible(state, role) for role in open_roles}
        self.stuck |= not all(free.values())
        self.dead_end |= not any(free.values())
        for role, nodes in free.items():
            for at in nodes:
                row = state[role]
                grown = (*row[:at], row[at] + 1, *row[at + 1 :])
                self._visit((*state[:role], grown, *state[role + 1 :]))

    def _complete(self, placed: Sequence[tuple[int, int]]) -> None:
        self.complete += 1
        self.zones.add(frozenset(self.zone_of[at] for at, _ in placed))
        for first, (at, role) in enumerate(placed):
            for other_at, other in placed[first + 1 :]:
                here, there = self.zone_of[at], self.zone_of[other_at]
                ends = (here, there) if role != other else tuple(sorted((here, there), key=lambda zone: zone or ""))
                self.pairs[role, other].add(ends)

    def _feasible(self, state: tuple[tuple[int, ...], ...], role: int) -> list[int]:
        kinds = [pod for pod, _ in self.roles] + [pod for _, pod in self.bound]
        counts = [dict(enumerate(row)) for row in state] + [{at: 1} for at, _ in self.bound]
        answers = verdicts(self.roles[role][0], Occupancy(self.nodes, kinds, counts))
        return [at for at in range(len(self.nodes)) if all(answer[at] is None for answer in answers.values())]
