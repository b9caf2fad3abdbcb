"""Extended resources that device classes stand for: a claim is made up for what a node has no device plugin for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from trainlint.model.devices import DeviceClaim, DeviceClass, DeviceRequest, DeviceWish
from trainlint.model.pod import Container, PodSpec
from trainlint.scheduling.node import Node
from trainlint.scheduling.requests import container_requests, is_extended_resource

__all__ = ["NAME", "class_of", "extended_resources", "left_to_devices", "made_up", "without_plugin"]

NAME: Final = "<extended-resources>"
"""The name of the claim that is made up."""
_IMPLICIT: Final = "deviceclass.resource.kubernetes.io/"


def class_of(resource: str, classes: Mapping[str, DeviceClass]) -> str:
    """The class that stands for an extended resource, the newest of several; empty where there is none."""
    if resource.startswith(_IMPLICIT):
        name = resource.removeprefix(_IMPLICIT)
        return name if name in classes else ""
    found = sorted(
        (each for each in classes.values() if each.extended_resource == resource),
        key=lambda each: each.name,
    )
    return max(found, key=lambda each: each.created).name if found else ""


def extended_resources(spec: PodSpec) -> tuple[str, ...]:
    """The extended resources of which the containers ask for some, in the order of their names."""
    names = {name for each in (*spec.containers, *spec.init_containers) for name in (*each.requests, *each.limits)}
    asked = (name for name in sorted(names) if is_extended_resource(name) or name.startswith(_IMPLICIT))
    return tuple(
        name for name in asked if any(_amount(each, name) for each in (*spec.containers, *spec.init_containers))
    )


def without_plugin(resource: str, node: Node) -> bool:
    """Whether no device plugin of the node offers the resource."""
    found = (node.allocatable or {}).get(resource)
    return not found


def made_up(spec: PodSpec, namespace: str, resources: Iterable[tuple[str, str]]) -> DeviceClaim:
    """The claim for these resources, each with the class that stands for it.

    A request is named after the number of the container and that of the resource among all that the container asks for;
    the names decide the order.
    """
    every = (*spec.init_containers, *spec.containers)
    requests: list[DeviceRequest] = []
    for resource, device_class in resources:
        for container, count in _counts(spec, resource):
            if count > 0:
                index = sorted(container_requests(every[container])).index(resource)
                name = f"container-{container}-request-{index}"
                requests.append(DeviceRequest(name, (DeviceWish(name, device_class, count=count),)))
    return DeviceClaim(namespace, NAME, tuple(sorted(requests, key=lambda request: request.name)))


def _counts(spec: PodSpec, resource: str) -> Iterator[tuple[int, int]]:
    """What the init container with the largest need needs beyond what later containers hold, then what each sidecar
    and container holds; each with the number of the container.
    """
    every = (*spec.init_containers, *spec.containers)
    plain = [index for index, each in enumerate(spec.init_containers) if not _stays(each)]
    need = [(_amount(every[index], resource) - _held_from(spec, index, resource), -index) for index in plain]
    if need:
        most, index = max(need)
        yield -index, most
    for number, each in enumerate(every):
        if number not in plain:
            yield number, _amount(each, resource)


def _held_from(spec: PodSpec, index: int, resource: str) -> int:
    later = [each for each in spec.init_containers[index:] if _stays(each)]
    return sum(_amount(each, resource) for each in (*later, *spec.containers))


def _stays(container: Container) -> bool:
    return container.restart_policy == "Always"


def _amount(container: Container, resource: str) -> int:
    found = container_requests(container).get(resource, 0)
    return -(-found // 1000) if isinstance(found, int) else 0


def left_to_devices(spec: PodSpec, node: Node, classes: Mapping[str, DeviceClass]) -> Collection[str]:
    """The resources of the pod that the node's devices stand for, so that nothing of them need be allocatable."""
    return tuple(name for name in extended_resources(spec) if class_of(name, classes) and without_plugin(name, node))
