"""What a filter answers: nothing (the pod fits), a refusal, or a doubt."""

from __future__ import annotations

from dataclasses import field
from enum import Enum, StrEnum, auto

from trainlint.fact import fact
from trainlint.finding import Location

__all__ = ["Answer", "Because", "Code", "Doubt", "Ground", "Refusal"]


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
    SHORTAGES = auto()  # what is short
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
    UNCOUNTED = auto()  # the container, what a quota counts


@fact
class Because:
    """The ground of a refusal, with its values."""

    ground: Ground
    values: tuple[object, ...] = ()


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
    devices of claims.
    """

    plugin: str
    why: str
    at: Location | None = field(default=None, compare=False)
    need: str = ""
    platform: bool = False
    devices: bool = False


Answer = Refusal | Doubt | None
"""``None``: the pod passes."""
