"""What an allocation comes to other than devices."""

from __future__ import annotations

from trainlint.fact import fact

__all__ = ["AllocationError", "AllocationFault", "Open", "SearchBudgetError"]


@fact
class AllocationFault:
    """The scheduler fails with an error: the pod stays pending, whatever other nodes have."""

    message: str


@fact
class Open:
    """It cannot be said here what the scheduler makes of it. ``function``: a selector calls a function that Kubernetes
    does not have up to the version that is followed here.
    """

    why: str
    function: bool = False


class AllocationError(Exception):
    """Raised inside of a search that fails."""

    def __init__(self, fault: AllocationFault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class SearchBudgetError(Exception):
    """Raised inside of a search that takes too many steps."""
