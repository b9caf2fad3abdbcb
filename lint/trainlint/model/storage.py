"""Volumes, claims and their classes, as far as scheduling reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.known import Known
from trainlint.model.selector import LabelSelector, NodeSelectorTerm, Requirement

__all__ = ["Claim", "CsiNode", "PersistentVolume", "Storage", "StorageCapacity", "StorageClass"]


@fact
class PersistentVolume:
    """A PersistentVolume; ``node_affinity`` is ``None`` without one, ``claim`` (namespace, name) that of its claimRef.

    ``phase`` is Available where a committed volume has no status. ``driver`` and ``handle`` are those of CSI.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    capacity: Known[str] = "0"
    access_modes: frozenset[str] = frozenset()
    storage_class: str = ""
    volume_mode: str = "Filesystem"
    phase: str = "Available"
    node_affinity: tuple[NodeSelectorTerm, ...] | None = None
    claim: tuple[str, str] | None = None
    driver: str = ""
    handle: str = ""
    deleting: bool = False
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Claim:
    """A PersistentVolumeClaim; ``storage_class`` is ``None`` where none is named (the default class may fill it in).

    ``bound`` says that binding is completed (annotation), ``selected_node`` that provisioning for a node has begun,
    ``request`` is empty where no storage is requested.
    """

    namespace: str
    name: str
    access_modes: frozenset[str] = frozenset()
    storage_class: str | None = None
    volume: str = ""
    selector: LabelSelector | None = None
    request: Known[str] = ""
    volume_mode: str = "Filesystem"
    phase: str = ""
    bound: bool = False
    selected_node: str = ""
    deleting: bool = False
    owners: tuple[str, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class StorageClass:
    """A StorageClass; each of ``topologies`` is one allowed set of requirements, none at all allows every node."""

    name: str
    provisioner: str = ""
    delayed: bool = False
    topologies: tuple[tuple[Requirement, ...], ...] = ()
    default: bool = False
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class CsiNode:
    """How many volumes of each driver a node takes; ``None`` where a driver gives no number."""

    name: str
    limits: Mapping[str, int | None] = field(default_factory=dict)


@fact
class StorageCapacity:
    """A CSIStorageCapacity: what one volume of a class may have on the nodes of ``topology``."""

    storage_class: str
    topology: LabelSelector | None = None
    capacity: Known[str] = ""
    maximum: Known[str] = ""


@fact
class Storage:
    """Everything known about volumes. ``capacity_drivers`` are the drivers that publish their capacity.

    ``complete`` says that there are no other claims, volumes and classes; ``controllers`` that the controllers of
    Kubernetes run, which create the claims of ephemeral volumes and bind what can be bound.
    """

    volumes: Mapping[str, PersistentVolume] = field(default_factory=dict)
    claims: Mapping[tuple[str, str], Claim] = field(default_factory=dict)
    classes: Mapping[str, StorageClass] = field(default_factory=dict)
    csi_nodes: Mapping[str, CsiNode] = field(default_factory=dict)
    capacity_drivers: frozenset[str] = frozenset()
    capacities: tuple[StorageCapacity, ...] = ()
    complete: bool = False
    controllers: bool = True
