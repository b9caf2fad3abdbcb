"""Why what a node has is not known, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["NodeGround"]


class NodeGround(Enum):
    """Why a label or an amount of a node, or an amount that pods ask for, is not known.

    Beside each stand the values of its ``Because``.
    """

    NO_TIER_TREE = auto()  # the tier
    TIER_NAME = auto()  # the name of the tier
    TWO_HYPERNODES = auto()  # the HyperNodes, the pool
    IN_HYPERNODE = auto()  # the pool, the HyperNode
    NO_ALLOCATABLE = auto()  # the pool
    KUBELET_SHARE = auto()  # the resource, the pool
    LIMIT_RANGES = auto()  # the resource
    NO_NAMES = auto()  # the pool
    DEVICE_PLUGIN = auto()  # the resource, the pool
    QUANTITY = auto()  # the resource, what is wrong with its amount
