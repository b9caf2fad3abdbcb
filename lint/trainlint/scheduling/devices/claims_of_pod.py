"""Which claims a pod has: found by name, made from templates, made up for extended resources (PreFilter)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.devices import DeviceClaim, DeviceClass
from trainlint.model.known import Undetermined
from trainlint.model.pod import PodResourceClaim
from trainlint.scheduling.devices.outcome import AllocationFault, DeviceGround

__all__ = ["ClaimsOfPod", "Missing", "claims_of_pod", "undetermined_count"]


@fact
class Missing:
    """What a pod's claims name and what is not there: the pod is refused on every node."""

    kind: str
    name: str


@fact(eq=False)
class ClaimsOfPod:
    """The claims of a pod, in its order: those to allocate, and those that are allocated."""

    allocate: tuple[DeviceClaim, ...] = ()
    allocated: tuple[DeviceClaim, ...] = ()


def claims_of_pod(
    entries: tuple[PodResourceClaim, ...],
    namespace: str,
    classes: Mapping[str, DeviceClass],
    claims: Mapping[tuple[str, str], DeviceClaim],
    made: Mapping[str, DeviceClaim | None],
) -> ClaimsOfPod | Missing | AllocationFault:
    """The claims behind the entries of a pod. ``made`` are those of its templates, by the name of the entry: ``None``
    where none is needed.
    """
    found: list[DeviceClaim] = []
    for entry in entries:
        if entry.claim:
            claim = claims.get((namespace, entry.claim))
            if claim is None or claim.deleted:
                return Missing("ResourceClaim", entry.claim)
        elif entry.template:
            if entry.name not in made:
                return Missing("ResourceClaimTemplate", entry.template)
            claim = made[entry.name]
            if claim is None:
                continue
            if claim.deleted:
                return Missing("ResourceClaim", claim.name)
        else:
            return Missing("ResourceClaim", entry.name)
        found.append(claim)
    waiting = tuple(claim for claim in found if claim.allocation is None)
    problem = _problem(waiting, classes)
    return problem or ClaimsOfPod(waiting, tuple(claim for claim in found if claim.allocation is not None))


def _problem(claims: tuple[DeviceClaim, ...], classes: Mapping[str, DeviceClass]) -> Missing | AllocationFault | None:
    """The first class that is missing, those of alternatives that may never be needed among them."""
    for claim in claims:
        for request in claim.requests:
            if not request.wishes:
                return Missing("DeviceRequest", request.name)
            for wish in request.wishes:
                if not wish.device_class:
                    return AllocationFault(Because(DeviceGround.NO_CLASS, (request.name, claim.name)))
                if wish.device_class not in classes:
                    return Missing("DeviceClass", wish.device_class)
    return None


def undetermined_count(claims: Sequence[DeviceClaim]) -> Undetermined | None:
    """Why it is not known how many devices some claim asks for; ``None`` where it is known."""
    for claim in claims:
        for request in claim.requests:
            for wish in request.wishes:
                if isinstance(wish.count, Undetermined):
                    return wish.count
    return None
