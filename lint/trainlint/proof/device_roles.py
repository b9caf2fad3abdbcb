"""The devices that the roles of a group claim, on the nodes that they may use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from trainlint.proof.feasibility import Feasibility
from trainlint.scheduling.device_room import DeviceRoom, device_room
from trainlint.scheduling.node import Node
from trainlint.scheduling.role import PlacementRole

__all__ = ["room_for", "with_devices"]


def room_for(own: Sequence[Feasibility], nodes: Sequence[Node], counted: int) -> DeviceRoom:
    """The devices of the nodes that some of the roles may use, as amounts."""
    pods = [each.pod for each in own]
    if not any(pod.spec.resource_claims for pod in pods):
        return DeviceRoom([{} for _ in own], {})
    usable = frozenset[int]().union(*(each.pools for each in own))
    counts = [each.pod_set.replicas if isinstance(each.pod_set.replicas, int) else counted or 2 for each in own]
    return device_room(pods, counts, {pool: nodes[pool].pool.devices for pool in sorted(usable)})


def with_devices(roles: Iterable[PlacementRole], room: DeviceRoom) -> Iterator[PlacementRole]:
    """The roles with what their pods ask for of devices."""
    for role, devices in zip(roles, room.requests, strict=True):
        yield replace(role, requests={**role.requests, **devices}) if devices else role
