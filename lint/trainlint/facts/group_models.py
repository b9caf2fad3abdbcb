"""What the proof of a group is about: the nodes of one inventory, and which pods only these can take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.pool import Inventory
from trainlint.model.workload import Group
from trainlint.proof.cluster_model import ClusterModel, own_members
from trainlint.proof.ground import ProofGround
from trainlint.proof.node_closure import NodeClosure

if TYPE_CHECKING:
    from trainlint.facts.facts import Facts
    from trainlint.facts.obstacles import Obstacles
    from trainlint.facts.surroundings import Surroundings

__all__ = ["GroupModels", "closed_part", "placed_as_one_if", "uncounted"]


class GroupModels:
    """Makes the models of one snapshot's groups."""

    def __init__(self, facts: Facts, surroundings: Surroundings, obstacles: Obstacles) -> None:
        self._facts = facts
        self._surroundings = surroundings
        self._obstacles = obstacles

    def model(self, group: Group, inventory: Inventory) -> ClusterModel:
        """The group on an inventory: nodes, verdicts, and what makes it hopeless."""
        verdicts, snapshot = self._facts.verdicts, self._facts.snapshot
        return ClusterModel(
            nodes=verdicts.nodes(inventory),
            feasible={index: verdicts.over(member, inventory) for index, member in enumerate(group.members)},
            others=self._surroundings.others(group, inventory),
            settings=snapshot.settings,
            namespaces=snapshot.namespaces,
            complete=inventory.complete,
            partial=inventory.partial,
            storage=self._facts.cluster.storage,
            gang=self._surroundings.gang(group),
            hopeless=any(self._obstacles.hopeless(group)),
            ideal=inventory.ideal,
        )

    def closed(self, group: Group, model: ClusterModel, inventory: Inventory) -> dict[int, NodeClosure]:
        """The members whose pods no node can take that Git does not describe, with why."""
        verdicts = self._facts.verdicts
        found = {index: verdicts.closing(model.feasible[index], inventory) for index in own_members(group)}
        return {index: each for index, each in found.items() if each is not None}


def closed_part(group: Group, closed: Mapping[int, NodeClosure]) -> Group:
    """The group without the members that may find room on nodes which Git does not describe."""
    outside = frozenset(index for index in own_members(group) if index not in closed)
    return replace(group, dependencies=group.dependencies | outside)


def uncounted(group: Group) -> bool:
    """Whether the number of pods of the group is unknown."""
    return any(isinstance(member.replicas, Undetermined) for member in group.members)


def placed_as_one_if(group: Group) -> Because | None:
    """What must hold so that the pods are placed as one, where that is not known; ``None`` where it is known."""
    own = [each for index, each in enumerate(group.members) if index not in group.dependencies]
    asked = (each for pods in own for each in (pods.together, pods.parts) if each is not None)
    return next((Because(ProofGround.VALUE, (each.doubt,)) for each in asked if each.doubt), None)
