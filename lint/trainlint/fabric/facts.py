"""Everything about interfaces, devices and settings of a snapshot's ranks, made when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from trainlint.fabric.attachment import MULTUS_ANNOTATION
from trainlint.fabric.checks.attachments import AttachmentFault, missing_attachments
from trainlint.fabric.checks.different_networks import DifferentNetworks, different_networks
from trainlint.fabric.checks.interfaces import (
    GlooFault,
    IsolatedInterface,
    LoopbackInterface,
    MissingInterface,
    gloo_fault,
    judge,
    loopback_fault,
    missing_fault,
)
from trainlint.fabric.checks.names_on_hosts import UnresolvedNames, unresolved_names
from trainlint.fabric.checks.some_roles import DeviceFault, some_roles
from trainlint.fabric.checks.versions import VersionFault, mixed_versions
from trainlint.fabric.device import Device, Devices, devices_of, offered_devices
from trainlint.fabric.fault import merged
from trainlint.fabric.networks import Networks, read_networks
from trainlint.fabric.pod_interfaces import PodInterfaces, pod_interfaces
from trainlint.fabric.process import Communicator, Rank, communicators, single_ranks
from trainlint.fabric.sharing import GpuSharing, read_sharing
from trainlint.finding import Location
from trainlint.model.pool import Pool
from trainlint.model.workload import PodSet
from trainlint.snapshot.build import Snapshot

__all__ = ["Fabric"]

PoolsOf = Callable[[PodSet], tuple[Pool, ...] | None]


class Fabric:
    """The facts that the rules of the fabric read; ``pools_of`` says where the pods of a set may land."""

    def __init__(self, snapshot: Snapshot, pools_of: PoolsOf) -> None:
        self._snapshot = snapshot
        self.pools_of = pools_of
        self._interfaces: dict[int, PodInterfaces] = {}
        self._devices: dict[int, Devices] = {}

    @cached_property
    def networks(self) -> Networks:
        """The networks of the snapshot."""
        return read_networks(self._snapshot)

    @cached_property
    def sharing(self) -> GpuSharing:
        """How the device plugin shares GPUs."""
        return read_sharing(self._snapshot.objects)

    @cached_property
    def pod_sets(self) -> tuple[PodSet, ...]:
        """The pod sets that have pods."""
        return tuple(each for each in self._snapshot.workloads.pod_sets if each.replicas != 0)

    @cached_property
    def communicators(self) -> tuple[Communicator, ...]:
        """The ranks that exchange data."""
        return tuple(communicators(self._snapshot.workloads.groups))

    @cached_property
    def ranks(self) -> tuple[tuple[Rank, bool], ...]:
        """Every rank, and whether its communicator spans pods."""
        found = [(rank, each.spans) for each in self.communicators for rank in each.ranks]
        return (*found, *((rank, False) for rank in single_ranks(self._snapshot.workloads)))

    def interfaces(self, pod_set: PodSet) -> PodInterfaces:
        """The interfaces of a set's pods."""
        if id(pod_set) not in self._interfaces:
            labels = frozenset(self._snapshot.namespaces.get(pod_set.namespace) or ())
            self._interfaces[id(pod_set)] = pod_interfaces(pod_set, self.networks, self._snapshot.settings, labels)
        return self._interfaces[id(pod_set)]

    def devices(self, pod_set: PodSet) -> Devices:
        """The fabric devices of a set's pods."""
        if id(pod_set) not in self._devices:
            self._devices[id(pod_set)] = devices_of(pod_set, self.networks)
        return self._devices[id(pod_set)]

    @cached_property
    def missing_interfaces(self) -> tuple[MissingInterface | IsolatedInterface, ...]:
        """Values of NCCL_SOCKET_IFNAME that select nothing."""
        return tuple(merged(self._missing()))

    def _missing(self) -> Iterator[MissingInterface | IsolatedInterface]:
        for rank in (rank for rank, _ in self.ranks if rank.computes):
            judged = judge(rank, self.interfaces(rank.pod_set))
            fault = missing_fault(judged, self._misplaced(rank.pod_set)) if judged is not None else None
            if fault is not None:
                yield fault

    def _misplaced(self, pod_set: PodSet) -> dict[str, Location]:
        """The Multus annotation on the object's own metadata, where the pods do not get it."""
        if MULTUS_ANNOTATION in pod_set.annotations or pod_set.owner.kind == "Pod":
            return {}
        for workload in self._snapshot.workloads.objects:
            if workload.owner == pod_set.owner:
                annotation = workload.field.down("metadata", "annotations", MULTUS_ANNOTATION)
                return {MULTUS_ANNOTATION: annotation.at} if annotation.present else {}
        return {}

    @cached_property
    def loopback_interfaces(self) -> tuple[LoopbackInterface, ...]:
        """Values of NCCL_SOCKET_IFNAME that leave an interface that reaches no other rank."""
        found = (judge(rank, self.interfaces(rank.pod_set)) for rank, spans in self.ranks if spans and rank.computes)
        return tuple(
            merged(fault for each in found if each is not None and (fault := loopback_fault(each)) is not None)
        )

    @cached_property
    def gloo_names(self) -> tuple[GlooFault, ...]:
        """Items of GLOO_SOCKET_IFNAME that are no interface."""
        found = (gloo_fault(rank, self.interfaces(rank.pod_set)) for rank, _ in self.ranks)
        return tuple(merged(fault for fault in found if fault is not None))

    @cached_property
    def different_networks(self) -> tuple[DifferentNetworks, ...]:
        """Roles that listen in different networks."""
        return tuple(
            fault
            for each in self.communicators
            if each.spans
            for fault in different_networks(each, self.interfaces_of(each))
        )

    def interfaces_of(self, communicator: Communicator) -> dict[int, PodInterfaces]:
        """The interfaces of the pods of each rank, by the identity of its pod set."""
        return {id(rank.pod_set): self.interfaces(rank.pod_set) for rank in communicator.ranks}

    def offered(self, pod_set: PodSet) -> tuple[Device, ...]:
        """The network devices that every node has on which the pods of a set may land."""
        return offered_devices(pod_set, self.pools_of(pod_set) or (), self.networks)

    @cached_property
    def unequal_roles(self) -> tuple[DeviceFault, ...]:
        """Communicators of which only some ranks have the device."""
        return tuple(
            fault
            for each in self.communicators
            for fault in some_roles(each, {id(rank.pod_set): self.devices(rank.pod_set) for rank in each.ranks})
        )

    @cached_property
    def missing_attachments(self) -> tuple[AttachmentFault, ...]:
        """Networks that no object defines."""
        return tuple(
            merged(
                fault
                for each in self.pod_sets
                for fault in missing_attachments(
                    each, self.networks, opened=self._snapshot.may_hold_more(each.namespace)
                )
            )
        )

    @cached_property
    def unresolved_names(self) -> tuple[UnresolvedNames, ...]:
        """Pods on the host network that cannot resolve the names they use."""
        return tuple(merged(fault for each in self._snapshot.workloads.groups for fault in unresolved_names(each)))

    @cached_property
    def mixed_versions(self) -> tuple[VersionFault, ...]:
        """Communicators with images of different releases."""
        return tuple(merged(fault for each in self.communicators for fault in mixed_versions(each)))
