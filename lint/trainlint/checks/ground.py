"""What denials assume about the network plugin, and refusals about queues and groups, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["GroupGround", "PluginGround"]


class PluginGround(Enum):
    """What is assumed of the plugin; what stands beside each are the values of its ``Because``."""

    CILIUM_VERSION = auto()  # the version
    LOCAL_REDIRECT = auto()  # the policy that redirects


class GroupGround(Enum):
    """What refusals of queues and PodGroups assume."""

    STRICT_FIELDS = auto()
    QUEUE_DEPTH = auto()
    QUEUE_TREES = auto()
