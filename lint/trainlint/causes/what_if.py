"""The model of one group without some of its constraints: what is permitted then, and whether it can run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from trainlint.causes.barriers import barriers, without_barriers
from trainlint.causes.constraint import Constraint, ConstraintKind, constraints
from trainlint.causes.relaxed import pinned, relaxed_nodes, relaxed_pods
from trainlint.model.admission import Admission
from trainlint.model.known import Answer
from trainlint.model.pool import Inventory, Taint
from trainlint.model.workload import Flow, Group, PodSet
from trainlint.policy import PolicySet
from trainlint.proof.cluster_model import ClusterModel
from trainlint.proof.feasibility import Feasibility, judge_pod_set
from trainlint.proof.group import GroupProof
from trainlint.proof.placement_problem import attracted
from trainlint.proof.prove import prove
from trainlint.proof.verdicts import Verdicts
from trainlint.queues.kueue_queues import Queueing
from trainlint.reachability import Place, Reachability
from trainlint.scheduling.node import Node
from trainlint.scheduling.taint_toleration import tolerated

__all__ = ["PermittedFlows", "WhatIf"]

AT_NODES = frozenset({ConstraintKind.TAINT, ConstraintKind.CORDON})
OF_POLICIES = frozenset({ConstraintKind.DENY, ConstraintKind.MISSING_ALLOW})
Dropped = frozenset[Constraint]

VERDICT = 4
"""What a verdict takes, where to read an entry of a policy takes one."""
POOLS = 64
"""Pools up to which each counts by itself; of more than that, equal ones are one, where the first of them stands."""


class PermittedFlows:
    """The flows of a group with only some of the constraints that policies put on them."""

    def __init__(self, reach: Reachability, policies: PolicySet) -> None:
        self._reach = reach
        self._policies = policies
        self._reaches: dict[Dropped, Reachability] = {}

    @property
    def places(self) -> Sequence[Place]:
        """Where pods may be."""
        return self._reach.places

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """Everything removable of the policies that decide what the group's pods may connect to."""
        return barriers(self._reach.selecting)

    def reach(self, kept: Collection[Constraint]) -> Reachability:
        """What is permitted with only these constraints."""
        key = frozenset(each for each in kept if each.kind in OF_POLICIES)
        if key not in self._reaches:
            policies = without_barriers(self._policies, self._reach.selecting, key)
            self._reaches[key] = self._reach.under(policies)
        return self._reaches[key]

    def denied(self, flows: Iterable[Flow], kept: Collection[Constraint]) -> bool:
        """Whether one of the flows is denied wherever the pods land."""
        reach = self.reach(kept)
        return any(map(reach.is_denied, flows))

    def weight(self, flows: int) -> int:
        """The number of entries and verdicts that it takes to judge so many flows under one set of constraints."""
        return 1 + len(self._reach.selecting) + VERDICT * flows * self._reach.pairs

    def forget(self) -> None:
        """Let go of what was made of single sets of constraints, each of which holds policies of its own."""
        self._reaches.clear()


class WhatIf:
    """A group on the nodes of one inventory, judged anew with whatever is kept of its constraints."""

    def __init__(
        self,
        group: Group,
        inventory: Inventory,
        model: ClusterModel,
        opened: PermittedFlows,
        verdicts: Verdicts,
        admission: Admission,
        queueing: Queueing,
        nodes_for: Callable[[PodSet], Inventory] | None = None,
    ) -> None:
        """``nodes_for`` makes the ideal cluster of a pod set, where that is the inventory: with fewer constraints it
        has other nodes.
        """
        self._nodes_for = nodes_for
        self._verdicts = verdicts
        self._admission = admission
        self._queueing = queueing
        self._group = group
        self._inventory = inventory
        self._model = model
        self._opened = opened
        self._feasible: dict[tuple[int, Dropped], Feasibility] = {}

    @cached_property
    def _nodes(self) -> Sequence[Node]:
        many = len(self._inventory.pools) > POOLS
        return self._model.nodes if many else self._verdicts.each_node(self._inventory)

    @cached_property
    def _pod_sets(self) -> tuple[PodSet, ...]:
        """The members, and the other workloads that they are required to be near."""
        near = (each.pod_set for each in self._model.others if _wanted(each, self._model))
        return (*self._group.members, *near)

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """Everything removable about where the pods may go, those that people would keep first."""
        judged = [self._judge(index, frozenset(), "") for index in range(len(self._pod_sets))]
        return constraints(judged, self._nodes)

    @cached_property
    def wandering(self) -> tuple[int, ...]:
        """The group's own pod sets whose pods may land in more than one domain."""
        key, nodes, judged = self._model.settings.topology_key, self._model.nodes, self._model.feasible
        return tuple(
            index
            for index in self._own
            if len({nodes[pool].label(key) for pool in judged[index].pools | judged[index].doubtful}) > 1
        )

    @property
    def weight(self) -> int:
        """What it takes to judge the group with one set of constraints, in entries, verdicts, nodes and zones."""
        places = len(self._pod_sets) * len(self._nodes) + len(self._opened.places)
        return places + self._opened.weight(len(self._group.flows))

    @property
    def _own(self) -> list[int]:
        return [index for index in range(len(self._group.members)) if index not in self._group.dependencies]

    def exists(self, kept: Collection[Constraint]) -> Answer:
        """Whether the group can run with only these constraints."""
        return self.proof(kept, halfway=True).exists

    def placed(self, pod_set: PodSet, kept: Collection[Constraint]) -> bool:
        """Whether some node may take a pod of one of its sets with only these constraints."""
        index = next(number for number, each in enumerate(self._pod_sets) if each is pod_set)
        gone = frozenset(self.constraints).difference(kept)
        found = self._judge(index, gone, "") if self._nodes_for is None else self._on_its_ideal(index, gone)
        return bool(found.pools or found.doubtful)

    def proof(self, kept: Collection[Constraint], *, zone: str = "", halfway: bool = False) -> GroupProof:
        """The proof with only these constraints. ``zone`` pins all of the group's own pods; ``halfway`` is exists."""
        gone = frozenset(self.constraints).difference(kept)
        judged = [self._judge(index, gone, zone if index in self._own else "") for index in range(len(self._pod_sets))]
        members = len(self._group.members)
        model = replace(
            self._model,
            nodes=relaxed_nodes(self._nodes, [each for each in gone if each.kind in AT_NODES]),
            feasible=dict(enumerate(judged[:members])),
            others=judged[members:],
            hopeless=False,
        )
        group = replace(self._group, members=tuple(each.pod_set for each in judged[:members]))
        return prove(group, self._opened.reach(kept), model, (), halfway=halfway)

    def _judge(self, index: int, gone: Dropped, zone: str) -> Feasibility:
        """Where one set can be, with what is dropped of its own and of the nodes'."""
        mine = frozenset(each for each in gone if self._binds(each, index))
        if zone:
            return self._anew(index, mine, lambda pods: pinned(pods, self._model.settings.topology_key, zone))
        key = (index, mine)
        if key not in self._feasible:
            self._feasible[key] = self._anew(index, mine, lambda pods: pods)
        return self._feasible[key]

    def _binds(self, constraint: Constraint, index: int) -> bool:
        """Whether a constraint may keep the pods of a set from anywhere: a taint that they tolerate does not."""
        if constraint.kind is not ConstraintKind.TAINT:
            return constraint.kind in AT_NODES or index in constraint.of
        spec = self._judge(index, frozenset(), "").pod.spec
        return any(not isinstance(each, Taint) or tolerated(each, spec) is not True for each in constraint.parts)

    def _on_its_ideal(self, index: int, gone: Dropped) -> Feasibility:
        """Where one set can be on the ideal cluster of what is left of its constraints."""
        assert self._nodes_for is not None
        mine = frozenset(each for each in gone if self._binds(each, index))
        at_nodes = frozenset(each for each in mine if each.kind in AT_NODES)
        pods = relaxed_pods(self._pod_sets[index], mine - at_nodes)
        inventory = self._nodes_for(pods)
        return self._judged(pods, inventory, relaxed_nodes(self._verdicts.each_node(inventory), at_nodes))

    def _anew(self, index: int, gone: Dropped, change: Callable[[PodSet], PodSet]) -> Feasibility:
        at_nodes = frozenset(each for each in gone if each.kind in AT_NODES)
        pods = change(relaxed_pods(self._pod_sets[index], gone - at_nodes))
        return self._judged(pods, self._inventory, relaxed_nodes(self._nodes, at_nodes))

    def _judged(self, pods: PodSet, inventory: Inventory, nodes: Sequence[Node]) -> Feasibility:
        return judge_pod_set(
            pods,
            inventory,
            nodes,
            self._model.settings,
            self._admission,
            self._model.storage,
            self._queueing.choices(pods) if pods.queue else None,
        )


def _wanted(other: Feasibility, model: ClusterModel) -> bool:
    """Whether the required affinity of another pod set is about that workload."""
    return any(attracted(each.pod, other.pod, model.namespaces) for each in model.feasible.values())
