"""What an allocation comes to other than devices."""

from __future__ import annotations

from enum import Enum, auto

from trainlint.fact import fact
from trainlint.model.because import Because

__all__ = ["AllocationError", "AllocationFault", "DeviceGround", "Open", "SearchBudgetError"]


class DeviceGround(Enum):
    """Why the allocator fails or cannot be followed; what stands beside each are the values of its ``Because``."""

    EXPRESSION = auto()  # what CEL says
    COST = auto()
    NO_BOOLEAN = auto()
    BROKEN_ATTRIBUTE = auto()  # the attribute, the device
    UNDECLARED = auto()  # the attributes
    STEPS = auto()  # how many
    COUNT = auto()  # why it is not known
    NO_CLASS = auto()  # the request, the claim
    NODE_SELECTOR = auto()  # what is wrong with it
    SEVERAL_TERMS = auto()  # the slice
    TOO_MANY = auto()  # the claim, how many it may have
    EMPTY_CONSTRAINT = auto()  # the claim
    MODE = auto()  # the mode
    INCOMPLETE = auto()  # the pool
    INVALID = auto()  # the pool
    EXCLUDED = auto()  # the claim
    ELSEWHERE = auto()


@fact
class AllocationFault:
    """The scheduler fails with an error: the pod stays pending, whatever other nodes have."""

    reason: Because


@fact
class Open:
    """It cannot be said here what the scheduler makes of it. ``function``: a selector calls a function that Kubernetes
    does not have up to the version that is followed here.
    """

    why: Because
    function: bool = False


class AllocationError(Exception):
    """Raised inside of a search that fails."""

    def __init__(self, reason: Because) -> None:
        super().__init__(reason.ground.name)
        self.fault = AllocationFault(reason)


class SearchBudgetError(Exception):
    """Raised inside of a search that takes too many steps."""
