"""Everything about interfaces, devices and settings of a snapshot's ranks, made when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial

from trainlint.fabric.attachment import MULTUS_ANNOTATION
from trainlint.fabric.checks.adapters import fixed_index, locked_memory
from trainlint.fabric.checks.attachments import attached_networks, missing_attachments
from trainlint.fabric.checks.debugging import left_debugging
from trainlint.fabric.checks.fabrics import disabled_fabric, missing_device, some_roles
from trainlint.fabric.checks.gpus import bypassed_requests, shared_gpus
from trainlint.fabric.checks.idle import unused_devices
from trainlint.fabric.checks.interfaces import GLOO, NCCL, gloo_fault, judge, loopback_fault, missing_fault
from trainlint.fabric.checks.memory import large_volumes, small_shared_memory
from trainlint.fabric.checks.mpi import inexact_interfaces, interface_lists
from trainlint.fabric.checks.names import unknown_names
from trainlint.fabric.checks.names_on_hosts import unresolved_names
from trainlint.fabric.checks.roles import different_networks, mtu_faults
from trainlint.fabric.checks.values import invalid_values
from trainlint.fabric.checks.versions import mixed_versions
from trainlint.fabric.device import Device, Devices, devices_of, offered_devices
from trainlint.fabric.fault import NetworkFault, merged
from trainlint.fabric.image import versions_of
from trainlint.fabric.networks import Networks, read_networks
from trainlint.fabric.pod_interfaces import PodInterfaces, pod_interfaces
from trainlint.fabric.process import Communicator, Rank, communicators, single_ranks
from trainlint.fabric.release import Release
from trainlint.fabric.sharing import GpuSharing, read_sharing
from trainlint.finding import Location
from trainlint.launch.markers import markers
from trainlint.model.pool import Pool
from trainlint.model.workload import PodSet
from trainlint.snapshot.build import Snapshot

__all__ = ["Fabric"]

PoolsOf = Callable[[PodSet], tuple[Pool, ...] | None]


class Fabric:
    """The facts that the rules of the fabric read; ``pools_of`` says where the pods of a set may land."""

    def __init__(self, snapshot: Snapshot, pools_of: PoolsOf) -> None:
        self._snapshot = snapshot
        self._pools_of = pools_of
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
    def missing_interfaces(self) -> tuple[NetworkFault, ...]:
        """Values of NCCL_SOCKET_IFNAME that select nothing."""
        return tuple(merged(self._missing()))

    def _missing(self) -> Iterator[NetworkFault]:
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
    def loopback_interfaces(self) -> tuple[NetworkFault, ...]:
        """Values of NCCL_SOCKET_IFNAME that leave an interface that reaches no other rank."""
        found = (judge(rank, self.interfaces(rank.pod_set)) for rank, spans in self.ranks if spans and rank.computes)
        return tuple(
            merged(fault for each in found if each is not None and (fault := loopback_fault(each)) is not None)
        )

    @cached_property
    def gloo_names(self) -> tuple[NetworkFault, ...]:
        """Items of GLOO_SOCKET_IFNAME that are no interface."""
        found = (gloo_fault(rank, self.interfaces(rank.pod_set)) for rank, _ in self.ranks)
        return tuple(merged(fault for fault in found if fault is not None))

    @cached_property
    def different_networks(self) -> tuple[NetworkFault, ...]:
        """Roles that listen in different networks."""
        return tuple(
            fault
            for each in self.communicators
            if each.spans
            for fault in different_networks(each, self._interfaces_of(each))
        )

    def mtus(self) -> Iterator[NetworkFault]:
        """MTUs that differ along one path."""
        for each in self.communicators:
            yield from mtu_faults(each, self._interfaces_of(each), self.networks)

    def _interfaces_of(self, communicator: Communicator) -> dict[int, PodInterfaces]:
        return {id(rank.pod_set): self.interfaces(rank.pod_set) for rank in communicator.ranks}

    def unknown_names(self) -> Iterator[NetworkFault]:
        """Variables that no NCCL reads."""
        return merged(fault for each in self.pod_sets for fault in unknown_names(each, _releases(each)))

    def invalid_values(self) -> Iterator[NetworkFault]:
        """Values that NCCL reads as something else; interface lists of which another rule speaks are left out."""
        lists = (*self.missing_interfaces, *self.loopback_interfaces)
        spoken = {(NCCL, str(fault.evidence["value"])) for fault in lists}
        spoken |= {(GLOO, str(fault.evidence["value"])) for fault in self.gloo_names}
        frozen = frozenset(spoken)
        faults = [fault for each in self.pod_sets for fault in invalid_values(each, _releases(each), frozen)]
        faults += [fault for each in self.pod_sets for fault in interface_lists(each)]
        for rank, _ in self.ranks:
            faults += inexact_interfaces(rank, self.interfaces(rank.pod_set))
        return merged(faults)

    def disabled(self) -> Iterator[NetworkFault]:
        """Devices that a setting keeps NCCL from."""
        return merged(fault for rank, _ in self.ranks for fault in disabled_fabric(rank, self.devices(rank.pod_set)))

    def missing_devices(self) -> Iterator[NetworkFault]:
        """Settings without their device."""
        found = (
            missing_device(rank, self.devices(rank.pod_set), partial(self._offered, rank.pod_set))
            for rank, _ in self.ranks
        )
        return merged(fault for fault in found if fault is not None)

    def unused_devices(self) -> Iterator[NetworkFault]:
        """Devices that all nodes of a communicator's ranks offer, and that no rank asks for."""
        found: list[NetworkFault] = []
        for each in self.communicators:
            devices = {id(rank.pod_set): self.devices(rank.pod_set) for rank in each.ranks}
            found += unused_devices(each, devices, self._pools_of, self._offered)
        return merged(found)

    def _offered(self, pod_set: PodSet) -> tuple[Device, ...]:
        return offered_devices(pod_set, self._pools_of(pod_set) or (), self.networks)

    @cached_property
    def unequal_roles(self) -> tuple[NetworkFault, ...]:
        """Communicators of which only some ranks have the device."""
        return tuple(
            fault
            for each in self.communicators
            for fault in some_roles(each, {id(rank.pod_set): self.devices(rank.pod_set) for rank in each.ranks})
        )

    def unlocked_memory(self) -> Iterator[NetworkFault]:
        """Containers with verbs devices that cannot lock memory."""
        return merged(fault for each in self.pod_sets for fault in locked_memory(each, self.networks))

    def fixed_indices(self) -> Iterator[NetworkFault]:
        """Fixed device names in pods with virtual functions."""
        return merged(
            fault
            for rank, _ in self.ranks
            for fault in fixed_index(rank, self.devices(rank.pod_set), attached_networks(rank.pod_set, self.networks))
        )

    @cached_property
    def missing_attachments(self) -> tuple[NetworkFault, ...]:
        """Networks that no object defines."""
        return tuple(
            merged(
                fault
                for each in self.pod_sets
                for fault in missing_attachments(each, self.networks, self._snapshot.may_hold_more(each.namespace))
            )
        )

    def small_shared_memory(self) -> Iterator[NetworkFault]:
        """Containers whose /dev/shm is too small."""
        return merged(fault for each in self.pod_sets for fault in small_shared_memory(each))

    def large_memory_volumes(self) -> Iterator[NetworkFault]:
        """Volumes in memory that may outgrow their container."""
        return merged(fault for each in self.pod_sets for fault in large_volumes(each))

    @cached_property
    def unresolved_names(self) -> tuple[NetworkFault, ...]:
        """Pods on the host network that cannot resolve the names they use."""
        return tuple(merged(fault for each in self._snapshot.workloads.groups for fault in unresolved_names(each)))

    @cached_property
    def mixed_versions(self) -> tuple[NetworkFault, ...]:
        """Communicators with images of different releases."""
        return tuple(merged(fault for each in self.communicators for fault in mixed_versions(each)))

    def shared_gpus(self) -> Iterator[NetworkFault]:
        """Members of groups, and other ranks, that ask for several slices of a GPU."""
        members = [member for group in self._snapshot.workloads.groups for member in group.members]
        members += [rank.pod_set for rank, spans in self.ranks if not spans and any(markers(rank.container))]
        alive = {id(each): each for each in members if each.replicas != 0}
        return merged(
            fault for each in alive.values() for fault in shared_gpus(each, self.sharing, self._pools_of(each))
        )

    def bypassed_requests(self) -> Iterator[NetworkFault]:
        """GPUs that are taken without asking for them."""
        return merged(fault for each in self.pod_sets for fault in bypassed_requests(each))

    def left_debugging(self) -> Iterator[NetworkFault]:
        """Debugging that was left in."""
        return merged(fault for each in self.pod_sets for fault in left_debugging(each))


def _releases(pod_set: PodSet) -> list[Release | None]:
    return [versions_of(container.image).nccl for container in pod_set.spec.containers]
