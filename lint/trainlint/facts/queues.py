"""What queues, quotas and gangs make of the pods of a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from trainlint.facts.cluster import ClusterFacts
from trainlint.model.workload import Gang, ObjectRef
from trainlint.queues.kueue_queues import Queueing
from trainlint.queues.kueue_refusals import QueueCause, queue_causes
from trainlint.queues.late_members import LateMembers, late_members
from trainlint.queues.missed_pod_groups import missed_pod_groups
from trainlint.queues.missed_queue import MissedQueue
from trainlint.queues.missed_queues import missed_queues
from trainlint.queues.multikueue import handed_on
from trainlint.queues.queue_refusals import QueueRefusal, SchedulerQueues
from trainlint.queues.quota import QuotaCause, quota_causes
from trainlint.queues.short_nodes import short_of_nodes
from trainlint.queues.unmanaged_jobs import unmanaged
from trainlint.snapshot.build import Snapshot
from trainlint.workload.gangs import oversized

__all__ = ["QueueFacts"]


class QueueFacts:
    """Which pods of one snapshot are let in by quotas, Kueue, Volcano and KAI, each worked out once."""

    def __init__(self, snapshot: Snapshot, cluster: ClusterFacts) -> None:
        self._snapshot = snapshot
        self._cluster = cluster

    @cached_property
    def queueing(self) -> Queueing:
        """What Kueue makes of the pods that are sent to its queues."""
        return Queueing(self._snapshot, self._cluster.admission)

    @cached_property
    def handed_on(self) -> Mapping[ObjectRef, tuple[str, ...]]:
        """The objects of which this cluster makes no pods, as others take them, each with the worker clusters."""
        return handed_on(self.queueing)

    @cached_property
    def never_admitted_here(self) -> tuple[QueueCause, ...]:
        """Objects that Kueue never admits by the queues of this snapshot alone."""
        return tuple(queue_causes(self.queueing))

    @cached_property
    def scheduler_queues(self) -> SchedulerQueues:
        """The queues of Volcano and KAI."""
        return SchedulerQueues(self.queueing)

    @cached_property
    def refusals(self) -> tuple[QueueRefusal, ...]:
        """Objects that Volcano or KAI never starts, because of their queue, and PodGroups that ask for more than all
        nodes have.
        """
        return (*self.scheduler_queues.refusals(), *short_of_nodes(self._snapshot))

    @cached_property
    def missed(self) -> tuple[MissedQueue, ...]:
        """Jobs that are meant for a queue and go past it."""
        found = (*unmanaged(self.queueing), *missed_queues(self._snapshot, self.scheduler_queues))
        told = {each.owner for each in found}
        return (*found, *(each for each in missed_pod_groups(self._snapshot) if each.owner not in told))

    @cached_property
    def over_quota(self) -> tuple[QuotaCause, ...]:
        """Pods that limits or quotas keep from being made."""
        workloads, away = self._snapshot.workloads, self.handed_on
        groups = (group for group in workloads.groups if away.keys().isdisjoint(each.owner for each in group.members))
        pod_sets = (each for each in workloads.pod_sets if each.owner not in away)
        return tuple(quota_causes(groups, pod_sets, self._snapshot.settings, self._cluster.admission))

    @cached_property
    def oversized_gangs(self) -> tuple[tuple[Gang, int], ...]:
        """Gangs that demand more pods than will ever exist, with how many will."""
        return tuple(oversized(self._snapshot.workloads.gangs, self._snapshot.may_hold_more))

    @cached_property
    def late_members(self) -> tuple[LateMembers, ...]:
        """Gangs that wait for pods which are made only when others of the gang run or have ended."""
        return tuple(late_members(self._snapshot.workloads.gangs, self._snapshot.workloads.objects))
