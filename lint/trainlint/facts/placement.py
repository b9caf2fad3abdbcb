"""Where the pods of a snapshot can be scheduled, and what keeps pods of one set from any node."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import cached_property

from trainlint.checks.affinity_targets import missing_targets
from trainlint.checks.exclusive_domains import ExclusiveCause, exclusive_causes
from trainlint.checks.shapes import ShapeMismatch, shape_mismatches
from trainlint.checks.shared_claims import SharingCause, shared_claims
from trainlint.facts.cluster import ClusterFacts
from trainlint.facts.queues import QueueFacts
from trainlint.model.pool import Pool
from trainlint.model.root import Root
from trainlint.model.workload import PodSet
from trainlint.proof.cause import Miss, PlacementCause, TargetCause
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.verdicts import Verdicts
from trainlint.scheduling.refusal import Doubt
from trainlint.scheduling.taint_toleration import untolerated
from trainlint.snapshot.build import Snapshot

__all__ = ["PlacementFacts"]


class PlacementFacts:
    """Nodes and the pod sets of one snapshot, each pair judged once."""

    def __init__(self, snapshot: Snapshot, cluster: ClusterFacts, queues: QueueFacts) -> None:
        self._snapshot = snapshot
        self._cluster = cluster
        self._queues = queues

    @cached_property
    def verdicts(self) -> Verdicts:
        """Where the pods of each pod set can be scheduled."""
        return Verdicts(self._snapshot, self._cluster.admission, self._cluster.storage, self._queues.queueing)

    def open_pools(self, pod_set: PodSet) -> tuple[Pool, ...] | None:
        """The pools that may take a pod of the set; ``None`` where some nodes are unknown."""
        return self.verdicts.open_pools(pod_set)

    @cached_property
    def feasibilities(self) -> tuple[Feasibility, ...]:
        """Where the pods of every pod set can be scheduled; pod sets whose nodes are unknown are left out."""
        return tuple(
            judged[0]
            for pod_set in self._snapshot.workloads.pod_sets
            if (judged := self.verdicts.of(pod_set)) is not None
        )

    @cached_property
    def impossible(self) -> tuple[Feasibility, ...]:
        """The pod sets that no node of any cluster could take, of those whose nodes are not all known."""
        return tuple(
            judged
            for pod_set in self._snapshot.workloads.pod_sets
            if self.verdicts.closed_inventory(pod_set) is None
            and pod_set.at.file not in self._snapshot.unrendered
            and (judged := self.verdicts.alone(pod_set)) is not None
            and judged.cause is not None
        )

    def causes(self, root: Root) -> Iterator[PlacementCause]:
        """The pod sets that can never be scheduled for one reason; one for each fault of an object."""
        found: dict[Hashable, PlacementCause] = {}
        for judged in (*self.feasibilities, *self.impossible):
            cause = judged.cause
            if cause is None or cause.root is not root or judged.pod_set.replicas == 0:
                continue
            fault = frozenset((miss.pool.name, *(each.reason for each in miss.refusals)) for miss in cause.misses)
            _merge(found, (judged.pod_set.owner, fault), cause)
        yield from found.values()

    @cached_property
    def perhaps_untolerated(self) -> tuple[PlacementCause, ...]:
        """The pod sets that only an admission plugin lets onto nodes, of which no manifest shows whether it is on; one
        for each object.
        """
        found: dict[Hashable, PlacementCause] = {}
        for judged in self.feasibilities:
            inventory = self.verdicts.inventory(judged.pod_set)
            pools = _waiting_for_platform(judged)
            if not pools or inventory is None or judged.pod_set.replicas == 0:
                continue
            closed = self.verdicts.closing(judged, inventory)
            if closed is None:
                continue
            pod = replace(judged.pod, spec=replace(judged.pod.spec, perhaps_tolerated=()))
            nodes = self.verdicts.nodes(inventory)
            misses = tuple(Miss(nodes[index].pool, ()) for index in pools)
            if not all(untolerated(miss.pool.taints, pod.spec) for miss in misses):
                continue  # a toleration of their own, which is not known, may let them onto such nodes as well
            cause = PlacementCause(Root.TAINTS, judged.pod_set, misses, assumes=closed.assumes, pod=pod)
            _merge(found, judged.pod_set.owner, cause)
        return tuple(found.values())

    @cached_property
    def missing_targets(self) -> tuple[TargetCause, ...]:
        """Pod sets that must start near a pod that no workload makes."""
        unrendered = self._snapshot.unrendered
        return tuple(
            each
            for each in missing_targets(self._snapshot)
            if each.pod_set.at.file not in unrendered and each.pod_set.owner not in self._queues.handed_on
        )

    @cached_property
    def shared_claims(self) -> tuple[SharingCause, ...]:
        """Claims that attach to one node and are used on several."""
        workloads = self._snapshot.workloads
        return tuple(shared_claims(workloads.groups, workloads.pod_sets, self._cluster.storage, self.verdicts.of))

    @cached_property
    def exclusive_shortages(self) -> tuple[ExclusiveCause, ...]:
        """Objects whose exclusive topology asks for more or larger domains than there are."""
        return tuple(exclusive_causes(self._snapshot.workloads.objects, self.verdicts.closed))

    @cached_property
    def shape_mismatches(self) -> tuple[ShapeMismatch, ...]:
        """The pods that do not fit the machine, slice or domain that they select."""
        return tuple(shape_mismatches(self._snapshot))


def _merge(found: dict[Hashable, PlacementCause], fault: Hashable, cause: PlacementCause) -> None:
    """Keep one cause for each fault, with the pod sets of all."""
    before = found.get(fault)
    found[fault] = cause if before is None else replace(before, also=(*before.also, cause.pod_set))


def _waiting_for_platform(judged: Feasibility) -> tuple[int, ...]:
    """The pools that refuse the pods if an admission plugin is off and whose other filters pass; none where another
    pool takes them, or might for another reason.
    """
    if judged.pools or not judged.pod.spec.perhaps_tolerated:
        return ()
    doubts = [each for index in judged.doubtful for each in judged.verdicts[index] if isinstance(each, Doubt)]
    return tuple(sorted(judged.doubtful)) if all(each.platform for each in doubts) else ()
