"""Networks that annotations name and no object defines, and attachments without their devices (N 3.2, 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trainlint.fabric.attachment import (
    GKE_ANNOTATION,
    MULTUS_ANNOTATION,
    Attachment,
    gke_interfaces,
    multus_attachments,
)
from trainlint.fabric.device import requested
from trainlint.fabric.fault import RoleFault
from trainlint.fabric.fixes import request
from trainlint.fabric.networks import Networks
from trainlint.fact import fact
from trainlint.finding import Certainty, Location, Severity
from trainlint.kube.network import Attachable
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet

__all__ = [
    "AttachmentFault",
    "MissingDevices",
    "MissingGkeNetwork",
    "MissingNetwork",
    "attached_networks",
    "missing_attachments",
]

_ALWAYS = frozenset({"default", ""})


@fact
class MissingNetwork:
    """Pods ask Multus for a network that their namespace does not define; ``elsewhere`` is a namespace that does."""

    pods: str
    network: str
    namespace: str
    elsewhere: str


@fact
class MissingGkeNetwork:
    """Pods ask GKE for a network on an interface, and only ``known`` and default are there."""

    pods: str
    network: str
    interface: str
    known: tuple[str, ...]


@fact
class MissingDevices:
    """Pods attach networks that take a device each, and ask for fewer devices."""

    pods: str
    resource: str
    attachments: int
    requested: int


@fact
class AttachmentFault(RoleFault):
    """A network that pods cannot attach; ``defined_at`` is the definition that is meant, or that needs the device."""

    what: MissingNetwork | MissingGkeNetwork | MissingDevices
    defined_at: Location | None


def attached_networks(pod_set: PodSet, networks: Networks) -> tuple[Attachable, ...]:
    """The known Multus networks of the set's pods, one for each attachment."""
    attached = multus_attachments(pod_set.annotations, pod_set.namespace)
    if isinstance(attached, Undetermined):
        return ()
    found = (networks.find(each.namespace, each.network) for each in attached)
    return tuple(each for each in found if each is not None)


def missing_attachments(pod_set: PodSet, networks: Networks, *, opened: bool) -> Iterator[AttachmentFault]:
    """What is wrong with the networks of the set's pods; ``opened`` says that more may be in the namespace."""
    if pod_set.spec.host_network:  # no network plugin runs for them
        return
    yield from _of_multus(pod_set, networks, opened=opened)
    yield from _of_gke(pod_set, networks, opened=opened)
    yield from _without_devices(pod_set, networks)


def _of_multus(pod_set: PodSet, networks: Networks, *, opened: bool) -> Iterator[AttachmentFault]:
    attached = multus_attachments(pod_set.annotations, pod_set.namespace)
    if isinstance(attached, Undetermined):
        return
    for each in attached:
        if networks.find(each.namespace, each.network) or opened or not networks.holds_some(each.namespace):
            continue
        elsewhere = sorted(
            (network for network in networks.attachable.values() if network.name == each.network),
            key=lambda network: network.namespace,
        )
        yield _missing(pod_set, each, elsewhere)


def _missing(pod_set: PodSet, attachment: Attachment, elsewhere: list[Attachable]) -> AttachmentFault:
    home = elsewhere[0].namespace if elsewhere else ""
    return AttachmentFault(
        pod_set,
        _annotation(pod_set, MULTUS_ANNOTATION),
        f"{attachment.namespace}/{attachment.network}",
        MissingNetwork(pod_set.name, attachment.network, attachment.namespace, home),
        elsewhere[0].at if elsewhere else None,
        certainty=Certainty.LIKELY,
    )


def _of_gke(pod_set: PodSet, networks: Networks, *, opened: bool) -> Iterator[AttachmentFault]:
    interfaces = gke_interfaces(pod_set.annotations)
    if isinstance(interfaces, Undetermined) or not networks.gke or opened:
        return
    for each in interfaces:
        if each.network in networks.gke or each.network in _ALWAYS:
            continue
        what = MissingGkeNetwork(pod_set.name, each.network, each.interface, tuple(sorted(networks.gke)))
        at = _annotation(pod_set, GKE_ANNOTATION)
        yield AttachmentFault(pod_set, at, each.network, what, None, certainty=Certainty.LIKELY)


def _without_devices(pod_set: PodSet, networks: Networks) -> Iterator[AttachmentFault]:
    """Attachments that need a device each, and pods that ask for fewer."""
    needed = Counter(each.resource for each in attached_networks(pod_set, networks) if "/" in each.resource)
    amounts: Counter[str] = Counter()
    for container in pod_set.spec.containers:
        for resource, count, _ in requested(container):
            if isinstance(count, Undetermined):
                return
            amounts[resource] += count
    for resource, count in needed.items():
        if amounts[resource] >= count or "containers.resources" in pod_set.spec.undetermined:
            continue
        injected = networks.injector and not amounts[resource]
        definition = next(each for each in attached_networks(pod_set, networks) if each.resource == resource)
        yield AttachmentFault(
            pod_set,
            _annotation(pod_set, MULTUS_ANNOTATION),
            resource,
            MissingDevices(pod_set.name, resource, count, amounts[resource]),
            definition.at,
            severity=Severity.WARNING if injected else None,
            certainty=Certainty.LIKELY if injected else Certainty.PROVEN,
            fixes=request(pod_set, pod_set.spec.containers[0], resource, count)
            if len(pod_set.spec.containers) == 1
            else (),
        )


def _annotation(pod_set: PodSet, name: str) -> Location:
    return pod_set.template.child("metadata", "annotations", name)
