"""Why a group is refuted: irreducible sets of constraints that suffice for it, one for each independent cause."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from trainlint.causes.constraint import Constraint, ConstraintKind, Unpinned
from trainlint.causes.quickxplain import Oracle, OutOfQuestionsError, irreducible
from trainlint.causes.what_if import PermittedFlows, WhatIf
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.known import Answer
from trainlint.model.workload import Flow
from trainlint.proof.cause import (
    Cause,
    CutCause,
    CutPair,
    FlowCause,
    PlacementCause,
    SplitCause,
    SpreadCause,
    StrandedCause,
    ZoneCause,
)
from trainlint.proof.group import GroupProof

__all__ = ["Core", "WorkLeft", "cores"]

QUESTIONS: Final = 150
"""Sets of constraints that are judged for one cause at most."""

WORK: Final = 100_000
"""Entries of policies, verdicts, nodes and zones that are looked at for all causes of a run: some seconds."""

SHOWN: Final = 12
"""Constraints of a core that could not be reduced to the end; larger ones explain nothing."""

CAUSES: Final = 4
"""Independent causes that are looked for."""

_NODES: Final = frozenset(
    {ConstraintKind.NODE_SELECTOR, ConstraintKind.NODE_AFFINITY, ConstraintKind.NODE_NAME, ConstraintKind.TOGETHER}
)

Kept = frozenset[Constraint]


class WorkLeft:
    """What may be spent yet on all causes of a snapshot: those that come first are looked into to the end."""

    def __init__(self, work: int = WORK) -> None:
        self._left = work

    def questions(self, weight: int) -> int:
        """How many questions of a weight may be asked for one core."""
        return min(QUESTIONS, self._left // weight)

    def spend(self, work: int) -> None:
        """Take away what was spent."""
        self._left = max(0, self._left - work)


@fact
class Core:
    """Constraints with which alone the group is refuted; without any one of them it is not.

    ``reduced`` is false where there were too many sets to try: then some may not be needed.
    """

    constraints: tuple[Constraint, ...]
    reduced: bool = True

    def holds(self, place: Location) -> bool:
        """Whether a constraint of it stands there."""
        return any(place in each.places for each in self.constraints)


def cores(
    proof: GroupProof, opened: PermittedFlows, world: WhatIf | None, cause: Cause, allowance: WorkLeft
) -> tuple[Core, ...]:
    """The cores of one cause of a refuted group, none of which share anything; none where no constraint forces it, or
    where the allowance is spent.
    """
    if isinstance(cause, FlowCause):
        return tuple(_of_flows(cause, opened, allowance))
    if world is None:
        return ()
    search = partial(_disjoint, allowance=allowance, weight=world.weight)
    match cause:
        case SplitCause():
            return (Core((_missing_pin(proof, world),)),)
        case CutCause():
            return tuple(_of_cut(proof, cause, opened, world, allowance))
        case StrandedCause():
            return tuple(_of_dead_end(proof, cause, world, search))
        case PlacementCause():
            pod_set = cause.pod_set
            return tuple(search(lambda kept: not world.placed(pod_set, kept), world.constraints))
        case SpreadCause() if not cause.forces_split:
            return ()
        case _:
            return tuple(_of_group(proof, cause, opened, world, allowance))


def _disjoint(
    holds: Callable[[Kept], bool],
    parts: Sequence[Constraint],
    likely: Iterable[Constraint] = (),
    *,
    allowance: WorkLeft,
    weight: int,
) -> Iterator[Core]:
    """Cores that share nothing, one after the other."""
    left, hint = list(parts), set(likely)
    for _ in range(CAUSES):
        oracle: Oracle[Constraint] = Oracle(holds, allowance.questions(weight))
        try:
            found = irreducible(oracle, left, hint)
        except OutOfQuestionsError:
            so_far = oracle.smallest or frozenset()
            if 0 < len(so_far) <= SHOWN:
                yield Core(tuple(each for each in left if each in so_far), reduced=False)
            return
        finally:
            allowance.spend(oracle.asked * weight)
        if not found:
            return
        yield Core(found)
        left = [each for each in left if each not in found]


def _of_flows(cause: FlowCause, opened: PermittedFlows, allowance: WorkLeft) -> Iterator[Core]:
    def denied(kept: Kept) -> bool:
        return opened.denied([flow for flow, _ in cause.flows], kept)

    return _disjoint(denied, opened.constraints, allowance=allowance, weight=opened.weight(len(cause.flows)))


def _of_group(
    proof: GroupProof, cause: Cause, opened: PermittedFlows, world: WhatIf, allowance: WorkLeft
) -> Iterator[Core]:
    """For one zone: without the policies that deny a flow everywhere, which are causes of their own (decision 1)."""
    apart = {
        each
        for other in proof.causes
        if isinstance(other, FlowCause)
        for core in _of_flows(other, opened, allowance)
        for each in core.constraints
    }
    parts = [*world.constraints, *(each for each in opened.constraints if each not in apart)]
    places = set(_places(cause))
    likely = [each for each in parts if each.at in places] or [each for each in parts if _is_usual(each)]
    refuted = partial(_is_refuted, world)
    return _disjoint(refuted, parts, likely, allowance=allowance, weight=world.weight)


def _is_refuted(world: WhatIf, kept: Kept) -> bool:
    return world.exists(kept) is Answer.REFUTED


def _is_usual(constraint: Constraint) -> bool:
    """Whether it is of what most groups fail by: nodes that are asked for by name, label or accelerator."""
    return constraint.kind in _NODES or (constraint.kind is ConstraintKind.REQUEST and constraint.of_accelerator)


def _places(cause: Cause) -> Iterator[Location]:
    """Where the proof itself saw what it is."""
    if isinstance(cause, ZoneCause):
        for reason in (each for reasons in cause.reasons.values() for each in reasons):
            yield from reason.places
    elif not isinstance(cause, FlowCause | CutCause | SplitCause | PlacementCause):
        yield cause.at


def _of_cut(
    proof: GroupProof, cause: CutCause, opened: PermittedFlows, world: WhatIf, allowance: WorkLeft
) -> Iterator[Core]:
    """The bad placement stays possible whatever else is dropped, so only the policies are in question."""
    pin = _missing_pin(proof, world, [pair.flow for pair in cause.pairs])

    def denied(kept: Kept) -> bool:
        return any(_cut(pair, opened, kept) for pair in cause.pairs)

    weight = opened.weight(len(cause.pairs))
    for core in _disjoint(denied, opened.constraints, allowance=allowance, weight=weight):
        yield Core((*core.constraints, pin), core.reduced)


def _cut(pair: CutPair, opened: PermittedFlows, kept: Kept) -> bool:
    reach = opened.reach(kept)
    places = {place.name: place for place in reach.places}
    return reach.crossing(pair.flow, places[pair.source_zone], places[pair.target_zone]).may_be_denied


def _of_dead_end(
    proof: GroupProof, cause: StrandedCause, world: WhatIf, search: Callable[..., Iterator[Core]]
) -> Iterator[Core]:
    pin = _missing_pin(proof, world)
    zone = next(iter(proof.viable_zones), "")  # none where something else keeps the group from training in all of them

    def stranded(kept: Kept) -> bool:
        found = world.proof(kept, zone="" if pin in kept else zone)
        return any(isinstance(each, StrandedCause) for each in found.causes)

    parts = [*world.constraints, pin] if zone else [*world.constraints]
    return search(stranded, parts, [each for each in parts if each is pin or each.at == cause.at])


def _missing_pin(proof: GroupProof, world: WhatIf, flows: Collection[Flow] = ()) -> Constraint:
    """That nothing keeps the group in one zone, at the pod specs of those that may be in several."""
    group = proof.group
    ends = {end for flow in flows for end in (flow.source, flow.target)}
    free = [group.members[index] for index in world.wandering if not flows or index in ends]
    free = free or [each for index, each in enumerate(group.members) if index not in group.dependencies]
    first, *others = dict.fromkeys(each.spec.at or each.template for each in free)
    about = Unpinned(tuple(each.name for each in free))
    return Constraint(ConstraintKind.MISSING_PIN, first, (about,), also=tuple(others))
