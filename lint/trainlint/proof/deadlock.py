"""Required pod affinity that no order of placement can ever satisfy, room aside."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.model.known import Answer
from trainlint.proof.cause import DeadlockCause
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.reachability import NO_DOMAIN
from trainlint.scheduling.packing import Packing
from trainlint.scheduling.placement import Placements

__all__ = ["deadlock"]


def deadlock(problem: PlacementProblem) -> DeadlockCause | None:
    """Required pod affinity that no order of placement can ever satisfy, room aside; ``None`` where there is none, or
    that is not known.
    """
    if problem.unknown or problem.targetless:
        return None
    placements = _UnlimitedPlacements(problem.roles, problem.domains, problem.classes)
    if placements.reachable is None:
        return None
    placed = {role for state in placements.reachable for role, _ in state}
    stuck = [role for role in range(problem.own) if problem.roles[role].attractions and role not in placed]
    for role in stuck:
        targets = sorted({target for term in problem.roles[role].attractions for target in term.targets})
        free = [target for target in targets if target in placed]
        target = (free or [each for each in targets if each != role] or targets)[0]
        if not free and target not in stuck:
            continue
        at = next((term.at for term in problem.pods[role].spec.pod_affinity if term.at is not None), None)
        pod_set = problem.pod_sets[role]
        return DeadlockCause(
            pod_set,
            problem.pod_sets[target],
            mutual=not free,
            own_zones=_zones(problem, placements.possible(role)),
            target_zones=_zones(problem, placements.possible(target)),
            at=at or pod_set.spec.at or pod_set.at,
        )
    return None


class _UnlimitedPlacements(Placements):
    """Placements on nodes that never fill up."""

    def minimal(self, state: frozenset[tuple[int, int]]) -> Packing:
        return Packing(Answer.PROVED)


def _zones(problem: PlacementProblem, domains: Sequence[int]) -> tuple[str, ...]:
    return tuple(sorted({problem.zone(domain) or NO_DOMAIN for domain in domains}))
