"""What is assumed about connections around the ranks, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["ControlPlaneGround"]


class ControlPlaneGround(Enum):
    """What is assumed about the control plane."""

    API_SERVER_ELSEWHERE = auto()
    PODS_IN_GIT = auto()
