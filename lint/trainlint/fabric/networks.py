"""The networks that a snapshot defines, and what else in it decides which interfaces pods get."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from trainlint.fabric.claimed import GPU_CLASSES, interfaces_of_claim, requests_of
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.meta import read_labels
from trainlint.kube.network import (
    NETWORK_KINDS,
    Attachable,
    PortMtu,
    read_additional_networks,
    read_attachable,
    read_device_mtus,
    read_primary_namespaces,
)
from trainlint.kube.values import read_text
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.objects import ApiObject
from trainlint.workload.claims import CHANNEL, made_template

__all__ = ["PRIMARY_LABEL", "Networks", "read_networks"]

PRIMARY_LABEL: Final = "k8s.ovn.org/primary-user-defined-network"
_READ: Final = NETWORK_KINDS | {"ResourceClaim", "ResourceClaimTemplate", "ComputeDomain"}
_INJECTORS: Final = frozenset({"SriovNetworkNodePolicy", "SriovNetwork", "SriovIBNetwork"})


@fact
class Networks:
    """What the snapshot says about networks.

    ``attachable`` are Multus networks by namespace and name ("" is every namespace); ``gke`` are the names of
    GKE's Networks. ``primary`` are namespaces whose pods use a user-defined primary network. ``multus_defaults`` says
    whether Multus adds networks to every pod (``None``: its configuration is not in Git). ``claims`` are the device
    classes of claims and claim templates, ``claim_interfaces`` the interfaces that they name, where they name all.
    ``injector`` says that an operator is there that adds device requests to
    pods. ``rdma_resources`` are the last parts of the names of resources that a node policy makes RDMA devices (true)
    or plain ones (false).
    ``mtus`` are those that node configuration sets, by device resource (the last part of its name) or interface.
    """

    attachable: Mapping[tuple[str, str], Attachable] = field(default_factory=dict)
    gke: Mapping[str, Location] = field(default_factory=dict)
    primary: frozenset[str] = frozenset()
    multus_defaults: bool | None = None
    claims: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    claim_interfaces: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    injector: bool = False
    rdma_resources: Mapping[str, bool] = field(default_factory=dict)
    mtus: Mapping[str, tuple[PortMtu, ...]] = field(default_factory=dict)

    def find(self, namespace: str, name: str) -> Attachable | None:
        """A Multus network by the name that an annotation gives it; ``None`` where no object defines it."""
        return self.attachable.get((namespace, name)) or self.attachable.get(("", name))

    def holds_some(self, namespace: str) -> bool:
        """Whether a definition is written for the namespace (what operators make does not count)."""
        return any(each.namespace == namespace and not each.generated for each in self.attachable.values())

    def only_gpus(self, namespace: str, claim: str) -> bool:
        """Whether a claim or claim template is known to bring no network device."""
        classes = self.claims.get((namespace, claim))
        return bool(classes) and all(name.startswith(GPU_CLASSES) for name in classes or ())


def read_networks(snapshot: Snapshot) -> Networks:
    """Everything about networks in the snapshot's objects."""
    attachable: dict[tuple[str, str], Attachable] = {}
    gke: dict[str, Location] = {}
    primary: set[str] = set()
    claims: dict[tuple[str, str], tuple[str, ...]] = {}
    claim_interfaces: dict[tuple[str, str], tuple[str, ...]] = {}
    rdma: dict[str, bool] = {}
    mtus: dict[str, tuple[PortMtu, ...]] = {}
    objects = [each for each in snapshot.objects if each.meta.kind in _READ]
    for each in objects:
        kind = each.meta.kind
        found = [*read_additional_networks(each.field)] if kind == "Network" else []
        if (one := read_attachable(each.field)) is not None:
            found.append(one)
        for network in found:
            attachable.setdefault((network.namespace, network.name), network)
        if kind == "Network" and each.meta.api_group == "networking.gke.io":
            gke[each.meta.name] = each.field.at
        elif kind in {"UserDefinedNetwork", "ClusterUserDefinedNetwork"}:
            primary.update(read_primary_namespaces(each.field, snapshot.namespaces))
        elif kind in {"ResourceClaim", "ResourceClaimTemplate"}:
            claims[each.ref.namespace, each.meta.name] = _device_classes(each)
            if named := interfaces_of_claim(each.field):
                claim_interfaces[each.ref.namespace, each.meta.name] = named
        elif kind == "ComputeDomain":
            claims.setdefault((each.ref.namespace, made_template(each.field)), (CHANNEL,))
        elif kind == "SriovNetworkNodePolicy":
            spec = each.field["spec"]
            is_rdma = spec["isRdma"].value is True or read_text(spec["linkType"]).lower() == "ib"
            rdma[read_text(spec["resourceName"])] = is_rdma
        for name, of_ports in read_device_mtus(each.field):
            mtus[name] = (*mtus.get(name, ()), of_ports)
    return Networks(
        attachable,
        gke,
        frozenset(primary),
        _multus_defaults(snapshot),
        claims,
        claim_interfaces,
        any(each.meta.kind in _INJECTORS for each in objects),
        rdma,
        mtus,
    )


def _device_classes(claim: ApiObject) -> tuple[str, ...]:
    return tuple(
        read_text(request["deviceClassName"]) or read_text(request.down("exactly", "deviceClassName"))
        for request in requests_of(claim.field)["requests"].elements()
    )


def _multus_defaults(snapshot: Snapshot) -> bool | None:
    """Whether Multus' configuration names default networks; it is a JSON file in a ConfigMap of its daemon."""
    said = None
    for each in snapshot.objects:
        if each.meta.kind != "ConfigMap" or "multus" not in each.meta.name.lower():
            continue
        for text in read_labels(each.field["data"]).values():
            if "multus" in text.lower():
                said = bool(said) or "defaultNetworks" in text
    return said
