"""What a group is judged on, and the group as roles on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from trainlint.fact import fact
from trainlint.model.namespace import Namespaces
from trainlint.model.settings import Settings
from trainlint.model.storage import Storage
from trainlint.model.workload import Group
from trainlint.proof.colocated_roles import LOOSE, Ties, ties
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.placement_problem import PlacementProblem, stated_problem
from trainlint.reachability import NO_DOMAIN
from trainlint.scheduling.node import Node

__all__ = ["ClusterModel", "lent_zones", "own_members", "placed_as_one", "problem_of"]


@fact
class ClusterModel:
    """What a group is judged on: one inventory's nodes, every workload's feasibility on them, the cluster.

    ``complete`` is false where there are other nodes that Git does not hold, ``partial`` says why; ``hopeless`` is
    true where some pod set can never be scheduled for a reason that has nothing to do with nodes. ``as_one``: what
    places pods as one is in force (an exclusive or required topology); ``gang`` says who starts all pods of the group
    or none. ``ideal``: the nodes stand for all that could exist. ``counted`` is how many pods those sets are taken to
    have whose number is not known; 0 where that is no answer.
    """

    nodes: Sequence[Node]
    feasible: Mapping[int, Feasibility]
    others: Sequence[Feasibility]
    settings: Settings
    namespaces: Namespaces
    complete: bool = True
    partial: str = ""
    hopeless: bool = False
    as_one: bool = True
    gang: str = ""
    storage: Storage | None = None
    ideal: bool = False
    counted: int = 0


def own_members(group: Group) -> Iterator[int]:
    """The members (indices) that share the group's zone: those that have pods and are no dependencies."""
    return (
        index for index, member in enumerate(group.members) if index not in group.dependencies and member.replicas != 0
    )


def problem_of(group: Group, model: ClusterModel, placed: Ties = LOOSE) -> PlacementProblem:
    """The group as roles on the model's nodes; ``placed`` is what places its pods as one."""
    key = model.settings.topology_key
    cluster = (model.nodes, model.namespaces, key, model.storage)
    return stated_problem(group, model.feasible, model.others, *cluster, placed, model.counted)


def placed_as_one(group: Group, model: ClusterModel, problem: PlacementProblem) -> PlacementProblem:
    """The problem with what places its pods as one; the same where nothing does, or it is unknown how."""
    own = [group.members[index] for index in own_members(group)]
    found = ties(own, model.nodes, model.gang) if model.as_one else LOOSE
    if problem.unknown or not found.members:
        return replace(problem, ties=found)
    return problem_of(group, model, found)


def lent_zones(group: Group, model: ClusterModel) -> dict[int, frozenset[str]]:
    """The zones in which the pods of each dependency may be, by member."""
    found = {}
    for index in group.dependencies:
        pools = model.feasible[index].pools if index in model.feasible else frozenset[int]()
        values = (model.nodes[pool].label(model.settings.topology_key) for pool in pools)
        found[index] = frozenset(value if isinstance(value, str) else NO_DOMAIN for value in values)
    return found
