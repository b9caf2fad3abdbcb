"""Why a label or an amount of the nodes of a pool is not known, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["PoolGround"]


class PoolGround(Enum):
    """Why a label or an amount of nodes is not known; beside each the values of its ``Because``."""

    MACHINE_AMOUNT = auto()  # the resource, the instance type
    MACHINE_PLUGIN = auto()  # the resource, the instance type
    POOL_AMOUNT = auto()  # the resource, the pool
    NOT_WRITTEN = auto()  # the resource
    CLASS_PODS = auto()
    NODE_COUNT = auto()
    ATTRIBUTE = auto()  # the attribute, the driver
    KUBELET_LABEL = auto()  # the label
    NEW_NODE_LABEL = auto()  # the label, the node group
    CLASS_MACHINE = auto()
    LABEL_PLACEHOLDER = auto()  # the label
    GROUP_ZONES = auto()  # the node group
    INSTANCE_SELECTOR = auto()
    LAUNCH_TEMPLATE = auto()
    TYPE_PLACEHOLDER = auto()
    NODE_POOL_PLACEHOLDER = auto()  # the label
    NODE_POOL_OPEN = auto()  # the label, the operator
    NODE_POOL_LABEL = auto()  # the label
    SEVERAL_VALUES = auto()  # the label, the pool, the values
    NO_PLACE = auto()  # zone or region, the pool
