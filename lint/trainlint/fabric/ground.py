"""Why the networks or devices of a pod are not known, as data."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["AttachmentGround", "NetworkGround"]


class AttachmentGround(Enum):
    """Why an annotation or an amount of devices is not known; beside each the values of its ``Because``."""

    ANNOTATION_PLACEHOLDER = auto()  # the annotation, its value
    UNREADABLE = auto()  # the annotation
    PLACEHOLDER = auto()  # the annotation
    NO_QUANTITY = auto()


class NetworkGround(Enum):
    """What may give pods other interfaces; beside each the values of its ``Because``."""

    HOST_NETWORK = auto()
    HOST_NETWORK_PLACEHOLDER = auto()
    PRIMARY_NETWORK = auto()
    MULTUS_DEFAULTS = auto()
    CLAIM = auto()  # the claim
    NO_ANNOTATION = auto()  # the resource
    ANNOTATION = auto()  # the annotation
