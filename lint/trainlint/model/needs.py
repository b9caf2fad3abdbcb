"""What a cluster must offer so that a group runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum, auto

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.pod import Toleration
from trainlint.model.selector import Requirement

__all__ = ["DeviceNeed", "DeviceWant", "NeedGround", "Needs", "ObjectNeed", "RoleNeed"]


class NeedGround(Enum):
    """What must hold beside nodes and objects; beside each the values of its ``Because``."""

    # of what Git does not hold
    OBJECT = auto()  # the object
    DEVICES = auto()  # their claims
    VOLUME = auto()  # the claim
    VOLUME_FOR_ALL = auto()  # the claim
    DEFAULT_CLASS = auto()  # the claim
    CLASS_ROOM = auto()  # the StorageClass, the claim
    CHANGED = auto()  # what changes the pods
    LET_IN = auto()  # what may refuse the pods
    # of placeholders
    AMOUNT = auto()  # the resources, why their amount is not known
    SELECTED = auto()
    LABELS = auto()  # the labels
    TEMPLATE = auto()  # the part of the spec, the pod set
    # of nodes
    UNLABELLED = auto()  # the topology key
    ONE_DOMAIN = auto()  # the topology key or nothing, whether for each block, the pod set, what asks for it
    PLACED = auto()  # what places the pods, the pod set
    MARGIN = auto()  # the amount, its resource, the machine, the pod set, what the machine has, what is sure to be left


@fact
class RoleNeed:
    """What the pods of one role need of nodes.

    ``labels`` are the ways to satisfy their selectors: a node satisfies all requirements of one of them. ``requests``
    are those of one pod as people write them, ``total`` those of all. ``tolerates`` are the taints that such nodes may
    have. ``apart`` says that each pod needs a node of its own, ``on_nodes_of`` names the roles, perhaps itself, with a
    pod of which each pod must share its node. ``devices`` are claims of devices, ``volumes`` claims of volumes that the
    nodes must reach.
    ``unsaid`` is why the number of pods is not known; then ``pods`` is the smallest, and ``total`` is that of one.
    ``beside`` marks pods of another workload that those of the group must be near: one is enough, and takes no room.
    """

    role: str
    pods: int
    labels: tuple[tuple[Requirement, ...], ...] = ((),)
    requests: Mapping[str, str] = field(default_factory=dict)
    total: Mapping[str, str] = field(default_factory=dict)
    tolerates: tuple[Toleration, ...] = ()
    apart: bool = False
    on_nodes_of: tuple[str, ...] = ()
    beside: bool = False
    devices: tuple[DeviceNeed, ...] = ()
    volumes: tuple[str, ...] = ()
    unsaid: Because | None = None
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class DeviceWant:
    """One request of a claim: ``count`` devices of a class ("all" of a node, or why the number is not known) that the
    ``selectors`` accept, and those of the class. Of several wants with one ``request`` the first that can be met
    counts. ``known``: the class is.
    """

    request: str
    device_class: str
    count: str | Because
    selectors: tuple[str, ...] = ()
    of_class: tuple[str, ...] = ()
    known: bool = True

    @property
    def every_selector(self) -> tuple[str, ...]:
        """The selectors of the class and of the request."""
        return (*self.of_class, *self.selectors)


@fact
class DeviceNeed:
    """The devices that each pod of a role claims on its node: the ``claim`` (kind, namespace, name), and what it asks
    for; nothing where Git does not hold the claim. ``matching`` are attributes that the devices have in common.
    ``shared`` says that all pods have the very same devices, or that they differ in something.
    """

    role: str
    claim: str
    wants: tuple[DeviceWant, ...] = ()
    matching: tuple[str, ...] = ()
    shared: bool = False
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class ObjectNeed:
    """An object that must exist and that Git does not hold; ``namespace`` is empty for those of the cluster."""

    kind: str
    namespace: str
    name: str
    role: str
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Needs:
    """What a cluster must offer so that a group runs, as little as possible.

    ``domain`` is the label of which all of it must share one value for the group to run, empty where it need not;
    ``zones`` are the only values that will do, where manifests name them. ``together`` is the label of which all nodes
    that the pods may use must share one value for every placement to be good, empty where the manifests see to that.
    ``shared`` are other labels of which all nodes of the group have one value each: required pod affinity asks for it.
    ``others`` is what else must hold. ``devices`` is what nodes that are known must have of devices, which
    is not said of them.
    """

    roles: tuple[RoleNeed, ...] = ()
    objects: tuple[ObjectNeed, ...] = ()
    domain: str = ""
    zones: tuple[str, ...] = ()
    together: str = ""
    shared: tuple[str, ...] = ()
    others: tuple[Because, ...] = ()
    devices: tuple[DeviceNeed, ...] = ()
