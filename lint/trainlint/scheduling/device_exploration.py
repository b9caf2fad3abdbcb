"""Everything that the scheduler may do with a small group whose pods have claims: placements with their devices.

On a given node, at a given moment, the first fit of the allocator decides which devices a pod gets; so one placement
can be reached with different devices. A pod for which some node answers with an error has no feasible node then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from trainlint.fact import fact
from trainlint.model.devices import Allocated, Allocation, DeviceClaim
from trainlint.scheduling.devices.allocated import AllocatedDevices
from trainlint.scheduling.devices.allocation import AllocatedClaims, Allocator, ClaimingPod
from trainlint.scheduling.devices.claims_of_pod import ClaimsOfPod
from trainlint.scheduling.devices.outcome import AllocationFault
from trainlint.scheduling.exploration import Explorer
from trainlint.scheduling.group_model import GroupModel
from trainlint.scheduling.outcome import Exploration, Outcome
from trainlint.scheduling.tally import State

__all__ = ["DeviceExplorer"]

Named = tuple[tuple[str, str], Allocation]


@fact
class _Held:
    """The devices that the group has: of claims that its pods name, and of those that are made for single pods."""

    named: tuple[Named, ...] = ()
    others: tuple[Allocated, ...] = ()


_Situation = tuple[State, _Held]


class DeviceExplorer:
    """Explores one group. The cells of the model are single nodes, told apart; ``asked`` are the claims of a pod of
    each role, ``claims`` those that there are before.
    """

    def __init__(
        self,
        model: GroupModel,
        allocator: Allocator,
        asked: Sequence[ClaimingPod],
        claims: Mapping[tuple[str, str], DeviceClaim],
    ) -> None:
        self.model = model
        self._explorer = Explorer(model)
        self._allocator = allocator
        self._asked = asked
        self._claims = claims
        self._answers: dict[tuple[int, int, _Held], _Held | AllocationFault | None] = {}

    def run(self, order: Sequence[int] | None, budget: int) -> Exploration | None:
        """All reachable states, in this order of roles or any; ``None`` over budget."""
        found = Outcome(self.model)
        total = len(order) if order is not None else sum(role.replicas for role in self.model.roles)
        level: Iterable[_Situation] = [((), _Held())]
        seen = 0
        for number in range(total + 1):
            following: dict[_Situation, None] = {}
            counted: set[State] = set()
            for state, held in level:
                seen += 1
                open_roles = (order[number],) if order is not None and number < total else self._explorer.left(state)
                successors = {role: list(self._following(state, held, role)) for role in open_roles}
                found.visit(state, open_roles, successors, again=state in counted)
                counted.add(state)
                for after in successors.values():
                    following.update(dict.fromkeys(after))
                if seen + len(following) > budget:
                    return None
            level = following
        return found.result()

    def _following(self, state: State, held: _Held, role: int) -> Iterator[_Situation]:
        places = self._explorer.places(state, role)
        answers = [self._answer(role, node, held) for node, _ in places]
        if any(isinstance(each, AllocationFault) for each in answers):
            return
        for place, each in zip(places, answers, strict=True):
            if isinstance(each, _Held):
                yield self._explorer.placed(state, place, role), each

    def _answer(self, role: int, node: int, held: _Held) -> _Held | AllocationFault | None:
        key = (role, node, held)
        if key not in self._answers:
            self._answers[key] = self._asked_anew(role, node, held)
        return self._answers[key]

    def _asked_anew(self, role: int, node: int, held: _Held) -> _Held | AllocationFault | None:
        asked = self._asked[role]
        if not self._allocator.concerns(asked.spec):
            return held
        claims = {**self._claims, **{key: self._given(key, allocation) for key, allocation in held.named}}
        wants = self._allocator.wants(asked, claims)
        if isinstance(wants, AllocationFault):
            return wants
        if not isinstance(wants, ClaimsOfPod):
            return None
        allocations = [each.allocation for each in claims.values() if each.allocation is not None]
        taken = AllocatedDevices([*allocations, Allocation(held.others)])
        answer = self._allocator.answer(asked, wants, self.model.cells[node].node, taken)
        if isinstance(answer, AllocatedClaims):
            return self._after(held, answer)
        return answer if isinstance(answer, AllocationFault) else None

    def _given(self, key: tuple[str, str], allocation: Allocation) -> DeviceClaim:
        claim = self._claims[key]
        return DeviceClaim(claim.namespace, claim.name, claim.requests, claim.constraints, allocation)

    def _after(self, held: _Held, granted: AllocatedClaims) -> _Held:
        named = dict(held.named)
        others = list(held.others)
        for claim, allocation in zip(granted.claims, granted.allocations, strict=True):
            key = (claim.namespace, claim.name)
            if key in self._claims:
                named.setdefault(key, allocation)
            else:
                others += allocation.devices
        return _Held(tuple(sorted(named.items(), key=lambda each: each[0])), tuple(sorted(others, key=_order)))


def _order(each: Allocated) -> tuple[object, ...]:
    return each.device, each.admin, each.consumed
