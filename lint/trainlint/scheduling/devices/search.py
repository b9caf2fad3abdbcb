"""The search for devices: depth first over claims, requests, alternatives and devices; the first solution counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from fractions import Fraction
from typing import Final

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.devices import Allocated, DeviceClaim, DeviceId, DeviceWish, SliceDevice
from trainlint.model.pod import Toleration
from trainlint.model.pool import Taint
from trainlint.scheduling.devices.allocated import AllocatedDevices
from trainlint.scheduling.devices.capacity import consumed, fits
from trainlint.scheduling.devices.constraints import AttributeConstraint, constraints_of
from trainlint.scheduling.devices.counters import Counters
from trainlint.scheduling.devices.equal_devices import EqualDevices
from trainlint.scheduling.devices.offer import Candidate, DevicePool
from trainlint.scheduling.devices.outcome import AllocationError, DeviceGround, SearchBudgetError

__all__ = ["MOST", "Accepts", "DeviceResult", "Search"]

MOST: Final = 32
"""The most devices that one claim can have."""
_DEEPEST: Final = 320
"""More devices than these are not searched for at once."""

Accepts = Callable[[DeviceWish, Candidate], bool]
"""Whether a wish accepts a device, free or not. Raises AllocationError."""


@fact
class DeviceResult:
    """A device for a request, or for one of its alternatives."""

    request: str
    candidate: Candidate
    admin: bool
    consumed: tuple[tuple[str, Fraction], ...]

    @property
    def allocated(self) -> Allocated:
        """What the status of the claim says of it."""
        device = self.candidate.device
        share = "share" if device.shared else ""
        return Allocated(self.candidate.id, self.admin, share, self.consumed, device.binding_conditions)


@fact(eq=False)
class _Asked:
    """A wish of a request: how many devices, and which ones if it takes all."""

    wish: DeviceWish
    alternative: str
    count: int
    every: tuple[Candidate, ...]


class _Step(Enum):
    FOUND = auto()
    NONE = auto()
    TOO_MANY = auto()  # more devices than a claim can have


class Search:
    """One search, for the claims of one pod on one node. ``steps`` is what is left of its budget.

    ``earlier``: before Kubernetes 1.36 pools that are not complete are used, one that is not valid ends the search,
    and all devices of an alternative that is not the first one are not had.
    """

    def __init__(
        self,
        claims: Sequence[DeviceClaim],
        pools: Sequence[DevicePool],
        taken: AllocatedDevices,
        accepts: Accepts,
        likeness: EqualDevices,
        *,
        unknown: bool,
        steps: int,
        earlier: bool = False,
    ) -> None:
        self.claims = claims
        self.pools = pools
        self.taken = taken
        self.accepts = accepts
        self._likeness = likeness
        self.steps = steps
        self._earlier = earlier
        self.candidates = [each for pool in pools if pool.usable or earlier for each in pool.candidates()]
        self.results: list[list[DeviceResult]] = [[] for _ in claims]
        self._unknown = unknown
        self._counters = Counters(pools, taken)
        self._taking: dict[DeviceId, set[int]] = {}
        self._shares: dict[DeviceId, list[Mapping[str, Fraction]]] = {}

    def run(self) -> list[list[DeviceResult]] | None:
        """The devices of each claim; ``None``: there are not enough. Raises AllocationError and SearchBudgetError."""
        self._asked: list[list[list[_Asked]]] = []
        self._constraints: list[list[AttributeConstraint]] = []
        for claim in self.claims:
            asked = [self._of_request(request.wishes, alternatives=request.alternatives) for request in claim.requests]
            if sum(min((each.count for each in wishes), default=0) for wishes in asked) > MOST:
                raise AllocationError(
                    Because(
                        DeviceGround.TOO_MANY,
                        (
                            claim.name,
                            MOST,
                        ),
                    )
                )
            if any(not (each.match or each.distinct) for each in claim.constraints):
                raise AllocationError(Because(DeviceGround.EMPTY_CONSTRAINT, (claim.name,)))
            self._asked.append(asked)
            self._constraints.append(constraints_of(claim.constraints, unknown=self._unknown))
        depth = sum(max((each.count for each in wishes), default=0) for asked in self._asked for wishes in asked)
        if depth > _DEEPEST:
            raise SearchBudgetError
        return self.results if self._request(0, 0) is _Step.FOUND else None

    def _of_request(self, wishes: Sequence[DeviceWish], *, alternatives: bool) -> list[_Asked]:
        return [self._of_wish(wish, wish.name if alternatives else "") for wish in wishes]

    def _of_wish(self, wish: DeviceWish, alternative: str) -> _Asked:
        if wish.mode not in {"All", "ExactCount"}:
            raise AllocationError(Because(DeviceGround.MODE, (wish.mode,)))
        if not wish.every:
            return _Asked(wish, alternative, wish.count if isinstance(wish.count, int) else 1, ())
        found: list[Candidate] = []
        for pool in self.pools:
            if not pool.usable:
                ground = DeviceGround.INCOMPLETE if pool.incomplete else DeviceGround.INVALID
                raise AllocationError(Because(ground, (f"{pool.driver}/{pool.name}",)))
            found += [each for each in pool.candidates() if self.accepts(wish, each) and self._fits(wish, each)]
        return _Asked(wish, alternative, len(found), tuple(found))

    def _fits(self, wish: DeviceWish, candidate: Candidate) -> bool:
        device = candidate.device
        if not device.capacity and not wish.capacity:
            return True
        taking: dict[str, Fraction] = {}
        for share in self._shares.get(candidate.id, ()):
            for name, amount in share.items():
                taking[name] = taking.get(name, Fraction(0)) + amount
        return fits(wish, device, self.taken.used(candidate.id), taking)

    def _request(self, claim: int, request: int) -> _Step:
        """The rest of the search from a request on."""
        if claim >= len(self.claims):
            return _Step.FOUND
        if request >= len(self._asked[claim]):
            found = self._request(claim + 1, 0)
            return _Step.NONE if found is _Step.TOO_MANY else found
        asked = self._asked[claim][request]
        if not self.claims[claim].requests[request].alternatives:
            return self._devices(claim, request, asked[0], 0, 0)
        too_many = True
        for each in asked:
            found = self._devices(claim, request, each, 0, 0)
            if found is _Step.FOUND:
                return found
            too_many = too_many and found is _Step.TOO_MANY
        return _Step.TOO_MANY if too_many else _Step.NONE

    def _devices(self, claim: int, request: int, asked: _Asked, number: int, start: int) -> _Step:
        """The rest of the search from one device of a wish on: its ``number``, and the first candidate to try."""
        self.steps -= 1
        if self.steps < 0:
            raise SearchBudgetError
        if asked.wish.every and not asked.every:
            return _Step.NONE
        if number >= asked.count:
            return self._request(claim, request + 1)
        if len(self.results[claim]) + asked.count - number > MOST:
            return _Step.NONE if self._earlier else _Step.TOO_MANY
        if asked.wish.every:
            candidate = asked.every[number]
            if not self._take(claim, request, asked, candidate):
                return _Step.NONE
            following = self._asked[claim][request][0] if self._earlier else asked
            found = self._devices(claim, request, following, number + 1, 0)
            if found is not _Step.FOUND:
                self._give_back(claim, request, asked, candidate)
            return found
        return self._some(claim, request, asked, number, start)

    def _some(self, claim: int, request: int, asked: _Asked, number: int, start: int) -> _Step:
        wish = asked.wish
        failed: set[object] = set()
        for position in range(start, len(self.candidates)):
            candidate = self.candidates[position]
            if candidate.invalid:
                raise AllocationError(Because(DeviceGround.INVALID, ("/".join(candidate.id[:2]),)))
            if not self._free(claim, wish, candidate):
                continue
            if not self.accepts(wish, candidate) or not self._fits(wish, candidate):
                continue
            if failed and self._alike(candidate) in failed:
                continue
            if not self._take(claim, request, asked, candidate):
                continue
            found = self._devices(claim, request, asked, number + 1, position + 1)
            if found is _Step.FOUND:
                return found
            self._give_back(claim, request, asked, candidate)
            if found is _Step.TOO_MANY:
                return found
            failed.add(self._alike(candidate))
        return _Step.NONE

    def _alike(self, candidate: Candidate) -> object:
        """What devices have in common that the search cannot tell apart."""
        held = self._taking.get(candidate.id) or self._shares.get(candidate.id)
        if held or candidate.id in self.taken.parts or candidate.id in self.taken.whole:
            return candidate.id
        return self._likeness.of(candidate)

    def _free(self, claim: int, wish: DeviceWish, candidate: Candidate) -> bool:
        taking = self._taking.get(candidate.id)
        if wish.admin:
            return not (taking and claim in taking)
        return candidate.id not in self.taken.whole and not taking

    def _take(self, claim: int, request: int, asked: _Asked, candidate: Candidate) -> bool:
        """Whether the device can be had; then it is taken."""
        wish, device = asked.wish, candidate.device
        if not self._free(claim, wish, candidate) or not self._fits(wish, candidate):
            return False
        counts = self._counts(candidate)
        if counts and not self._counters.take(candidate):
            return False
        if not self._tolerated(device, wish) or not self._add(claim, request, asked, candidate):
            if counts:
                self._counters.give_back(candidate)
            return False
        amounts: dict[str, Fraction] = {}
        if device.shared:
            amounts = consumed(wish, device)
            self._shares.setdefault(candidate.id, []).append(amounts)
        else:
            self._taking.setdefault(candidate.id, set()).add(claim)
        name = self.claims[claim].requests[request].name
        full = f"{name}/{asked.alternative}" if asked.alternative else name
        self.results[claim].append(DeviceResult(full, candidate, wish.admin, tuple(sorted(amounts.items()))))
        return True

    def _counts(self, candidate: Candidate) -> bool:
        """Whether taking the device takes counters: of a shared one only the first share does."""
        device = candidate.device
        if not device.consumes:
            return False
        return not device.shared or not (self._shares.get(candidate.id) or self.taken.counting(candidate.id))

    def _give_back(self, claim: int, request: int, asked: _Asked, candidate: Candidate) -> None:
        name = self.claims[claim].requests[request].name
        for each in self._constraints[claim]:
            each.remove(name, asked.alternative, candidate)
        if candidate.device.shared:
            self._shares[candidate.id].pop()
        else:
            self._taking[candidate.id].discard(claim)
        if self._counts(candidate):
            self._counters.give_back(candidate)
        self.results[claim].pop()

    def _add(self, claim: int, request: int, asked: _Asked, candidate: Candidate) -> bool:
        """Whether the constraints of the claim hold with the device. Raises AllocationError if it must be had."""
        name = self.claims[claim].requests[request].name
        constraints = self._constraints[claim]
        for index, each in enumerate(constraints):
            if each.add(name, asked.alternative, candidate):
                continue
            if asked.wish.every:
                raise AllocationError(Because(DeviceGround.EXCLUDED, (self.claims[claim].name,)))
            for before in constraints[:index]:
                before.remove(name, asked.alternative, candidate)
            return False
        return True

    @staticmethod
    def _tolerated(device: SliceDevice, wish: DeviceWish) -> bool:
        return all(
            any(_tolerates(each, taint) for each in wish.tolerations)
            for taint in device.taints
            if taint.effect in {"NoSchedule", "NoExecute"}
        )


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in {"", taint.effect} or toleration.key not in {"", taint.key}:
        return False
    if toleration.operator == "Exists":
        return True
    return toleration.operator in {"", "Equal"} and toleration.value == taint.value
