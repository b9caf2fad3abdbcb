"""The faults of jobs in their own contract, each with the pods that it is about: found once for rules and proofs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import Generic, TypeVar

from trainlint.fact import fact
from trainlint.model.workload import ObjectRef, PodSet, Workloads
from trainlint.workload.checks.counts import (
    NodeCount,
    ProcessCount,
    SizeCount,
    node_counts,
    process_counts,
    size_counts,
)
from trainlint.workload.checks.elastic import ElasticFault, elastic_faults
from trainlint.workload.checks.host_name_fault import HostNameFault
from trainlint.workload.checks.hostfile import HostfileSlots, hostfile_slots
from trainlint.workload.checks.hostnames import MisnamedHost, all_misnamed
from trainlint.workload.checks.names import CollidingName, colliding_names
from trainlint.workload.checks.plugins import WorldSize, volcano_release, world_sizes
from trainlint.workload.checks.rendezvous import MeetingFault, meeting_faults
from trainlint.workload.checks.slots import RanksInAll, RanksOnEach, slot_counts
from trainlint.workload.checks.subdomain_names import AbsentPod, absent_pods
from trainlint.workload.checks.trainer_names import UnmetNodes, unmet_nodes
from trainlint.workload.communicators import communicators
from trainlint.workload.services import Directory, directory_of

__all__ = ["Contract", "CountFault", "OfPods", "RendezvousFault"]


CountFault = ProcessCount | NodeCount | SizeCount | HostfileSlots | WorldSize | RanksOnEach | RanksInAll
RendezvousFault = MeetingFault | AbsentPod | UnmetNodes

F_co = TypeVar("F_co", covariant=True)


@fact
class OfPods(Generic[F_co]):
    """A fault, and the pods that it is about."""

    pod_sets: tuple[PodSet, ...]
    fault: F_co


class Contract:
    """The faults of a snapshot's jobs. ``opened`` says what may add objects to a namespace (decision 5), ``misnamed``
    are objects that do not come to be because of their names.
    """

    def __init__(
        self,
        workloads: Workloads,
        opened: Callable[[str], bool],
        misnamed: Callable[[], Collection[ObjectRef]],
        brings_both: Callable[[str, str], bool],
    ) -> None:
        self._workloads = workloads
        self._opened = opened
        self._unnamed = misnamed
        self._brings_both = brings_both

    @cached_property
    def _directory(self) -> Directory:
        return directory_of(self._workloads)

    @cached_property
    def _communicators(self) -> tuple[tuple[PodSet, ...], ...]:
        return tuple(communicators(self._workloads.groups))

    @cached_property
    def hosts(self) -> tuple[OfPods[HostNameFault], ...]:
        """Host names of a job's own pods that DNS does not know: one for each object and Service name."""
        sets = {each.owner: each.pod_sets for each in self._workloads.objects}
        return tuple(OfPods(sets[each.owner], each.fault) for each in self._misnamed)

    @cached_property
    def _misnamed(self) -> tuple[MisnamedHost, ...]:
        return tuple(all_misnamed(self._workloads, self._opened))

    @cached_property
    def meetings(self) -> tuple[OfPods[RendezvousFault], ...]:
        """Ranks that look for each other at different places: one for each communicator and each pod that is not there,
        none for other names that DNS does not know.
        """
        absent = tuple(
            OfPods(workload.pod_sets, fault)
            for workload in self._workloads.objects
            for fault in absent_pods(workload, self._directory)
        )
        unmet = (
            OfPods(workload.pod_sets, fault) for workload in self._workloads.objects for fault in unmet_nodes(workload)
        )
        return (*absent, *unmet, *self._apart({each.fault.host for each in absent}))

    def _apart(self, absent: set[str]) -> Iterator[OfPods[RendezvousFault]]:
        if not self._communicators:
            return
        misnamed = {*absent, *(each.host for each in self._misnamed)}
        unnamed = self._unnamed()
        for ranks in self._communicators:
            if not any(pods.owner in unnamed for pods in ranks):
                for fault in meeting_faults(ranks, self._directory, misnamed):
                    yield OfPods(ranks, fault)

    @cached_property
    def elastic(self) -> tuple[OfPods[ElasticFault], ...]:
        """Elastic ranges that contradict themselves: one for each object and contradiction."""
        return tuple(
            OfPods(workload.pod_sets, fault)
            for workload in self._workloads.objects
            for fault in elastic_faults(workload)
        )

    @cached_property
    def counts(self) -> tuple[OfPods[CountFault], ...]:
        """Numbers of processes, slots and nodes that do not fit: one for each object and number, none for objects whose
        elastic range is at fault.
        """
        elastic = {pods.owner for each in self.elastic for pods in each.pod_sets}
        return tuple(self._of_objects(elastic)) + tuple(self._of_ranks(elastic))

    def _of_objects(self, elastic: Collection[ObjectRef]) -> Iterator[OfPods[CountFault]]:
        release = volcano_release(self._workloads.pod_sets)
        for workload in self._workloads.objects:
            if workload.owner in elastic:
                continue
            found: list[CountFault] = []
            found += [fault for pods in workload.pod_sets for fault in process_counts(pods)][:1]
            found += [*slot_counts(workload), *world_sizes(workload, release)]
            found += hostfile_slots(workload, self._directory)
            yield from (OfPods(workload.pod_sets, fault) for fault in found)

    def _of_ranks(self, elastic: Collection[ObjectRef]) -> Iterator[OfPods[CountFault]]:
        for ranks in self._communicators:
            if all(pods.owner not in elastic for pods in ranks):
                yield from (OfPods(ranks, fault) for fault in node_counts(ranks))
                yield from (OfPods(ranks, fault) for fault in size_counts(ranks))

    @cached_property
    def colliding(self) -> tuple[OfPods[CollidingName], ...]:
        """Objects that make a pod or a Job of a name that another object makes as well."""
        sets = {each.field.down("metadata", "name").at: each.pod_sets for each in self._workloads.objects}
        found = colliding_names(self._workloads.objects, self._brings_both)
        return tuple(OfPods(sets[fault.at], fault) for fault in found)
