"""The fabric devices that a pod gets: verbs (InfiniBand, RoCE) and EFA (N 3.2, 3.3, 4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

from trainlint.fabric.attachment import MULTUS_ANNOTATION
from trainlint.fabric.claimed import claimed_rdma
from trainlint.fabric.ground import AttachmentGround
from trainlint.fabric.networks import Networks
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, PodSpec
from trainlint.model.pool import Pool
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.model.workload import PodSet
from trainlint.workload.accelerators import is_accelerator

__all__ = [
    "Device",
    "DeviceKind",
    "Devices",
    "accelerator_count",
    "amount",
    "devices_in",
    "devices_of",
    "offered_devices",
    "requested",
]

_EFA: Final = "vpc.amazonaws.com/efa"
_VERBS: Final = lazy_pattern(
    r"^rdma/ | /(?:[\w.-]*[-_.])?(?:rdma|hca|roce|infiniband|mlnx|erdma) | /ib(?:[-_.\d]|$)", re.IGNORECASE | re.VERBOSE
)
_OPERATED: Final = ("openshift.io/", "nvidia.com/", "mellanox.com/", "intel.com/")
_NO_FABRIC: Final = lazy_pattern(r"/(?:gpu|mig-|gpu\.shared|hugepages)", re.IGNORECASE)
_VERBS_PATH: Final = "/dev/infiniband"
_DEVICE_PATHS: Final = (_VERBS_PATH, "/dev")


class DeviceKind(StrEnum):
    """What a device is reached through."""

    VERBS = "verbs"
    EFA = "EFA"


@fact
class Device:
    """A device resource that a container asks for, how many of it, and where that is written."""

    kind: DeviceKind
    resource: str
    count: Known[int]
    at: Location | None = None


@fact
class Devices:
    """The devices of a pod; ``open`` says why it may have others that it does not ask for by name.

    ``mounted`` are the node's own InfiniBand devices, in a privileged container that mounts them; ``claimed`` are RDMA
    devices that a claim gives.
    """

    asked: tuple[Device, ...] = ()
    open: str = ""
    mounted: Device | None = None
    claimed: Device | None = None

    def of(self, kind: DeviceKind) -> Device | None:
        """The first device of a kind; ``None`` where the pods have none."""
        return next((each for each in self.asked if each.kind is kind), None)


def devices_of(pod_set: PodSet, networks: Networks) -> Devices:
    """The fabric devices of the set's pods."""
    found = [each for container in pod_set.spec.containers for each in devices_in(container, networks)]
    return Devices(tuple(found), next(_doors(pod_set, networks), ""), _mounted(pod_set.spec), _claimed(pod_set.spec))


def _mounted(spec: PodSpec) -> Device | None:
    for volume in spec.volumes:
        if (
            volume.kind == "hostPath"
            and _VERBS_PATH in volume.disk
            and any(each.privileged for each in spec.containers)
        ):
            return Device(DeviceKind.VERBS, _VERBS_PATH, 1, volume.at)
    return None


def _claimed(spec: PodSpec) -> Device | None:
    found = ((claim.template or claim.claim, count, claim.at) for claim, count in claimed_rdma(spec))
    return next((Device(DeviceKind.VERBS, f"the claim {name}", count, at) for name, count, at in found), None)


def devices_in(container: Container, networks: Networks, only: DeviceKind | None = None) -> Iterator[Device]:
    """The devices that a container asks for, of one kind or of all."""
    for resource, count, at in requested(container):
        kind = _kind(resource, networks)
        if count != 0 and kind is not None and only in {None, kind}:
            yield Device(kind, resource, count, at)


def offered_devices(pod_set: PodSet, pools: Iterable[Pool], networks: Networks) -> tuple[Device, ...]:
    """The fabric devices that all of some pools have, each with the share that goes with the pod's accelerators."""
    shares: list[dict[str, int]] = []
    for pool in pools:
        amounts = {name: amount(quantity) for name, quantity in (pool.allocatable or {}).items()}
        known = {name: count for name, count in amounts.items() if isinstance(count, int) and count > 0}
        devices, asked = sum(count for name, count in known.items() if is_accelerator(name)), accelerator_count(pod_set)
        part = asked / devices if isinstance(asked, int) and 0 < asked <= devices else 0
        shares.append({name: max(int(count * part), 1) for name, count in known.items() if _kind(name, networks)})
    common = set.intersection(*(set(each) for each in shares)) if shares else set()
    return tuple(
        Device(kind, name, min(each[name] for each in shares))
        for name in sorted(common)
        if (kind := _kind(name, networks)) is not None
    )


def requested(container: Container) -> Iterator[tuple[str, Known[int], Location | None]]:
    """The resources that a container asks for, by limit or request, with their whole amounts."""
    for resource in dict.fromkeys((*container.limits, *container.requests)):
        part = "limits" if resource in container.limits else "requests"
        quantity = container.limits.get(resource, container.requests.get(resource, "0"))
        at = container.resources_at.child(part, resource) if container.resources_at else None
        yield resource, amount(quantity), at


def accelerator_count(pod_set: PodSet) -> Known[int]:
    """How many accelerators a pod of the set asks for."""
    total = 0
    for container in pod_set.spec.containers:
        for resource, count, _ in requested(container):
            if is_accelerator(resource):
                if isinstance(count, Undetermined):
                    return count
                total += count
        for claimed in container.claimed:
            if claimed.accelerator is not False:
                if isinstance(claimed.count, Undetermined):
                    return claimed.count
                total += claimed.count if claimed.accelerator else 0
    return total


def amount(quantity: Known[str]) -> Known[int]:
    """The whole number of a quantity."""
    if isinstance(quantity, Undetermined):
        return quantity
    try:
        return int(parse_quantity(quantity))
    except QuantityError:
        return Undetermined(Because(AttachmentGround.NO_QUANTITY))


def _kind(resource: str, networks: Networks) -> DeviceKind | None:
    if resource == _EFA:
        return DeviceKind.EFA
    if "/" not in resource or _NO_FABRIC.search(resource):
        return None
    if resource.startswith(_OPERATED) and (said := networks.rdma_resources.get(resource.partition("/")[2])) is not None:
        return DeviceKind.VERBS if said else None
    return DeviceKind.VERBS if _VERBS.search(resource) else None


def _may_be_function(resource: str, networks: Networks) -> bool:
    """Whether a resource may stand for virtual functions: the configuration of their device plugin names it freely."""
    if "/" not in resource or _NO_FABRIC.search(resource) or is_accelerator(resource):
        return False
    return networks.rdma_resources.get(resource.partition("/")[2], True)


def _doors(pod_set: PodSet, networks: Networks) -> Iterator[str]:
    """Ways to a device without asking for one."""
    spec: PodSpec = pod_set.spec
    for claim in spec.resource_claims:
        if not networks.only_gpus(pod_set.namespace, claim.template or claim.claim):
            yield f"the resource claim {claim.template or claim.claim}"
    if any(each.privileged for each in spec.containers):
        yield "a privileged container sees the node's devices"
    for volume in spec.volumes:
        if volume.kind == "hostPath" and any(path.rstrip("/") in _DEVICE_PATHS for path in volume.disk):
            yield "the node's devices are mounted"
    if spec.host_network:
        yield "the pod is on the host network"
    if "containers.resources" in spec.undetermined:
        yield "its resources are a placeholder"
    yield from _attached(pod_set, networks)


def _attached(pod_set: PodSet, networks: Networks) -> Iterator[str]:
    """Resources that may be the devices of networks that the pods are attached to."""
    by_multus = bool(pod_set.annotations.get(MULTUS_ANNOTATION, "").strip())
    for container in pod_set.spec.containers:
        for resource, count, _ in requested(container):
            if resource.startswith("networking.gke.io.networks/"):
                yield f"{resource} is asked for"
            elif by_multus and count != 0 and _may_be_function(resource, networks):
                yield f"{resource} may be the device of an attached network"
