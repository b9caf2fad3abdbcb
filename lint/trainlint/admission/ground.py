"""What refusals rest on that Git does not say, and what is refused of an object, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["AdmissionGround", "RefusedPart"]


class AdmissionGround(Enum):
    """What refusals assume; what stands beside each are the values of its ``Because``."""

    RELEASE = auto()  # the operator, its first release that refuses
    KUBERNETES = auto()  # the first release that refuses
    TRAINING_WEBHOOK = auto()
    MANAGED_RAY_JOBS = auto()
    VOLCANO_PLUGINS = auto()
    RELAXED_NAMES = auto()
    HOST_NETWORK_GATE = auto()
    CLUSTER_DOMAIN = auto()  # the domain
    NAMESPACE = auto()  # the namespace
    DEFINED_KIND = auto()  # the kind


class RefusedPart(Enum):
    """What is made of an object and refused; what stands beside each are the values of its ``Because``."""

    EVERY_POD = auto()
    EVERY_POD_OF = auto()  # the role
    EVERY_MADE = auto()  # the kind of what is made
    EVERY_WORKER = auto()
    EVERY_WORKER_SET = auto()
    JOBS_OF = auto()  # the replicated job
    START_OF_PODS = auto()
