"""Pods that can be scheduled one by one but never all: too few resources, hosts, domains, or room under a spread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.model.known import Answer, Undetermined
from trainlint.model.pool import Pool
from trainlint.model.root import Root
from trainlint.model.workload import PodSet
from trainlint.proof.cause import CapacityCause, NodePort, ResourceAmount
from trainlint.proof.domain_limits import anti_affinity, nodes_of, spread
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.scheduling.budgets import affordable_room, over_budget
from trainlint.scheduling.node import Node
from trainlint.scheduling.packing import UNLIMITED, Demand, NodeClass, pack
from trainlint.scheduling.requests import Requests

__all__ = ["capacity_cause", "nodes_short"]


def capacity_cause(problem: PlacementProblem, *, rooms: bool = True) -> CapacityCause | None:
    """Why the pods can never all be scheduled, whatever the order and the zones; ``None`` if nothing proves it.

    ``rooms`` is false where it is not known how much the nodes take: then resources prove nothing.
    """
    if problem.unknown or not problem.own:
        return None
    for find in (_resources, _host_ports, anti_affinity, spread) if rooms else (_host_ports, anti_affinity, spread):
        found = next(find(problem), None)
        if found is not None:
            return found
    return None


def _resources(problem: PlacementProblem) -> Iterator[CapacityCause]:
    """Resources alone (decision 8)."""
    demands = [
        Demand(index, role.requests, role.count, role.classes)
        for index, role in enumerate(problem.roles[: problem.own])
    ]
    yield from _short(problem.nodes, problem.classes, demands, [pod.requests for pod in problem.pods], problem.pod_sets)


def nodes_short(own: Sequence[Feasibility], nodes: Sequence[Node]) -> CapacityCause | None:
    """What the nodes are short of where it is not known in which domains they are, as resources and limits do not
    depend on it; ``None`` where they are short of nothing, or that is not known.
    """
    if not own or any(each.doubtful or isinstance(each.pod_set.replicas, Undetermined) for each in own):
        return None
    classes = []
    for index, node in enumerate(nodes):
        room = {name: amount for name, amount in (node.allocatable or {}).items() if isinstance(amount, int)}
        count = UNLIMITED if node.pool.maximum is None else node.pool.maximum
        classes.append(NodeClass(index, room, count, (index,)))
    demands = []
    for index, each in enumerate(own):
        amounts = {name: amount for name, amount in each.pod.requests.compared if isinstance(amount, int)}
        replicas = each.pod_set.replicas
        count = replicas if isinstance(replicas, int) else 0
        demands.append(Demand(index, {**amounts, "pods": 1}, count, each.pools))
    found = _short(nodes, classes, demands, [each.pod.requests for each in own], [each.pod_set for each in own])
    return next(found, None)


def _short(
    nodes: Sequence[Node],
    classes: Sequence[NodeClass],
    demands: Sequence[Demand],
    requests: Sequence[Requests],
    pod_sets: Sequence[PodSet],
) -> Iterator[CapacityCause]:
    packing = pack(classes, demands)
    if packing.answer is not Answer.REFUTED or packing.short is None:
        packing = over_budget(nodes, classes, demands) or packing
    if packing.answer is not Answer.REFUTED or packing.short is None or not demands[packing.short].classes:
        return
    short = demands[packing.short]
    room = affordable_room(nodes, classes, short)
    resource = min(short.requests, key=lambda name: _fitting(classes, short, name))
    pod_set = pod_sets[packing.short]
    yield CapacityCause(
        Root.CAPACITY,
        pod_set,
        needed=short.count,
        possible=min(room, short.count - 1) if len(demands) == 1 else room,
        at=requests[packing.short].decided_by.get(resource) or pod_set.spec.at or pod_set.at,
        what=_amount(requests[packing.short], resource, short.requests[resource]),
        shared=room >= short.count,
        bounds=tuple(_bounds(nodes, classes, short)),
    )


def _amount(requests: Requests, resource: str, amount: int) -> ResourceAmount:
    """An amount, with how much of it the RuntimeClass adds."""
    more = requests.overhead.get(resource, 0)
    return ResourceAmount(resource, amount, more, requests.added_by if more else "")


def _bounds(nodes: Sequence[Node], classes: Sequence[NodeClass], demand: Demand) -> Iterator[Pool]:
    """The pools with a limit of their own that the pods may use, one of each source."""
    pools = [nodes[index].pool for number in demand.classes for index in classes[number].pools]
    yield from {pool.bound_at: pool for pool in pools if pool.bound and pool.maximum is not None}.values()


def _fitting(classes: Sequence[NodeClass], demand: Demand, resource: str) -> int:
    """How many pods fit by one resource alone."""
    amount = demand.requests[resource]
    return sum(
        classes[number].room.get(resource, 0) // max(amount, 1) * classes[number].count for number in demand.classes
    )


def _host_ports(problem: PlacementProblem) -> Iterator[CapacityCause]:
    ports = dict.fromkeys(port for pod in problem.pods[: problem.own] for port in pod.host_ports)
    for port in ports:
        holders = [
            index
            for index in range(problem.own)
            if any(port.conflicts(other) for other in problem.pods[index].host_ports)
        ]
        nodes = nodes_of(problem, frozenset[int]().union(*(problem.roles[index].classes for index in holders)))
        pods = sum(problem.roles[index].count for index in holders)
        if pods > nodes:
            pod_set = problem.pod_sets[holders[0]]
            yield CapacityCause(
                Root.HOST_PORT,
                pod_set,
                needed=pods,
                possible=nodes,
                at=pod_set.spec.at or pod_set.at,
                what=NodePort(port.port, port.protocol),
                also=tuple(problem.pod_sets[index] for index in holders[1:]),
            )
