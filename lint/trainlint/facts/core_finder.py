"""What a cause comes down to in the manifests: groups judged again without some of their constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from trainlint.facts.group_models import closed_part, placed_as_one_if, uncounted
from trainlint.model.known import Answer
from trainlint.model.pool import Inventory
from trainlint.model.workload import Group, PodSet
from trainlint.proof.cause import Cause, CutCause, FlowCause, PlacementCause, SplitCause, StrandedCause, ZoneCause
from trainlint.proof.cluster_model import ClusterModel
from trainlint.proof.group import GroupProof

if TYPE_CHECKING:
    from trainlint.causes.unsat_core import Core, WorkLeft
    from trainlint.causes.what_if import PermittedFlows, WhatIf
    from trainlint.facts.facts import Facts
    from trainlint.facts.prover import Prover

__all__ = ["CoreFinder"]


class CoreFinder:
    """Finds the unsat cores of what was refuted in one snapshot; models without constraints are made once a proof."""

    def __init__(self, facts: Facts, prover: Prover) -> None:
        self._facts = facts
        self._prover = prover
        self._worlds: dict[int, tuple[GroupProof, PermittedFlows, WhatIf | None]] = {}

    def cores(self, cause: Cause, proof: GroupProof | None) -> tuple[Core, ...]:
        """What a cause comes down to in the manifests; without a proof it is about the pods of one set alone."""
        if proof is None:
            proof = self._alone(cause)
        if proof is None or proof.reach is None:
            return ()
        from trainlint.causes.unsat_core import cores  # noqa: PLC0415 (only what is refuted needs it)
        from trainlint.causes.what_if import PermittedFlows  # noqa: PLC0415

        if id(proof) not in self._worlds:
            opened = PermittedFlows(proof.reach, self._facts.policies)
            anywhere = proof.ideal or (isinstance(cause, PlacementCause) and cause.anywhere)
            world = self._on_ideal(proof.group, opened) if anywhere else self._on_nodes(proof, opened)
            self._worlds[id(proof)] = (proof, opened, world)
        found = cores(*self._worlds[id(proof)], cause, self._allowance)
        self._worlds[id(proof)][1].forget()
        return found

    @cached_property
    def _allowance(self) -> WorkLeft:
        from trainlint.causes.unsat_core import WORK, WorkLeft  # noqa: PLC0415 (only what is refuted needs it)

        return WorkLeft(WORK // (1 + len(self._facts.others)))

    def _alone(self, cause: Cause) -> GroupProof | None:
        """A refuted group of the one pod set that a cause is about."""
        if isinstance(cause, ZoneCause | FlowCause | CutCause | SplitCause | StrandedCause):
            return None
        pods = cause.pod_set
        group = Group(pods.name, pods.owner.kind, (pods,), (), at=pods.at)
        reach = self._prover.surroundings.reach(group, ())
        return GroupProof(group, Answer.REFUTED, Answer.REFUTED, causes=(cause,), reach=reach)

    def _on_nodes(self, proof: GroupProof, opened: PermittedFlows) -> WhatIf | None:
        """The group of a proof on the nodes that count for it; ``None`` where these or its pods are not known."""
        group = proof.group
        nearest = self._facts.snapshot.inventories_for(group.at or group.members[0].at)
        if len(nearest) != 1 or uncounted(group):
            return None
        inventory = self._facts.verdicts.at_most(nearest[0]) or nearest[0]
        model = self._model(group, inventory)
        if not inventory.complete and proof.exists is Answer.REFUTED:
            group = closed_part(group, self._prover.models.closed(group, model, inventory))
            model = replace(model, complete=True, partial="")
        return self._what_if(group, inventory, model, opened)

    def _on_ideal(self, group: Group, opened: PermittedFlows) -> WhatIf | None:
        """The same on the cluster that has all that the pods ask for; harder spreads are judged on several."""
        ideal = self._prover.surroundings.ideal(group)
        if ideal.spread:
            return None
        model = self._model(group, ideal.inventory)
        return self._what_if(group, ideal.inventory, model, opened, self._ideal_nodes)

    def _ideal_nodes(self, pods: PodSet) -> Inventory:
        """The ideal cluster of one pod set."""
        group = Group(pods.name, pods.owner.kind, (pods,), (), at=pods.at)
        return self._prover.surroundings.ideal(group).inventory

    def _model(self, group: Group, inventory: Inventory) -> ClusterModel:
        return replace(self._prover.models.model(group, inventory), as_one=not placed_as_one_if(group))

    def _what_if(
        self,
        group: Group,
        inventory: Inventory,
        model: ClusterModel,
        opened: PermittedFlows,
        nodes_for: Callable[[PodSet], Inventory] | None = None,
    ) -> WhatIf:
        from trainlint.causes.what_if import WhatIf  # noqa: PLC0415 (only what is refuted needs it)

        facts = self._facts
        return WhatIf(
            group, inventory, model, opened, facts.verdicts, facts.cluster.admission, facts.queues.queueing, nodes_for
        )
