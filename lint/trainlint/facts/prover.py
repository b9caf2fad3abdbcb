"""The proof of each group of a snapshot, over the nodes that are known and over the ideal cluster."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from trainlint.effort import spent
from trainlint.fact import remembered
from trainlint.facts.group_models import GroupModels, closed_part, placed_as_one_if, uncounted
from trainlint.facts.obstacles import Obstacles, unknown_nodes
from trainlint.facts.proof_memo import ProofMemo
from trainlint.facts.surroundings import Surroundings
from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.pool import Inventory
from trainlint.model.workload import Group, ObjectRef
from trainlint.proof.budget import affordable
from trainlint.proof.cause import FlowCause, assuming
from trainlint.proof.combined_proof import agreed, either
from trainlint.proof.connection_permission import connections
from trainlint.proof.connection_unknowns import reasons_named
from trainlint.proof.default_namespace import OF_ITS_OWN
from trainlint.proof.ground import NoteGround, ProofGround
from trainlint.proof.group import GroupProof
from trainlint.proof.judge import other_nodes
from trainlint.proof.prove import prove
from trainlint.queues.quota import refused_elsewhere
from trainlint.reachability import Reachability, places
from trainlint.workload.relocation import moved

if TYPE_CHECKING:
    from trainlint.facts.facts import Facts

__all__ = ["Prover"]

_WORLDS: Final = 32
"""Described clusters in which a group is judged, where it is not known which of them counts."""

STEPS: Final = 20_000_000
"""Steps of all proofs of a snapshot together: tens of thousands of usual groups, some thousands of the hardest."""


@remembered
def _with_all_objects(inventory: Inventory) -> Inventory:
    """The nodes, in a cluster that has every object which Git does not hold."""
    return replace(inventory, ideal=True)


class Prover:
    """Proves groups from the facts of one snapshot."""

    _made = 0
    """How many groups were proved anew."""
    _steps = 0
    """The steps that took."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._snapshot = facts.snapshot
        self.surroundings = Surroundings(facts)
        self._obstacles = Obstacles(facts, self.surroundings)
        self.models = GroupModels(facts, self.surroundings, self._obstacles)
        self._memo = ProofMemo(facts, self.surroundings, self._obstacles)

    def prove(self, group: Group) -> GroupProof:
        """The proof of one group."""
        nearest = self._snapshot.inventories_for(group.at or group.members[0].at)
        missing = list(self._obstacles.missing(group))
        if unjudged := self._obstacles.unjudged(group, nearest):
            return GroupProof(group, Answer.UNKNOWN, Answer.UNKNOWN, missing=unjudged)
        basis = self._memo.basis(group, nearest, missing)
        proof = basis.proof()
        if proof is not None:
            return proof
        if self._steps >= STEPS:
            beyond = Because(ProofGround.TOO_MANY_GROUPS, (f"{self._made:,}",))
            return GroupProof(group, Answer.UNKNOWN, Answer.UNKNOWN, missing=(beyond,))
        before = spent()
        proof = reasons_named(self._proof(group, nearest, missing))
        self._made += 1
        self._steps += spent() - before
        basis.remember(proof)
        return proof

    def told(self, group: Group) -> tuple[Because, ...]:
        """The reasons for an unknown answer of which rules give findings of their own."""
        return tuple(self._obstacles.told(group))

    def _in_each(self, group: Group, nearest: tuple[Inventory, ...], missing: list[Because]) -> Because:
        """In which of several described clusters the group can run, where Git does not say which of them counts."""
        judged = [(each, self._judged(group, each, missing).exists) for each in nearest[:_WORLDS]]
        fits = [each.name for each, exists in judged if exists is Answer.PROVED]
        return Because(NoteGround.FITS_IN_SOME, (len(nearest), len(fits), tuple(fits)))

    def _proof(self, group: Group, nearest: tuple[Inventory, ...], missing: list[Because]) -> GroupProof:
        if len(nearest) != 1:
            found = self._on_ideal(group, self._judged(group, None, [*missing, *unknown_nodes(nearest)]), missing)
            several = found.exists is Answer.CONDITIONAL and nearest and not uncounted(group)
            return replace(found, notes=(*found.notes, self._in_each(group, nearest, missing))) if several else found
        proof = self._judged(group, nearest[0], missing)
        most = self._facts.verdicts.at_most(nearest[0]) if Answer.REFUTED in (proof.exists, proof.for_all) else None
        proof = proof if most is None else agreed(proof, self._judged(group, most, missing))
        proof = affordable(proof, nearest[0].pools)
        if proof.exists is Answer.UNKNOWN and not nearest[0].complete:
            refuted = self._refuted_part(group, nearest[0], missing)
            return refuted or self._on_ideal(group, proof, missing)
        if proof.exists is Answer.PROVED and proof.missing == (other_nodes(nearest[0].partial),):
            found = self._on_ideal(group, replace(proof, exists=Answer.UNKNOWN), missing)
            if found.for_all is Answer.CONDITIONAL:
                return replace(proof, for_all=found.for_all, missing=(), needs=found.needs)
        if proof.exists is Answer.UNKNOWN:
            return self._if_outside(group, nearest[0], proof, missing)
        return proof

    def _if_outside(self, group: Group, inventory: Inventory, proof: GroupProof, missing: list[Because]) -> GroupProof:
        """The proof on nodes that are known, on condition that the objects are there that Git does not hold; the one
        that is unknown where they do not suffice.
        """
        if any(each.placed_by and not (each.together or each.parts) for each in group.members):
            return proof  # where they go is not known on any nodes
        from trainlint.proof.ideal.needs import outside_needs  # noqa: PLC0415 (only where it is unknown without)

        ideal = _with_all_objects(inventory)
        found = self._judged(group, ideal, missing)
        needs = outside_needs(group, self._facts.verdicts, self._facts.cluster.present, ideal)
        if found.exists is not Answer.PROVED or not (needs.objects or needs.others or needs.devices):
            return proof
        always = found.for_all is Answer.PROVED
        for_all = Answer.CONDITIONAL if always else found.for_all
        return replace(found, exists=Answer.CONDITIONAL, for_all=for_all, missing=found.missing, needs=needs)

    def _refuted_part(self, group: Group, inventory: Inventory, missing: list[Because]) -> GroupProof | None:
        """The refutation of a group by those of its pods that no node can take which Git does not describe; ``None``
        where there is none. The others are taken to find room.
        """
        if uncounted(group):
            return None
        inventory = self._facts.verdicts.at_most(inventory) or inventory
        model = replace(self.models.model(group, inventory), complete=True, partial="")
        closed = self.models.closed(group, model, inventory)
        if not closed:
            return None
        part = closed_part(group, closed)
        everywhere = places((node.pool for node in model.nodes), self._snapshot.settings.topology_key)
        for as_one in (True, False) if placed_as_one_if(group) else (True,):
            proof = prove(part, self.surroundings.reach(part, everywhere), replace(model, as_one=as_one), missing)
            if proof.exists is not Answer.REFUTED:
                return None
        assumes = tuple(dict.fromkeys(why for each in closed.values() for why in each.assumes))
        causes = tuple(assuming(each, assumes) for each in proof.causes)
        reach = self.surroundings.reach(group, everywhere)
        return replace(proof, group=group, causes=causes, reach=reach, connections=connections(reach, proof.zones))

    def _on_ideal(self, group: Group, proof: GroupProof, missing: list[Because]) -> GroupProof:
        """The proof where nodes are not known: what holds on the cluster that has all that the pods ask for.

        What alternatives define each in its own way, and this state does not hold, is there too, and a need; which
        nodes they describe does not matter here.
        """
        if proof.exists is Answer.REFUTED:
            return proof
        there = {str(ObjectRef(each.kind, each.namespace, each.name)) for each in self.surroundings.outside(group)}
        missing = [each for each in missing if not (each.ground is ProofGround.LEFT_OUT and _is_there(each, there))]
        if not uncounted(group):
            return self._ideally(group, proof, missing)
        from trainlint.proof.ideal.cluster import COUNTS  # noqa: PLC0415 (only where nodes are not known)

        few, *more = (self._ideally(group, proof, missing, counted=count) for count in COUNTS)
        if any(each.exists is not few.exists for each in more):
            return proof
        if few.exists is Answer.CONDITIONAL:
            return more[-1]
        alone = any(isinstance(each, FlowCause) for each in few.causes) or self._obstacles.stuck(group)
        return few if few.exists is Answer.REFUTED and alone else proof

    def _ideally(self, group: Group, proof: GroupProof, missing: list[Because], *, counted: int = 0) -> GroupProof:
        """The proof on the ideal cluster; ``counted`` is how many pods those sets have whose number is not known."""
        from trainlint.proof.ideal.judge import judged_on  # noqa: PLC0415 (only where nodes are not known)

        key = self._snapshot.settings.topology_key
        ideal = self.surroundings.ideal(group)

        def judge(inventory: Inventory) -> GroupProof:
            found = self._judged(group, inventory, missing, counted=counted)
            if found.exists is not Answer.UNKNOWN or not any(each.together or each.parts for each in group.members):
                return found
            loose = self._proved(
                group, inventory, missing, as_one=False, counted=counted
            )  # what places pods as one finds room if any
            return loose if loose.exists is not Answer.UNKNOWN else found

        apart = self.surroundings.zonal or any(
            term.topology_key == key for member in group.members for term in member.spec.pod_anti_affinity
        )
        found = judged_on(ideal, key, judge, apart=apart)
        if found.proof.exists is not Answer.CONDITIONAL:
            return found.proof
        from trainlint.proof.ideal.needs import needs_of  # noqa: PLC0415

        near = self.surroundings.attracting(group)
        needs = needs_of(group, self._facts.verdicts, self._facts.cluster.present, found, ideal, near)
        return replace(found.proof, needs=needs, reach=proof.reach)

    def _judged(
        self, group: Group, inventory: Inventory | None, missing: list[Because], *, counted: int = 0
    ) -> GroupProof:
        """The proof; what holds either way where it is unknown whether the pods are placed as one."""
        proof = self._proved(group, inventory, missing, counted=counted)
        doubt = placed_as_one_if(group)
        if doubt is None or inventory is None:
            return proof
        return either(proof, self._proved(group, inventory, missing, as_one=False, counted=counted), doubt)

    def _proved(
        self,
        group: Group,
        inventory: Inventory | None,
        missing: list[Because],
        *,
        as_one: bool = True,
        counted: int = 0,
    ) -> GroupProof:
        model = None
        if inventory is not None and (counted or not uncounted(group)):
            model = replace(self.models.model(group, inventory), as_one=as_one, counted=counted)
        everywhere = places((node.pool for node in model.nodes), self._snapshot.settings.topology_key) if model else ()

        def reach(group: Group) -> Reachability:
            return self.surroundings.reach(group, everywhere)

        others = self.surroundings.elsewhere(group, everywhere)
        elsewhere = [Because(ProofGround.NAMESPACE_POLICIES, (group.name, namespace)) for namespace in others]
        missing = [*missing, *elsewhere, *self._refused_elsewhere(group)]
        own = reach(group)
        proof = prove(group, own, model, missing)
        if own.denied and (model is None or model.complete or not self.surroundings.zonal):
            proof = _never_connected(proof)
        if OF_ITS_OWN in others and proof.exists is Answer.REFUTED:
            there = moved(group, self.surroundings.unstated, OF_ITS_OWN)
            if prove(there, reach(there), model, missing).exists is not Answer.REFUTED:
                proof = replace(proof, exists=Answer.UNKNOWN, for_all=Answer.UNKNOWN, causes=(), missing=tuple(missing))
        proof = replace(proof, connections=Answer.UNKNOWN if elsewhere else connections(own, proof.zones))
        if model is None and self._obstacles.never_made(group):
            return replace(proof, exists=Answer.REFUTED, for_all=Answer.REFUTED)
        return proof

    def _refused_elsewhere(self, group: Group) -> list[Because]:
        """In which namespaces quotas or limits would refuse the pods of a group that names none."""
        settings, admission = self._snapshot.settings, self._facts.cluster.admission
        return [
            Because(ProofGround.NAMESPACE_QUOTAS, (group.name, namespace))
            for namespace in refused_elsewhere(group, self.surroundings.unstated, settings, admission)
        ]


def _is_there(left_out: Because, there: Collection[str]) -> bool:
    """Whether the ideal cluster has an object that is left out: one that is needed, or that describes nodes."""
    name = str(left_out.values[0])
    return name in there or name.partition(" ")[0] in INVENTORY_KINDS


def _never_connected(proof: GroupProof) -> GroupProof:
    """The proof of a group of which a needed connection is denied wherever its pods land, that of a helper too."""
    if proof.exists is Answer.REFUTED:
        return proof
    refuted = replace(proof, exists=Answer.REFUTED, for_all=Answer.REFUTED, viable_zones=())
    return replace(refuted, witness={}, counterexample={}, assignments=(), bad_assignments=())
