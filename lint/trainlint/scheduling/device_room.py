"""Devices of nodes as amounts that can be counted beside other resources: what pods ask for, and what nodes have.

Requests of whole devices that are equal on every node, or have nothing in common, are counted each by itself. Where
that does not suffice (constraints, alternatives, partitions), pods with equal claims are counted: so many of them one
node takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.devices import DeviceClaim, DeviceWish, NodeDevices
from trainlint.scheduling.devices.one_node import Claims, most_together
from trainlint.scheduling.devices.selection import accepts
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import DoubtGround

__all__ = ["DeviceRoom", "device_room"]

Texts = tuple[str, ...]


@fact(eq=False)
class DeviceRoom:
    """What a pod of each role takes, and what a node of each pool has, under names of its own.

    ``unknown`` says what cannot be told by counting.
    """

    requests: Sequence[Mapping[str, int]]
    rooms: Mapping[int, Mapping[str, int]]
    unknown: tuple[Because, ...] = ()


def device_room(pods: Sequence[Pod], counts: Sequence[int], devices: Mapping[int, NodeDevices | None]) -> DeviceRoom:
    """The devices of pools (by index) as amounts, for roles of so many pods each."""
    nothing: list[Mapping[str, int]] = [{} for _ in pods]
    known = {index: each for index, each in devices.items() if each is not None}
    asking = [index for index, pod in enumerate(pods) if pod.spec.resource_claims]
    if not asking or not known or not all(_is_known(pods[index].spec.resource_claims) for index in asking):
        return DeviceRoom(nothing, {})
    if shared := _shared(pods, counts):
        return DeviceRoom(nothing, {}, (Because(DoubtGround.SHARED_DEVICES, (shared,)),))
    kinds = {_kind(pods[index].spec.resource_claims) for index in asking}
    if len(kinds) == 1:
        claims = pods[asking[0]].spec.resource_claims
        name = f"set of devices ({', '.join(each.template or each.claim for each in claims)})"
        rooms = {index: {name: most_together(claims, each)} for index, each in known.items()}
        return DeviceRoom([{name: 1} if index in asking else {} for index, _ in enumerate(pods)], rooms)
    return _counted([each.spec.resource_claims for each in pods], known)


def _is_known(claims: Claims) -> bool:
    return all(each.devices is not None for each in claims)


def _kind(claims: Claims) -> tuple[object, ...]:
    """What the claims ask for, without their names."""
    return tuple(
        (each.devices.requests, each.devices.constraints, each.classes) for each in claims if each.devices is not None
    )


def _shared(pods: Sequence[Pod], counts: Sequence[int]) -> str:
    """A claim that several pods name; empty where there is none."""
    users: dict[tuple[str, str], int] = {}
    for pod, count in zip(pods, counts, strict=True):
        for each in pod.spec.resource_claims:
            if each.claim:
                key = (pod.namespace, each.claim)
                users[key] = users.get(key, 0) + count
    return next((name for (_, name), count in users.items() if count > 1), "")


def _counted(roles: Sequence[Claims], known: Mapping[int, NodeDevices]) -> DeviceRoom:
    """Each kind of device by itself, where requests are for whole devices of one kind each."""
    wishes = [[wish for claim in claims if claim.devices for wish in _plain(claim.devices)] for claims in roles]
    texts = [[_texts(wish, claims) for wish in role] for role, claims in zip(wishes, roles, strict=True)]
    every = tuple(dict.fromkeys(each for role in texts for each in role))
    sets = {index: {each: _accepted(each, devices) for each in every} for index, devices in known.items()}
    names = _names(every, sets)
    plain = all(_is_plain(each.devices) for claims in roles for each in claims)
    whole = all(_is_whole(devices) for devices in known.values())
    if names is None or not plain or not whole:
        return DeviceRoom([{} for _ in roles], {}, (Because(DoubtGround.DEVICES_TOGETHER),))
    requests: list[dict[str, int]] = [{} for _ in roles]
    for role, (mine, asked) in enumerate(zip(wishes, texts, strict=True)):
        for wish, text in zip(mine, asked, strict=True):
            count = wish.count if isinstance(wish.count, int) else 1
            requests[role][names[text]] = requests[role].get(names[text], 0) + count
    rooms = {index: {names[text]: len(found or ()) for text, found in each.items()} for index, each in sets.items()}
    return DeviceRoom(requests, rooms)


def _plain(claim: DeviceClaim) -> Iterator[DeviceWish]:
    for request in claim.requests:
        yield from request.wishes[:1]


def _is_plain(claim: DeviceClaim | None) -> bool:
    """Whether the claim asks for numbers of devices and nothing else."""
    return claim is not None and not (
        claim.constraints
        or any(
            request.alternatives or wish.every or wish.admin or wish.capacity or not isinstance(wish.count, int)
            for request in claim.requests
            for wish in request.wishes
        )
    )


def _is_whole(devices: NodeDevices) -> bool:
    """Whether each device is had by one claim at a time, and takes nothing from others."""
    return not devices.elsewhere and not any(
        device.shared or device.consumes or device.taints for each in devices.slices for device in each.devices
    )


def _texts(wish: DeviceWish, claims: Claims) -> Texts:
    found = next((one.selectors for each in claims for one in each.classes if one.name == wish.device_class), ())
    return (*found, *wish.selectors)


def _accepted(texts: Texts, devices: NodeDevices) -> frozenset[tuple[str, str, str]] | None:
    """The devices that the selectors accept; ``None`` where that is not known."""
    found = set()
    for each in devices.slices:
        for device in each.devices:
            answer = accepts(texts, each.driver, device)
            if not isinstance(answer, bool):
                return None
            if answer:
                found.add((each.driver, each.pool, device.name))
    return frozenset(found)


def _names(
    every: Iterable[Texts], sets: Mapping[int, Mapping[Texts, frozenset[tuple[str, str, str]] | None]]
) -> dict[Texts, str] | None:
    """A name for each kind of device; ``None`` where kinds overlap, or are not known."""
    found: dict[Texts, str] = {}
    for text in every:
        for before, name in found.items():
            pairs = [(each[text], each[before]) for each in sets.values()]
            if any(one is None or other is None for one, other in pairs):
                return None
            if all(one == other for one, other in pairs):
                found[text] = name
                break
            if any(one and other and not one.isdisjoint(other) for one, other in pairs):
                return None
        found.setdefault(text, f"devices of kind {len(found) + 1}")
    return found
