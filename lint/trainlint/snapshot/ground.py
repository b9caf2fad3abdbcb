"""What is assumed about a cluster, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["SnapshotGround"]


class SnapshotGround(Enum):
    """What is assumed; what stands beside each are the values of its ``Because``."""

    CILIUM_VERSION = auto()  # the version
    CILIUM_IN_USE = auto()  # the version
    NETWORK_PLUGIN = auto()
    KUBERNETES_VERSION = auto()  # the version
    RULES_HOLD = auto()  # the kinds, why rules in CEL are not evaluated
    DEFAULT_NAMESPACE = auto()
    EXAMPLE_NODES = auto()  # the inventory, its directory
    PROFILE = auto()  # the profile, what shows it
