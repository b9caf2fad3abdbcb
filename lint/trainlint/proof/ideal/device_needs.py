"""The devices that the pods of a role claim, as a need."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.model.because import Because
from trainlint.model.devices import DeviceRequest, DeviceWish
from trainlint.model.known import Undetermined
from trainlint.model.needs import DeviceNeed, DeviceWant
from trainlint.model.pod import PodResourceClaim
from trainlint.model.workload import PodSet

__all__ = ["device_needs"]


def device_needs(pod_set: PodSet) -> tuple[DeviceNeed, ...]:
    """What each pod of the set claims."""
    return tuple(_need(each, pod_set) for each in pod_set.spec.resource_claims)


def _need(claim: PodResourceClaim, pod_set: PodSet) -> DeviceNeed:
    kind = "ResourceClaim" if claim.claim else "ResourceClaimTemplate"
    name = f"{kind} {pod_set.namespace}/{claim.claim or claim.template or claim.name}"
    if claim.devices is None:
        return DeviceNeed(pod_set.name, name, at=claim.at)
    wants = tuple(want for request in claim.devices.requests for want in _wants(request, claim))
    matching = tuple(dict.fromkeys(each.match for each in claim.devices.constraints if each.match))
    shared = bool(claim.claim) or any(each.distinct for each in claim.devices.constraints)
    return DeviceNeed(pod_set.name, name, wants, matching, shared, at=claim.at)


def _wants(request: DeviceRequest, claim: PodResourceClaim) -> Iterator[DeviceWant]:
    for wish in request.wishes:
        known = next((each for each in claim.classes if each.name == wish.device_class), None)
        of_class = known.selectors if known is not None else ()
        yield DeviceWant(
            request.name,
            wish.device_class,
            _count(wish),
            wish.selectors,
            of_class,
            known is not None and not wish.admin,
        )


def _count(wish: DeviceWish) -> str | Because:
    if wish.every:
        return "all"
    return wish.count.why if isinstance(wish.count, Undetermined) else str(wish.count)
