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
from trainlint.fabric.fault import NetworkFault
from trainlint.fabric.fixes import request
from trainlint.fabric.networks import Networks
from trainlint.finding import Certainty, Location, Severity
from trainlint.kube.network import Attachable
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet

__all__ = ["attached_networks", "missing_attachments"]

_ALWAYS = frozenset({"default", ""})


def attached_networks(pod_set: PodSet, networks: Networks) -> tuple[Attachable, ...]:
    """The known Multus networks of the set's pods, one for each attachment."""
    attached = multus_attachments(pod_set.annotations, pod_set.namespace)
    if isinstance(attached, Undetermined):
        return ()
    found = (networks.find(each.namespace, each.network) for each in attached)
    return tuple(each for each in found if each is not None)


def missing_attachments(pod_set: PodSet, networks: Networks, *, opened: bool) -> Iterator[NetworkFault]:
    """What is wrong with the networks of the set's pods; ``opened`` says that more may be in the namespace."""
    if pod_set.spec.host_network:  # no network plugin runs for them
        return
    yield from _of_multus(pod_set, networks, opened=opened)
    yield from _of_gke(pod_set, networks, opened=opened)
    yield from _without_devices(pod_set, networks)


def _of_multus(pod_set: PodSet, networks: Networks, *, opened: bool) -> Iterator[NetworkFault]:
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


def _missing(pod_set: PodSet, attachment: Attachment, elsewhere: list[Attachable]) -> NetworkFault:
    name = f"{attachment.namespace}/{attachment.network}"
    remedy = f"define the NetworkAttachmentDefinition {name}"
    if elsewhere:
        remedy = f"write {elsewhere[0].namespace}/{attachment.network}, or define it in {attachment.namespace}"
    return NetworkFault(
        pod_set,
        f"the pods of {pod_set.name} ask for the network {attachment.network}, which the namespace "
        f"{attachment.namespace} does not define: Multus cannot attach it, and they stay in ContainerCreating",
        _annotation(pod_set, MULTUS_ANNOTATION),
        remedy,
        name,
        tuple((f"is defined in {each.namespace}", each.at) for each in elsewhere[:1] if each.at is not None),
        {"network": attachment.network, "namespace": attachment.namespace},
        certainty=Certainty.LIKELY,
    )


def _of_gke(pod_set: PodSet, networks: Networks, *, opened: bool) -> Iterator[NetworkFault]:
    interfaces = gke_interfaces(pod_set.annotations)
    if isinstance(interfaces, Undetermined) or not networks.gke or opened:
        return
    for each in interfaces:
        if each.network in networks.gke or each.network in _ALWAYS:
            continue
        known = ", ".join(sorted(networks.gke))
        yield NetworkFault(
            pod_set,
            f"the pods of {pod_set.name} ask for the network {each.network} on {each.interface}, and there is no "
            f"Network of that name (there are {known} and default): they stay in ContainerCreating",
            _annotation(pod_set, GKE_ANNOTATION),
            f"define the Network {each.network}, or name one of {known}",
            each.network,
            evidence={"network": each.network, "interface": each.interface},
            certainty=Certainty.LIKELY,
        )


def _without_devices(pod_set: PodSet, networks: Networks) -> Iterator[NetworkFault]:
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
        some = f"only {amounts[resource]}" if amounts[resource] else "none"
        definition = next(each for each in attached_networks(pod_set, networks) if each.resource == resource)
        yield NetworkFault(
            pod_set,
            f"the pods of {pod_set.name} attach {count} network{'s' if count > 1 else ''} that take a {resource} each, "
            f"and ask for {some}: the attachment fails, and they stay in ContainerCreating",
            _annotation(pod_set, MULTUS_ANNOTATION),
            f'add {resource}: "{count}" to the limits of a container',
            resource,
            ((f"needs a {resource}", definition.at),) if definition.at else (),
            {"resource": resource, "attachments": count, "requested": amounts[resource]},
            severity=Severity.WARNING if injected else None,
            certainty=Certainty.LIKELY if injected else Certainty.PROVEN,
            fixes=request(pod_set, pod_set.spec.containers[0], resource, count)
            if len(pod_set.spec.containers) == 1
            else (),
        )


def _annotation(pod_set: PodSet, name: str) -> Location:
    return pod_set.template.child("metadata", "annotations", name)
