"""What a cluster must offer so that a group runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.pod import Toleration
from trainlint.model.selector import Requirement

__all__ = ["Needs", "ObjectNeed", "RoleNeed"]


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
    devices: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    unsaid: str = ""
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
    ``others`` is what else must hold, in words.
    """

    roles: tuple[RoleNeed, ...] = ()
    objects: tuple[ObjectNeed, ...] = ()
    domain: str = ""
    zones: tuple[str, ...] = ()
    together: str = ""
    shared: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
