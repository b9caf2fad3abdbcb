"""What follows from manifests about a cluster only if something else holds, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["InstalledGround"]


class InstalledGround(Enum):
    """What is assumed; what stands beside each are the values of its ``Because``."""

    CILIUM_DEFAULTS = auto()  # the values that are missing, what installs it with them
    POLICY_UNCHANGED = auto()  # what may change objects
    NO_DEFAULT = auto()  # the field
