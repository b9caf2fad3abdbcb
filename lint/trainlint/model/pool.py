"""Nodes that are equal for scheduling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.known import Known, Undetermined

if TYPE_CHECKING:
    from trainlint.model.devices import NodeDevices

__all__ = ["COMPUTE_CLASS", "KUBELET_LABELS", "NAMES", "Inventory", "Pool", "Taint", "at_most", "is_of_platform"]

KUBELET_LABELS = ("beta.kubernetes.io/arch", "beta.kubernetes.io/os", "kubernetes.io/arch", "kubernetes.io/os")
"""Labels that every kubelet gives its node, beside the hostname."""
COMPUTE_CLASS = "cloud.google.com/compute-class"
"""The label and the taint of nodes that GKE makes for a ComputeClass."""
NAMES = (
    "alpha.eksctl.io/nodegroup-name",
    COMPUTE_CLASS,
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
)
"""Labels whose value is the name of the object that made the node."""
_BY_PROVIDER = frozenset({"agentpool", "node.kubernetes.io/instance-type", "node.kubernetes.io/windows-build"})
_PREFIXES_BY_PROVIDER = (
    "alpha.eksctl.io/",
    "amd.com/gpu.",
    "beta.amd.com/gpu.",
    "beta.kubernetes.io/",
    "cloud.google.com/",
    "eks.amazonaws.com/",
    "failure-domain.beta.kubernetes.io/",
    "feature.node.kubernetes.io/",
    "k8s.amazonaws.com/",
    "karpenter.",
    "kubernetes.azure.com/",
    "k8s.io/cloud-provider-",
    "nvidia.com/",
    "oci.oraclecloud.com/",
    "sagemaker.amazonaws.com/",
    "sandbox.gke.io/",
    "topology.ebs.csi.",
    "topology.k8s.aws/",
    "topology.gke.io/",
)
_PARTS_BY_PROVIDER = (".coreweave.cloud/", ".feature.node.kubernetes.io/")


@fact
class Taint:
    """A taint of a node."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Pool:
    """``minimum`` to ``maximum`` (None: no limit) nodes with the same labels, taints and allocatable resources.

    ``allocatable`` is ``None`` where the source does not say it; quantities are text. A pool of one named node has the
    label ``kubernetes.io/hostname`` and ``node_name``; in larger pools every node has a hostname of its own.
    ``listed_keys`` is ``None`` where the source lists every label that the nodes have; otherwise it holds the keys for
    which it does, and labels that platforms add by themselves (S 3) may be there beside them.
    ``undetermined`` maps labels that the nodes have, or may have, to why their value is unknown. ``ceiling`` holds
    the most that may be allocatable of a resource where ``allocatable`` is a cautious estimate; ``open_resources`` says
    that device plugins may offer resources that the source does not name. ``budget`` names what ``maximum`` is shared
    with: pools of one budget may have that many nodes together, not each. ``bound`` says in words what limits
    ``maximum``, ``bound_at`` where that stands. ``own_labels`` are the keys of labels that the object which makes the
    nodes gives them and no platform does; ``None`` where the nodes are there and nothing makes more of them.
    ``devices`` are what drivers of resource claims publish on each node; ``None`` where that is not said.
    ``notes`` say what was assumed or left out when the source was read.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    allocatable: Mapping[str, Known[str]] | None = None
    minimum: int = 1
    maximum: int | None = 1
    unschedulable: bool = False
    node_name: str = ""
    listed_keys: frozenset[str] | None = None
    notes: tuple[str, ...] = field(default=(), compare=False)
    at: Location | None = field(default=None, compare=False, repr=False)
    undetermined: Mapping[str, Because] = field(default_factory=dict)
    ceiling: Mapping[str, str] = field(default_factory=dict)
    open_resources: bool = False
    budget: str = ""
    bound: str = field(default="", compare=False)
    bound_at: Location | None = field(default=None, compare=False, repr=False)
    own_labels: frozenset[str] | None = None
    devices: NodeDevices | None = None

    def label(self, key: str) -> Known[str] | None:
        """The value of a label; ``None`` where the nodes surely lack it."""
        if key in self.undetermined:
            return Undetermined(self.undetermined[key])
        value = self.labels.get(key)
        if value is not None or self.listed_keys is None:
            return value
        if key in KUBELET_LABELS:
            return Undetermined(Because(ValueGround.KUBELET_LABEL, (key, self.name)))
        if key in self.listed_keys:
            return None
        if is_of_platform(key):
            return Undetermined(Because(ValueGround.PLATFORM_LABEL, (key, self.name)))
        return None


@fact
class Inventory:
    """All pools that one source of truth describes; ``complete`` means that there are no other nodes.

    ``partial`` says why there may be others, ``cluster`` is the cluster's name where the source gives it: what names
    none and is not complete may be joined with what describes the rest. ``derived`` means that it was not written as
    an inventory, ``live`` that it lists nodes that there are, beside what makes more of them at the places ``also``.
    ``ideal`` means that it was made from what pods ask for: it stands for every cluster that could exist,
    and whatever Git does not hold is taken to be there. ``invented`` says that its nodes were made so too, so that they
    have whatever a placeholder stands for.
    """

    name: str
    pools: tuple[Pool, ...]
    complete: bool = True
    at: Location | None = field(default=None, compare=False, repr=False)
    partial: str = ""
    derived: bool = False
    cluster: str = ""
    live: bool = False
    also: tuple[Location, ...] = field(default=(), compare=False, repr=False)
    ideal: bool = False
    invented: bool = False


def is_of_platform(key: str) -> bool:
    """Whether platforms may put a label of this key on nodes by themselves."""
    return (
        key in _BY_PROVIDER
        or key in KUBELET_LABELS
        or key.startswith(_PREFIXES_BY_PROVIDER)
        or any(part in key for part in _PARTS_BY_PROVIDER)
    )


def at_most(inventory: Inventory) -> Inventory | None:
    """The inventory with the most that may be allocatable; ``None`` where nothing in it is an estimate."""
    if not any(pool.ceiling for pool in inventory.pools):
        return None
    pools = (
        replace(pool, allocatable={**(pool.allocatable or {}), **pool.ceiling}, ceiling={}) if pool.ceiling else pool
        for pool in inventory.pools
    )
    return replace(inventory, pools=tuple(pools))
