"""Why a value of a pod or a place is not known, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["ValueGround"]


class ValueGround(Enum):
    """Why a value of a pod, a node or a place is not known; beside each the values of its ``Because``."""

    KUBELET_LABEL = auto()  # the label, the pool
    PLATFORM_LABEL = auto()  # the label, the pool
    EACH_POD = auto()
    FIRST_POD = auto()
    LANDING_ZONE = auto()
    NO_INVENTORY = auto()
    NO_ZONE = auto()
    ZONE_REGION = auto()
    MIXED_DOMAIN = auto()  # the label
    IDEAL_REGION = auto()
