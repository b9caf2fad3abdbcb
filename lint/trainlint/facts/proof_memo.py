"""What a proof rests on, and the proofs so far by that: groups of equal facts share them, in all snapshots."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from trainlint.fact import fact, remembered, together
from trainlint.model.admission import Admission
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.namespace import Namespaces
from trainlint.model.pool import Inventory
from trainlint.model.settings import Settings
from trainlint.model.storage import Storage
from trainlint.model.workload import Group, PodSet
from trainlint.policy import PolicySet
from trainlint.policy.deciding_part import deciding_part
from trainlint.proof.group import GroupProof
from trainlint.scheduling.node import Node

if TYPE_CHECKING:
    from trainlint.facts.facts import Facts
    from trainlint.facts.obstacles import Obstacles
    from trainlint.facts.surroundings import Surroundings

__all__ = ["ProofBasis", "ProofMemo"]


@fact(eq=False)
class _Known:
    """A proof, and all that it rests on. A proof that tells what policies deny rests on the very set of them, another
    (``None``) on those that bear on it.
    """

    rests_on: object
    policies: PolicySet | None
    proof: GroupProof


@remembered
def _proofs(
    members: tuple[PodSet, ...],
    nearest: tuple[Inventory, ...],
    nodes: tuple[tuple[Node, ...], ...],
    admission: Admission,
    storage: Storage,
    settings: Settings,
    namespaces: Namespaces,
) -> dict[Hashable, list[_Known]]:
    """The proofs that rest on these very facts: a place for what is remembered."""
    return {}


@fact(eq=False)
class ProofBasis:
    """What one proof rests on beside the very same pods, nodes and settings: ``index`` tells most bases apart, by
    value, and those that are left are compared as a whole.
    """

    policies: PolicySet
    index: Hashable
    rests_on: object
    known: dict[Hashable, list[_Known]]

    def proof(self) -> GroupProof | None:
        """The proof that rests on the same; ``None`` where there is none yet."""
        for each in self.known.get(self.index, ()):
            if (each.policies is None or each.policies is self.policies) and each.rests_on == self.rests_on:
                return each.proof
        return None

    def remember(self, proof: GroupProof) -> None:
        """Keep a proof for groups of the same facts."""
        policies = self.policies if _names_denials(proof) else None
        self.known.setdefault(self.index, []).append(_Known(self.rests_on, policies, proof))


class ProofMemo:
    """Finds what the proofs of one snapshot rest on."""

    def __init__(self, facts: Facts, surroundings: Surroundings, obstacles: Obstacles) -> None:
        self._facts = facts
        self._surroundings = surroundings
        self._obstacles = obstacles

    def basis(self, group: Group, nearest: tuple[Inventory, ...], missing: list[Because]) -> ProofBasis:
        """What the proof of a group rests on: compared by value, but for where other pods can be scheduled."""
        around, policies = self._surroundings, self._facts.policies
        unstated = around.unstated.intersection(member.owner for member in group.members)
        stated = (unstated, around.given_elsewhere, around.gang(group), self._obstacles.hopeless(group))
        places = tuple(flow.at for flow in group.flows)
        zones = (around.zonal, around.zones_named, around.elsewhere(group, ()))
        part = deciding_part(policies, {member.namespace for member in group.members})
        index = (group.name, group.at, places, tuple(missing), stated, zones, part.places)
        rests_on = (group, self._others(group, nearest), self._flavors(group), part)
        return ProofBasis(policies, index, rests_on, self._known(group, nearest))

    def _known(self, group: Group, nearest: tuple[Inventory, ...]) -> dict[Hashable, list[_Known]]:
        """The proofs so far that rest on the very same pods, nodes and settings."""
        verdicts, snapshot = self._facts.verdicts, self._facts.snapshot
        nodes = together(*(verdicts.nodes(each) for each in nearest))
        storage = verdicts.storage_of(*group.members, *self._surroundings.near_sets(group))
        facts = (self._facts.cluster.admission, storage, snapshot.settings, snapshot.namespaces)
        return _proofs(together(*group.members), together(*nearest), nodes, *facts)

    def _others(self, group: Group, nearest: tuple[Inventory, ...]) -> tuple[object, ...]:
        """What the proof rests on of other pods and objects."""
        around = self._surroundings
        others: tuple[object, ...] = tuple(around.others(group, nearest[0])) if len(nearest) == 1 else ()
        if len(nearest) != 1 or not nearest[0].complete:
            others += (*around.attracting(group), *around.outside(group))
        return others

    def _flavors(self, group: Group) -> list[object]:
        """The flavors that queues may give to the pods of each member that has one, with their places."""
        found: list[object] = []
        for member in group.members:
            choices = self._facts.queues.queueing.choices(member) if member.queue else None
            found.append(choices and [[(each, each.at) for each in choice] for choice in choices])
        return found


def _names_denials(proof: GroupProof) -> bool:
    """Whether the proof tells of a denial, whose cause is looked for among all policies."""
    return bool(proof.causes) or Answer.REFUTED in (proof.exists, proof.for_all, proof.connections)
