"""What is taken for granted about what deployers bring, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["DeployGround"]


class DeployGround(Enum):
    """What is assumed; what stands beside each are the values of its ``Because``."""

    SUSPENDED = auto()  # the deployer
    NAMED_SOURCE = auto()  # kind and name of the source
    UNNAMED_SOURCE = auto()
    ARCHIVE = auto()  # kind and name of the source, the directory
    NO_REMOTE = auto()  # the address; empty where it has none
    FORK = auto()  # the address
