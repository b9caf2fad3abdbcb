"""A name of a pod that other pods use."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.launch.addresses import Address
from trainlint.model.workload import PodSet, Workload

__all__ = ["UsedName", "user_of"]


@fact
class UsedName:
    """A name of a pod that is used: the pod's part, the Service's part, by which pods, and whose pod it is."""

    pod: str
    service: str
    address: Address
    workload: Workload
    user: PodSet
    target: PodSet


def user_of(name: UsedName) -> tuple[str, Location]:
    """Where the name is used, as a related place of a finding."""
    return "who uses the name", name.address.at
