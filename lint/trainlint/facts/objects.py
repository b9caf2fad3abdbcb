"""What is wrong in the objects of a snapshot by themselves: what they name, what is refused, and their contract."""

from __future__ import annotations

from functools import cached_property

from trainlint.checks.refusals import Refused, RefusedObject, refusals, refused
from trainlint.facts.queues import QueueFacts
from trainlint.model.workload import ObjectRef
from trainlint.references.flux_dependencies import undepended
from trainlint.references.references import ReferenceCause, dangling_references
from trainlint.references.waiting import DependencyCircle, LateObject, dependency_circles, late_objects
from trainlint.snapshot.build import Snapshot
from trainlint.workload.contract import Contract

__all__ = ["ObjectFacts"]


class ObjectFacts:
    """The objects of one snapshot, each fault looked for once."""

    def __init__(self, snapshot: Snapshot, queues: QueueFacts) -> None:
        self._snapshot = snapshot
        self._queues = queues

    @cached_property
    def dangling_references(self) -> tuple[ReferenceCause, ...]:
        """References to objects that are not there."""
        found = (each for each in dangling_references(self._snapshot) if each.owner not in self._queues.handed_on)
        return (*found, *undepended(self._snapshot))

    @cached_property
    def dependency_circles(self) -> tuple[DependencyCircle, ...]:
        """Deployers of Flux that wait for each other."""
        return tuple(dependency_circles(self._snapshot))

    @cached_property
    def late_objects(self) -> tuple[LateObject, ...]:
        """What Argo CD applies only after a workload that needs it."""
        return tuple(late_objects(self._snapshot))

    @cached_property
    def refusals(self) -> tuple[RefusedObject, ...]:
        """What the API server, webhooks and operators refuse of objects and of what is made of them."""
        return tuple(refusals(self._snapshot))

    @cached_property
    def refused(self) -> tuple[Refused, ...]:
        """The pods that are never made because something is refused, whatever rule says so."""
        return tuple(refused(self._snapshot, self.refusals))

    @cached_property
    def contract(self) -> Contract:
        """The faults of jobs in their own contract."""
        return Contract(
            self._snapshot.workloads, self._snapshot.may_hold_more, lambda: self._misnamed, self._snapshot.brings_both
        )

    @cached_property
    def _misnamed(self) -> frozenset[ObjectRef]:
        """The objects that do not come to be because of their names, so that nothing has a name made from theirs."""
        return frozenset(each.owner for each in self.refusals if each.problem.cause == "name")
