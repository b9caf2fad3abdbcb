"""Orders of placement after which some pods stay Pending."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.proof.assignments import state_assignments, state_where
from trainlint.proof.cause import StrandedCause, Where
from trainlint.proof.ground import NoteGround
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.scheduling.fragmentation import always_fits, crowded_out
from trainlint.scheduling.placement import Placements
from trainlint.scheduling.role import State

__all__ = ["crowded_dead_end", "dead_end"]


def dead_end(
    problem: PlacementProblem, placements: Placements, good: Sequence[str], notes: list[Because]
) -> StrandedCause | None:
    """The smallest dead end that would not be one without the affinity that leads into it; ``None`` where there is
    none.
    """
    free = placements.unbound()
    for state in placements.dead_ends or ():
        if free.pinned(frozenset(), sorted(state)).answer is not Answer.PROVED:
            notes.append(Because(NoteGround.DEAD_END, (_plain(state_where(problem, state)),)))
            continue
        waiting = [index for index in range(problem.own) if _waits(placements, state, index)]
        if waiting:
            pod_set = problem.pod_sets[waiting[0]]
            at = next((term.at for term in problem.pods[waiting[0]].spec.pod_affinity if term.at), None)
            asked = pod_set.together or pod_set.parts if problem.ties.members else None
            key = asked.key if asked is not None else ""
            stranding = _values(problem, (state,), waiting, key)
            roomy = _values(problem, (each.state for each in placements.completed or ()), waiting, key)
            return StrandedCause(
                state_where(problem, state),
                tuple({id(problem.pod_sets[index]): problem.pod_sets[index] for index in waiting}.values()),
                (asked.at if asked is not None else at) or pod_set.spec.at or pod_set.at,
                tuple(good),
                state_assignments(problem, state),
                key,
                stranding,
                tuple(each for each in roomy if each not in stranding),
            )
    return None


def crowded_dead_end(
    problem: PlacementProblem, placements: Placements, state: State, good: Sequence[str]
) -> StrandedCause | None:
    """The dead end in a state that has room for all pods, but not in every order; ``None`` where pods that nothing
    binds to each other could run out of room as well.
    """
    free = placements.unbound()
    waiting = crowded_out(problem.classes, placements.demands(state))
    if waiting is None or waiting >= problem.own:
        return None
    if always_fits(problem.classes, free.demands(frozenset())) is not Answer.PROVED:
        return None
    pod_set = problem.pod_sets[waiting]
    at = next((term.at for term in problem.pods[waiting].spec.pod_affinity if term.at), None)
    return StrandedCause(
        state_where(problem, state),
        (pod_set,),
        at or pod_set.spec.at or pod_set.at,
        tuple(good),
        state_assignments(problem, state),
        crowded=True,
    )


def _values(problem: PlacementProblem, states: Iterable[State], roles: Sequence[int], key: str) -> tuple[str, ...]:
    """The domains of a key in which pods of some roles, or of those they are tied to, stand in the states."""
    tied = {other for index in roles for tie in problem.roles[index].ties for other in tie.roles} | set(roles)
    domains = {domain for state in states for role, domain in state if role in tied}
    values = (problem.domains[domain].values.get(key) for domain in domains) if key else ()
    return tuple(sorted(value for value in values if isinstance(value, str)))


def _waits(placements: Placements, state: State, role: int) -> bool:
    """Whether pods of the role find no place after the state, or not all of them."""
    here = [domain for placed, domain in state if placed == role]
    if len(here) >= placements.roles[role].count:
        return False
    open_domains = [domain for domain in placements.possible(role) if placements.admits(state, role, domain)]
    if not open_domains:
        return len(here) < placements.roles[role].count
    if here:
        return placements.complete(frozenset(pair for pair in state if pair[0] == role)).answer is not Answer.PROVED
    return all(placements.minimal(state | {(role, domain)}).answer is not Answer.PROVED for domain in open_domains)


def _plain(placed: Where) -> tuple[str, ...]:
    """Which pod sets are in which zones, as people write it."""
    return tuple(f"{name} in {zone}" for name, by_zone in placed.items() for zone in by_zone)
