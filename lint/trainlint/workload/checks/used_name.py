"""A name of a pod that other pods use."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.launch.addresses import Address
from trainlint.model.workload import PodSet, Workload

__all__ = ["UsedName", "described"]


@fact
class UsedName:
    """A name of a pod that is used: the pod's part, the Service's part, by which pods, and whose pod it is."""

    pod: str
    service: str
    address: Address
    workload: Workload
    user: PodSet
    target: PodSet


def described(name: UsedName) -> tuple[str, str, str, str, Location]:
    """What every fault about a name holds: by whom it is used, host, pod, Service, and where it is used."""
    return name.user.name, name.address.host, name.pod, name.service, name.address.at
