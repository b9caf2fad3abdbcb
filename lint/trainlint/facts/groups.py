"""The proofs of a snapshot's groups, and what rests on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from trainlint.checks.gated_groups import gated
from trainlint.checks.plugin_assumption import World, other_worlds, with_assumptions
from trainlint.checks.policies import NodePeer, node_peers
from trainlint.checks.preferred_affinity import SoftColocation, soft_colocations
from trainlint.checks.selector_typos import with_slips
from trainlint.checks.stopped_groups import StoppedGroup, refuted_by_faults, stopped, stopping
from trainlint.facts.core_finder import CoreFinder
from trainlint.facts.prover import Prover
from trainlint.finding import Unknown
from trainlint.model.root import Root
from trainlint.model.workload import Group
from trainlint.proof.cause import CapacityCause, Cause, DeadlockCause, FlowCause
from trainlint.proof.ground import ProofGround
from trainlint.proof.group import GroupProof
from trainlint.proof.prove import never_placed
from trainlint.wording.because import because_text, remedy_for

if TYPE_CHECKING:
    from trainlint.causes.unsat_core import Core
    from trainlint.facts.facts import Facts
    from trainlint.model.because import Because
    from trainlint.model.policy import Verdict
    from trainlint.model.workload import Flow
    from trainlint.proof.near_miss import NearEntry

__all__ = ["GroupFacts"]

C = TypeVar("C")

NEAR: Final = 50_000
"""Entries that are asked what is missing in them for the flows of one cause."""
ALL_NEAR: Final = 200_000
"""The same for all causes of a snapshot together: some ten thousand are asked in a second."""


class GroupFacts:
    """The proof of each group of one snapshot, made once, with its causes and what these come down to."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._snapshot = facts.snapshot
        self._cores: dict[int, tuple[Cause, tuple[Core, ...]]] = {}

    @cached_property
    def _prover(self) -> Prover:
        return Prover(self._facts)

    @cached_property
    def _core_finder(self) -> CoreFinder:
        return CoreFinder(self._facts, self._prover)

    @cached_property
    def proofs(self) -> tuple[GroupProof, ...]:
        """The proof of every group that may be meant for what the snapshot is made of."""
        groups = self._snapshot.workloads.groups
        return tuple(
            self._judged(group) for group in groups if self._snapshot.is_near((group.at or group.members[0].at).file)
        )

    def _judged(self, group: Group) -> GroupProof:
        """The proof of a group, with what is wrong beside its placement and what it assumes."""
        facts = self._facts
        proof = with_slips(
            facts.mistakes, facts.policies, self._prover.prove(group), self._snapshot.label_transformers.adds
        )
        proof = with_assumptions(lambda: self._other_worlds, proof)
        return gated(self._snapshot.gates, refuted_by_faults(self.stopped, proof))

    @cached_property
    def _other_worlds(self) -> tuple[World, ...]:
        """What is assumed about the network plugin and bears on policies, each with the proofs if it is otherwise."""
        facts, settings = self._facts, self._snapshot.settings
        return tuple(
            (text, facts.under(other).groups.proved)
            for text, other in other_worlds(settings, facts.mistakes, facts.policies)
        )

    def proved(self, group: Group) -> GroupProof:
        """The proof of a group, without looking at what it assumes."""
        return self._prover.prove(group)

    def told(self, proof: GroupProof) -> tuple[Because, ...]:
        """The reasons for an unknown answer of which rules give findings of their own."""
        faults = (each.why for each in stopping(self.stopped, proof) if each.why is not None)
        return (*self._prover.told(proof.group), *faults)

    @cached_property
    def stopped(self) -> tuple[StoppedGroup, ...]:
        """The pods that find a place and never train, or may not."""
        facts = self._facts
        return tuple(stopped(self._snapshot, facts.fabric, facts.objects.contract, facts.queues.refusals))

    def causes(self, kind: type[C]) -> Iterator[C]:
        """The causes of one type, in groups and of pod sets outside of them."""
        for proof in self.proofs:
            yield from (cause for cause in proof.causes if isinstance(cause, kind))
        yield from (cause for cause in self._alone if isinstance(cause, kind))

    def flow_causes(self, root: Root) -> Iterator[tuple[GroupProof, FlowCause]]:
        """The needed flows that are denied wherever pods land, for one reason."""
        for proof in self.proofs:
            for cause in proof.causes:
                if isinstance(cause, FlowCause) and cause.root is root:
                    yield proof, cause

    def cores(self, cause: Cause) -> tuple[Core, ...]:
        """The irreducible sets of constraints behind a cause that one of these facts gave, each found once."""
        if id(cause) not in self._cores:
            self._cores[id(cause)] = (cause, self._core_finder.cores(cause, self._proof_of(cause)))
        return self._cores[id(cause)][1]

    def _proof_of(self, cause: Cause) -> GroupProof | None:
        """The proof that a cause belongs to; ``None`` where it is about a pod set by itself."""
        return self._proofs_of_causes.get(id(cause))

    @cached_property
    def _proofs_of_causes(self) -> dict[int, GroupProof]:
        """The proof of each cause, by the identity of the cause."""
        return {id(cause): proof for proof in reversed(self.proofs) for cause in proof.causes}

    def near(self, proof: GroupProof, cause: FlowCause) -> tuple[tuple[Flow, Verdict], NearEntry] | None:
        """The first denied flow of a cause that one entry nearly admits, and what is wrong in that entry; ``None``
        where there is none.
        """
        from trainlint.proof.near_miss import near_flow  # noqa: PLC0415 (only what is refuted needs it)

        if proof.reach is None:
            return None
        policies = self._facts.policies
        most = max(3, NEAR // (1 + len(policies.entries)))
        flows = cause.flows[: min(most, ALL_NEAR // (1 + len(policies.entries)) // self._denials)]
        adds = self._snapshot.label_transformers.adds
        found = ((each, near_flow(policies, proof.reach, *each, adds)) for each in flows)
        return next(((each, near) for each, near in found if near is not None), None)

    @cached_property
    def _denials(self) -> int:
        """How many causes are denied flows, and one more."""
        return 1 + sum(isinstance(cause, FlowCause) for proof in self.proofs for cause in proof.causes)

    @cached_property
    def node_peers_of_denials(self) -> tuple[NodePeer, ...]:
        """Node peers of policies that deny a needed connection between pods on the pod network."""
        return tuple(
            dict.fromkeys(
                each
                for proof, cause in self.flow_causes(Root.CONNECTION)
                for each in node_peers(proof.group, cause, self._facts.policies.entries)
            )
        )

    @cached_property
    def soft_colocations(self) -> tuple[SoftColocation, ...]:
        """Groups that only preferences keep together."""
        key = self._snapshot.settings.topology_key
        return tuple(soft_colocations(self.proofs, self._snapshot.workloads, key, self._facts.verdicts.zones))

    @cached_property
    def _alone(self) -> tuple[CapacityCause | DeadlockCause, ...]:
        """Why pod sets that communicate with no others can never all be scheduled."""
        found, verdicts = [], self._facts.verdicts
        grouped = {id(member) for group in self._snapshot.workloads.groups for member in group.members}
        for pod_set in self._snapshot.workloads.pod_sets:
            if id(pod_set) in grouped or not isinstance(pod_set.replicas, int) or pod_set.replicas == 0:
                continue
            inventory = verdicts.inventory(pod_set)
            if inventory is None:
                continue
            inventory = verdicts.at_most(inventory) or inventory
            alone = Group(pod_set.name, pod_set.owner.kind, (pod_set,), (), at=pod_set.at)
            model = self._prover.models.model(alone, inventory)
            closed = verdicts.closing(model.feasible[0], inventory)
            if closed is None or model.feasible[0].cause is not None:
                continue
            cause = never_placed(alone, replace(model, complete=True))
            if cause is not None:
                found.append(replace(cause, assumes=closed.assumes))
        return tuple(found)

    def unknowns(self) -> Iterator[Unknown]:
        """What is missing for groups, but for what admission objects do, which is said of each of those once."""
        for proof in self.proofs:
            for each in proof.missing:
                if each.ground not in _SAID_ONCE:
                    yield Unknown(f"group {proof.group.name}", because_text(each), remedy_for(each), at=proof.group.at)


_SAID_ONCE: Final = frozenset({ProofGround.CHANGED, ProofGround.LET_IN})
