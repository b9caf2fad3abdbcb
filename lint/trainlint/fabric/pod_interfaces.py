"""Which interfaces a pod has: known ones, possible ones, and why there may be others (N 3)."""

from __future__ import annotations

import ipaddress
from dataclasses import field
from typing import Final

from trainlint.fabric.attachment import (
    GKE_ANNOTATION,
    MULTUS_ANNOTATION,
    Attachment,
    gke_interfaces,
    multus_attachments,
)
from trainlint.fabric.ground import NetworkGround
from trainlint.fabric.networks import PRIMARY_LABEL, Networks
from trainlint.fact import fact
from trainlint.kube.network import Attachable
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.settings import Settings
from trainlint.model.workload import PodSet

__all__ = ["POD_NETWORK", "Network", "PodInterface", "PodInterfaces", "pod_interfaces"]

_HOST_NAMES: Final = {"oke": ("eth0",), "gke": ("eth0",), "aks": ("eth0",), "kind": ("eth0",), "eks": ("ens5", "eth0")}
"""Interfaces of the node that a platform's images are known to have; there may always be others (N 3.1)."""

_BY_MULTUS: Final = tuple(f"net{number}" for number in range(1, 17))
"""What default networks of Multus would be called; they come first, and shift the numbers of the others."""


@fact
class Network:
    """What an interface is connected to. ``subnets`` tell networks apart where they are known.

    ``isolated`` networks are reached only by who has an interface in them.
    """

    name: str
    subnets: tuple[str, ...] = ()
    isolated: bool = False
    definition: Attachable | None = field(default=None, compare=False)

    def surely_other(self, other: Network) -> bool:
        """Whether the two are provably different networks."""
        if self.name == other.name:
            return False
        pod_network = POD_NETWORK.name in {self.name, other.name}
        if pod_network:
            return self.isolated or other.isolated
        return bool(self.subnets and other.subnets) and not _overlap(self.subnets, other.subnets)


POD_NETWORK: Final = Network("the pod network")
_LOOPBACK: Final = Network("loopback")
_INFRASTRUCTURE: Final = Network("the cluster's default network, which a primary network isolates", isolated=True)


@fact
class PodInterface:
    """An interface and the network behind it."""

    name: str
    network: Network


@fact
class PodInterfaces:
    """The interfaces that a pod surely has, ``lo`` first; names that it may have; why it may have others still.

    ``useless`` are those that reach no other pod.
    """

    known: tuple[PodInterface, ...]
    possible: tuple[str, ...] = ()
    unknown: tuple[Because, ...] = ()
    useless: frozenset[str] = frozenset({"lo"})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the known ones."""
        return tuple(each.name for each in self.known)

    def network_of(self, name: str) -> Network | None:
        """The network of a known interface; ``None`` where it is not known."""
        return next((each.network for each in self.known if each.name == name), None)


def pod_interfaces(pod_set: PodSet, networks: Networks, settings: Settings, labels: frozenset[str]) -> PodInterfaces:
    """The interfaces of the set's pods; ``labels`` are the keys of their namespace's labels."""
    loopback = PodInterface("lo", _LOOPBACK)
    if pod_set.spec.host_network:
        possible = _HOST_NAMES.get(settings.profile, ())
        return PodInterfaces((loopback,), possible, (Because(NetworkGround.HOST_NETWORK),))
    unknown = list(_doubts(pod_set, networks))
    of_gke = gke_interfaces(pod_set.annotations)
    if isinstance(of_gke, Undetermined):
        return PodInterfaces((loopback,), unknown=(*unknown, of_gke.why))
    if of_gke:
        known = [PodInterface(each.interface, _gke_network(each)) for each in of_gke]
        return PodInterfaces((loopback, *known), unknown=tuple(unknown))
    useless = {"lo"}
    found = [loopback, PodInterface("eth0", POD_NETWORK)]
    if pod_set.namespace in networks.primary and PRIMARY_LABEL in labels:
        useless.add("eth0")
        primary = Network(f"the primary network of {pod_set.namespace}")
        found = [loopback, PodInterface("eth0", _INFRASTRUCTURE), PodInterface("ovn-udn1", primary)]
    elif PRIMARY_LABEL in labels or pod_set.namespace in networks.primary:
        unknown.append(Because(NetworkGround.PRIMARY_NETWORK))
    attached = multus_attachments(pod_set.annotations, pod_set.namespace)
    if isinstance(attached, Undetermined):
        unknown.append(attached.why)
    else:
        found += [PodInterface(each.interface, _multus_network(each, networks)) for each in attached]
    for claim in pod_set.spec.resource_claims:
        name = claim.template or claim.claim
        of_claim = networks.claim_interfaces.get((pod_set.namespace, name), ())
        found += [PodInterface(each, Network(f"a network of the claim {name}")) for each in of_claim]
    if networks.multus_defaults:
        unknown.append(Because(NetworkGround.MULTUS_DEFAULTS))
    possible = () if networks.multus_defaults is False else _BY_MULTUS
    return PodInterfaces(tuple(found), possible, tuple(unknown), frozenset(useless))


def _doubts(pod_set: PodSet, networks: Networks) -> list[Because]:
    """What else may give the pods interfaces."""
    found: list[Because] = []
    if "hostNetwork" in pod_set.spec.undetermined:
        found.append(Because(NetworkGround.HOST_NETWORK_PLACEHOLDER))
    for claim in pod_set.spec.resource_claims:
        name = claim.template or claim.claim
        if (
            not networks.only_gpus(pod_set.namespace, name)
            and (pod_set.namespace, name) not in networks.claim_interfaces
        ):
            found.append(Because(NetworkGround.CLAIM, (name,)))
    found += [
        Because(NetworkGround.NO_ANNOTATION, (resource,))
        for container in pod_set.spec.containers
        for resource in (*container.limits, *container.requests)
        if resource.startswith("networking.gke.io.networks/") and GKE_ANNOTATION not in pod_set.annotations
    ]
    found += [
        Because(NetworkGround.ANNOTATION, (key,))
        for key in pod_set.annotations
        if key not in {MULTUS_ANNOTATION, GKE_ANNOTATION} and ("cni.cncf.io" in key or "multus-cni.io" in key)
    ]
    return list(dict.fromkeys(found))


def _gke_network(attachment: Attachment) -> Network:
    if attachment.network == "default":
        return POD_NETWORK
    return Network(f"the network {attachment.network}", isolated=True)


def _multus_network(attachment: Attachment, networks: Networks) -> Network:
    found = networks.find(attachment.namespace, attachment.network)
    name = f"the network {attachment.namespace}/{attachment.network}"
    if found is None:
        return Network(name)
    return Network(name, found.subnets, isolated=bool(found.subnets) and not found.routed, definition=found)


def _overlap(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two lists of ranges have an address in common; what is no range counts as common."""
    for first in one:
        for second in other:
            try:
                left = ipaddress.ip_network(_whole(first), strict=False)
                right = ipaddress.ip_network(_whole(second), strict=False)
            except ValueError:
                return True
            if left.version == right.version and left.overlaps(right):
                return True
    return False


def _whole(text: str) -> str:
    """The network of a range such as ``192.168.70.10-192.168.70.99/24``."""
    first, dash, last = text.partition("-")
    return f"{first}/{last.partition('/')[2]}" if dash and "/" in last else text
