"""Pods that are placed one after another on one empty node: what they are given of its devices."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Final

from trainlint.model.because import Because
from trainlint.model.devices import DeviceClaim, DeviceObjects, DeviceWish, NodeDevices
from trainlint.model.pod import PodResourceClaim, PodSpec
from trainlint.model.pool import Pool
from trainlint.scheduling.devices.allocated import AllocatedDevices
from trainlint.scheduling.devices.allocation import AllocatedClaims, Allocator, Answer, ClaimingPod
from trainlint.scheduling.devices.claims_of_pod import ClaimsOfPod
from trainlint.scheduling.devices.earlier import earlier_claim
from trainlint.scheduling.devices.outcome import DeviceGround, Open
from trainlint.scheduling.devices.selection import accepts
from trainlint.scheduling.node import Node

__all__ = ["Claims", "most_together", "offered", "placed_together"]

Claims = tuple[PodResourceClaim, ...]
"""The claims of one pod; what each asks for is known."""

_MOST: Final = 20_000
_PODS: Final = 256
"""More pods than these are not counted on one node: it takes no more by default."""
_answers: dict[tuple[tuple[Claims, ...], NodeDevices], Answer] = {}
_counts: dict[tuple[Hashable, NodeDevices], int] = {}
"""By what claims of templates ask for, whatever the templates are called."""


def placed_together(pods: tuple[Claims, ...], devices: NodeDevices) -> Answer:
    """What the last of these pods is given, which come one after another; or why the first of them waits that does."""
    key = (pods, devices)
    found = _answers.get(key)
    if found is None:
        if len(_answers) >= _MOST:
            _answers.clear()
        found = _answers[key] = _placed(pods, devices)
    return found


def most_together(claims: Claims, devices: NodeDevices) -> int:
    """How many pods with such claims one empty node takes, as far as devices decide."""
    if any(each.claim or each.devices is None for each in claims):
        return _most_together(claims, devices)
    key = (
        tuple((each.devices and (each.devices.requests, each.devices.constraints), each.classes) for each in claims),
        devices,
    )
    found = _counts.get(key)
    if found is None:
        if len(_counts) >= _MOST:
            _counts.clear()
        found = _counts[key] = _most_together(claims, devices)
    return found


def _most_together(claims: Claims, devices: NodeDevices) -> int:
    node = _OneNode(devices, claims)
    count = 0
    while count < _PODS and isinstance(node.place(claims), AllocatedClaims):
        count += 1
    return count


def offered(wish: DeviceWish, claim: PodResourceClaim, devices: NodeDevices) -> int:
    """How many devices of the node the wish accepts, an error aside."""
    texts = next((each.selectors for each in claim.classes if each.name == wish.device_class), ())
    found = (accepts((*texts, *wish.selectors), each.driver, one) for each in devices.slices for one in each.devices)
    return sum(each is True for each in found)


def _placed(pods: tuple[Claims, ...], devices: NodeDevices) -> Answer:
    node = _OneNode(devices, tuple(each for claims in pods for each in claims))
    answer: Answer = AllocatedClaims()
    for claims in pods:
        answer = node.place(claims)
        if not isinstance(answer, AllocatedClaims):
            break
    return answer


class _OneNode:
    """A node on which pods are placed."""

    def __init__(self, devices: NodeDevices, claims: Claims) -> None:
        name = next((each.reach.node for each in devices.slices if each.reach.node), "node")
        self._node = Node(Pool(name, node_name=name), {}, name)
        self._shared_devices = devices.elsewhere
        classes = {each.name: replace(each, extended_resource="") for claim in claims for each in claim.classes}
        self._earlier = devices.earlier
        self._allocator = Allocator(DeviceObjects(devices.slices, classes), earlier=devices.earlier)
        self._named: dict[tuple[str, str], DeviceClaim] = {}
        for each in claims:
            if each.claim and each.devices is not None:
                self._named[each.devices.namespace, each.claim] = self._counting(each.devices)
        self._allocations = [each.allocation for each in self._named.values() if each.allocation is not None]

    def _counting(self, claim: DeviceClaim) -> DeviceClaim:
        return earlier_claim(claim) if self._earlier else claim

    def place(self, claims: Claims) -> Answer:
        """What a pod with these claims is given, or why it waits."""
        made = {each.name: self._counting(each.devices) for each in claims if not each.claim and each.devices}
        namespace = next((each.devices.namespace for each in claims if each.devices is not None), "")
        asked = ClaimingPod(namespace, PodSpec(containers=(), resource_claims=claims), made)
        wants = self._allocator.wants(asked, self._named)
        if not isinstance(wants, ClaimsOfPod):
            return wants
        answer = self._allocator.answer(asked, wants, self._node, AllocatedDevices(self._allocations))
        if not isinstance(answer, AllocatedClaims):
            return Open(Because(DeviceGround.ELSEWHERE)) if self._shared_devices else answer
        for claim, allocation in zip(answer.claims, answer.allocations, strict=True):
            self._allocations.append(allocation)
            key = (claim.namespace, claim.name)
            if self._named.get(key) is claim:
                self._named[key] = replace(claim, allocation=allocation)
        return answer
