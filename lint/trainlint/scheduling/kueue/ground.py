"""On what ground Kueue does not give a flavor to pods, or a ClusterQueue is not active."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["FlavorGround", "InactiveGround"]


class FlavorGround(Enum):
    """Why a flavor does not take pods; what stands beside each are the values of its ``Because``."""

    TAINT = auto()  # the taint
    REQUIREMENT = auto()  # the requirement
    NO_TERM = auto()
    NO_TOPOLOGY = auto()  # the flavor
    NO_LEVEL = auto()  # the level, the topology


class InactiveGround(Enum):
    """Why a ClusterQueue is not active; what stands beside each are the values of its ``Because``."""

    STOPPED = auto()  # its stopPolicy
    NO_FLAVOR = auto()  # the flavor
    NO_TOPOLOGY = auto()  # the Topology, the flavor
    CIRCLE = auto()  # the names of the cohorts, in order, the first one twice
    NO_CHECK = auto()  # the AdmissionCheck
    INACTIVE_CHECK = auto()  # the AdmissionCheck
    SEVERAL_MULTIKUEUE_CHECKS = auto()  # how many, their names
    MULTIKUEUE_AND_PROVISIONING = auto()  # the names of both checks
    MULTIKUEUE_FOR_SOME_FLAVORS = auto()  # the AdmissionCheck
    NO_MULTIKUEUE_CONFIG = auto()  # the MultiKueueConfig, the AdmissionCheck
    NO_MULTIKUEUE_CLUSTER = auto()  # the AdmissionCheck, the names that it has
