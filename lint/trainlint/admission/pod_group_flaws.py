"""What the API server refuses of PodGroups and Workloads of Kubernetes itself, and of the coscheduling plugin."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["PodGroupFlaw"]


class PodGroupFlaw(Enum):
    """What is refused; beside each are its values."""

    NO_GROUPS = auto()  # the field
    TOO_MANY_GROUPS = auto()  # how many, the most
    GROUP_TWICE = auto()  # the pod group
    GROUP_NAME = auto()  # the pod group, what is wrong
    NO_POLICY = auto()
    BOTH_POLICIES = auto()
    LEAST = auto()  # what is written (empty: nothing)
    MIN_MEMBER = auto()  # what is written
    SEVERAL_TOPOLOGIES = auto()  # how many
    NOT_SERVED = auto()  # the kind, its API version, the release of Kubernetes, the API version that this has
    FIELD_RELEASE = auto()  # the field, the releases that have it, the release of Kubernetes, the field that this has
