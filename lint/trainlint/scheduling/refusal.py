"""What a filter answers: nothing (the pod fits), a refusal, or a doubt."""

from __future__ import annotations

from dataclasses import field
from enum import Enum, StrEnum, auto

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because

__all__ = ["Answer", "Code", "Doubt", "DoubtGround", "Ground", "Refusal"]


class Code(StrEnum):
    """The scheduler's status codes (S 0): removing pods might help, cannot help on this node, the filter failed."""

    UNSCHEDULABLE = "Unschedulable"
    UNRESOLVABLE = "UnschedulableAndUnresolvable"
    ERROR = "Error"


class Ground(Enum):
    """On what ground a pod is refused; what stands beside each are the values of its ``Because``."""

    TAINT = auto()  # the taint
    REQUIREMENT = auto()  # the requirement
    NO_COMMON_NODE = auto()
    NO_TERM = auto()
    NODE_NAME = auto()  # the name
    SHORTAGES = auto()  # a tuple of what is short
    CORDON = auto()
    HOST_PORT = auto()
    DISK = auto()  # the volume
    SINGLE_POD_CLAIM = auto()
    DRIVER = auto()  # the driver
    ABSENT = auto()  # kind and name
    LOST = auto()  # the claim
    DELETED = auto()  # the claim
    FOREIGN_CLAIM = auto()  # the claim
    OUT_OF_REACH = auto()  # the volume, the claim, where the volume is
    UNBOUND = auto()  # the claim
    CLASS_ELSEWHERE = auto()  # the class, the claim, where the class makes volumes
    PROVISIONED_ELSEWHERE = auto()  # the claim, the node
    NO_VOLUME = auto()  # the class, the claim
    NO_CAPACITY = auto()  # the class, the claim
    NO_VOLUME_YET = auto()  # the claim
    VOLUME_ZONE = auto()  # the volume, the claim, where the volume is
    TOLERATION = auto()  # the namespace, the key (empty: every taint)
    OVERHEAD = auto()  # the RuntimeClass
    NODE_SELECTOR = auto()  # the key, its value, what wants another one, that one
    LIMIT_DEFAULT = auto()  # the container, what it requests, of what, the default limit
    TOO_LITTLE = auto()  # the container (empty: the pod), request or limit, how much, of what, the least
    NO_REQUEST = auto()  # the container (empty: the pod), of what, the least
    TOO_MUCH = auto()  # the container (empty: the pod), request or limit, how much, of what, the most
    NO_LIMIT = auto()  # the container (empty: the pod), of what, the most
    RATIO = auto()  # the container (empty: the pod), the limit, of what, the ratio, the request
    DEVICES = auto()  # the claims, the pool
    DEVICE_SELECTION = auto()  # the claims, why a selector fails
    SHARED_CLAIM = auto()  # the claim, the pool, how many pods share it
    UNCOUNTED = auto()  # the container, what a quota counts


class DoubtGround(Enum):
    """What a filter must know to answer; what stands beside each are the values of its ``Because``."""

    VALUE = auto()  # why a value is not known
    NODE_NAME = auto()  # the placeholder
    HIDDEN_NODES = auto()
    ALLOCATABLE = auto()  # the pool
    NOT_IN_GIT = auto()  # kind and name
    DEVICES = auto()  # the claims, the pool
    WHICH_DEVICES = auto()  # the claims, what is not known
    SHARED_DEVICES = auto()  # the claim
    DEVICES_TOGETHER = auto()
    TOLERATIONS = auto()
    COMPUTE_CLASS = auto()  # its name, the taint
    EXTENDED_RESOURCES = auto()  # the taint
    HIDDEN_TOLERATION = auto()  # the taint
    NO_VOLUME_YET = auto()  # the claim
    REACH = auto()  # the volume
    DEFAULT_CLASS = auto()  # the claim
    ZONE_OF_VOLUME = auto()  # the claim
    WHICH_VOLUME = auto()  # the claim
    VOLUMES_OF_CLASS = auto()  # the class
    CLASS_REACH = auto()  # the class
    CLASS_ROOM = auto()  # the class
    PLACED_SELECTED = auto()
    SELECTED = auto()
    AFFINITY_PLACEHOLDERS = auto()  # the parts of the spec
    OWN_AFFINITY = auto()
    SPREAD_PLACEHOLDERS = auto()
    SPREAD_DOMAINS = auto()  # the topology key
    OWN_SPREAD = auto()
    UNREAD_CONTAINERS = auto()  # the part of the spec, the pod set
    TEMPLATE = auto()  # the part of the spec, the pod set
    KUEUE_TOLERATIONS = auto()  # the pod set, the queue
    KUEUE_FLAVORS = auto()  # the pod set, the queue
    NAMESPACE_PLUGINS = auto()  # the plugins, the pod set, the namespace, what of it cannot be read
    RUNTIME_CLASS = auto()  # its name, the pod set, whether it is in Git
    SEVERAL = auto()  # several of them


@fact
class Refusal:
    """A filter's no: ``at`` is what in the pod decides, ``node_at`` what in the node does."""

    plugin: str
    code: Code
    reason: Because
    at: Location | None = field(default=None, compare=False)
    node_at: Location | None = field(default=None, compare=False)


@fact
class Doubt:
    """A filter cannot tell, and why. ``need`` is what must exist outside Git for a yes, where that is all it takes.

    ``platform``: it depends on admission plugins of a platform that no manifest shows. ``devices``: the need is the
    devices of claims. ``filled``: it is a value in the place of a placeholder.
    """

    plugin: str
    why: Because
    at: Location | None = field(default=None, compare=False)
    need: Because | None = None
    platform: bool = False
    devices: bool = False
    filled: bool = False


Answer = Refusal | Doubt | None
"""``None``: the pod passes."""
