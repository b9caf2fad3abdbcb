"""What pods may not fit: a machine, a TPU slice, a MIG slice, a compute domain; and what they ask for of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.inventory.instance_types import ACCELERATORS
from trainlint.inventory.machine_selection import is_shared
from trainlint.model.pod import Container
from trainlint.model.selector import Requirement
from trainlint.model.workload import PodSet
from trainlint.scheduling.node_affinity import describe

__all__ = [
    "Shape",
    "ShapeMismatch",
    "named_selectors",
    "on_shared_gpus",
    "place_of_request",
    "requested_devices",
    "whole_amount",
]


class Shape(StrEnum):
    """What the pods do not fit."""

    MACHINE = "machine"
    """They ask for more devices than the selected machine has."""
    CONTRADICTION = "contradiction"
    """No machine has all that they select."""
    HOSTS = "hosts"
    """Their number is no multiple of the hosts of the TPU slice."""
    CHIPS = "chips"
    """Each asks for another number of TPU chips than a host of the slice has."""
    MIG = "mig"
    """A container asks for several MIG slices, of which one process uses one."""
    PROFILE = "profile"
    """The selected nodes offer no MIG slices, not of this size, or under another name."""
    INTERFACES = "interfaces"
    """They list more interfaces than the selected machine has."""
    DOMAIN = "domain"
    """The compute domain waits for another number of nodes."""


@fact
class ShapeMismatch:
    """Pods of one object that do not fit: ``wanted`` of ``resource`` where the shape ``name`` has ``there``.

    ``selected`` are the selectors that name the shape, ``places`` where they stand. ``resources`` are the resources
    that one container asks for, ``machines`` the names of the machines that are left.
    """

    shape: Shape
    pod_sets: tuple[PodSet, ...]
    at: Location
    name: str = ""
    wanted: int = 0
    there: int = 0
    resource: str = ""
    selected: tuple[str, ...] = ()
    places: tuple[Location, ...] = ()
    resources: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()

    @property
    def fatal(self) -> bool:
        """Whether the pods never run together because of it, whatever version of the driver is there."""
        return self.shape not in {Shape.MIG, Shape.DOMAIN}


def named_selectors(requirements: Sequence[Requirement]) -> tuple[tuple[str, ...], tuple[Location, ...]]:
    """The requirements in words, and where they stand."""
    return tuple(map(describe, requirements)), tuple(each.at for each in requirements if each.at is not None)


def on_shared_gpus(pods: PodSet) -> bool:
    """Whether the pods select nodes that offer a GPU several times."""
    terms = (term.expressions for term in pods.spec.node_affinity or ())
    return any(is_shared(each) for each in (pods.spec.node_selector, *terms))


def requested_devices(pods: PodSet) -> Iterator[tuple[str, int]]:
    """The accelerators that one pod asks for at least, as containers run at the same time."""
    for resource in ACCELERATORS:
        amounts = [whole_amount(container, resource) for container in pods.spec.containers]
        total = sum(amount for amount in amounts if amount is not None)
        if total > 0:
            yield resource, total


def whole_amount(container: Container, resource: str) -> int | None:
    """How much of a resource the container asks for; ``None`` where that is no whole number, or not known."""
    text = container.limits.get(resource, container.requests.get(resource, "0"))
    return int(text) if isinstance(text, str) and text.isdecimal() else None


def place_of_request(pods: PodSet, resource: str) -> Location:
    """Where a pod asks for a resource."""
    holder = next((each for each in pods.spec.containers if whole_amount(each, resource)), None)
    return (holder and (holder.resources_at or holder.at)) or pods.spec.at or pods.at
