"""For all: whether every placement that the scheduler may choose is good, and the one that is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.workload import Group
from trainlint.proof.assignments import assignments, where
from trainlint.proof.cause import CutCause, SplitCause, StrandedCause
from trainlint.proof.dead_ends import crowded_dead_end, dead_end
from trainlint.proof.denied_placements import cut_placement
from trainlint.proof.ground import NoteGround, ProofGround
from trainlint.proof.multi_zone import SPLITS, TOO_MANY, TooManyError, wide_packings
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.reachability import Reachability
from trainlint.scheduling.fragmentation import always_fits
from trainlint.scheduling.placement import Placements
from trainlint.scheduling.role import Placement, PlacementRole, State

__all__ = ["ForAll", "judge_every_placement"]


@fact
class ForAll:
    """The answer, what breaks it, what is only worth a note, and what is missing where it is unknown."""

    answer: Answer
    cut: CutCause | None = None
    split: SplitCause | None = None
    stranded: StrandedCause | None = None
    notes: tuple[Because, ...] = ()
    missing: tuple[Because, ...] = ()


def judge_every_placement(
    group: Group,
    problem: PlacementProblem,
    reach: Reachability,
    good: Sequence[str],
    dependency_zones: Mapping[int, frozenset[str]],
) -> ForAll:
    """Every reachable placement of a group that has a good one, in the zones ``good``."""
    placements = Placements(problem.roles, problem.domains, problem.classes, problem.alike)
    if placements.completed is None or placements.dead_ends is None:
        return ForAll(Answer.UNKNOWN, missing=(Because(ProofGround.REACHABLE),))
    notes: list[Because] = []
    missing: list[Because] = []
    stranded = None if problem.ties.gathered else dead_end(problem, placements, good, notes)
    crowded = {} if problem.ties.gathered else _filled_up(problem, placements, placements.completed)
    if Answer.REFUTED in crowded:
        stranded = stranded or crowded_dead_end(problem, placements, crowded[Answer.REFUTED], good)
        if stranded is None:
            notes.append(Because(NoteGround.UNLUCKY_ORDER))
    elif Answer.UNKNOWN in crowded:
        missing.append(Because(ProofGround.EVERY_ORDER))
    if problem.ties.ahead and not problem.ties.gathered and (stranded or notes or missing):
        stranded, notes, missing = (
            None,
            [],
            [problem.ties.ahead],
        )  # who looks ahead may find what an order in turn misses
    cut = cut_placement(group, problem, reach, placements, dependency_zones, missing)
    split = None
    if group.collective and not group.cross_zone_allowed:
        split = _split(problem, placements, missing)
    bad = stranded or cut or split or notes
    if not bad and not missing and not problem.ties.members and placements.runs_out is not False:
        missing.append(Because(ProofGround.FOLLOW))
    answer = Answer.REFUTED if bad else Answer.UNKNOWN if missing else Answer.PROVED
    return ForAll(answer, cut, split if cut is None else None, stranded, tuple(notes), tuple(missing))


def _split(problem: PlacementProblem, placements: Placements, missing: list[Because]) -> SplitCause | None:
    """A placement over several zones; nodes without the topology key may be in any of them (decision 3)."""
    try:
        for packing, certain in islice(wide_packings(problem, placements), SPLITS):
            if certain:
                placed = where(problem, packing)
                zones = sorted({zone for by_zone in placed.values() for zone in by_zone})
                return SplitCause(placed, tuple(zones), assignments(problem, packing))
            missing[:] = dict.fromkeys([*missing, Because(ProofGround.NO_LABEL, (problem.key,))])
    except TooManyError:
        missing.append(TOO_MANY)
    return None


def _filled_up(
    problem: PlacementProblem, placements: Placements, completed: Iterable[Placement]
) -> dict[Answer, State]:
    """Whether every order finds room in the states of complete placements: each answer, with the first such state."""
    found: dict[Answer, State] = {}
    for each in completed:
        found.setdefault(_fills_up(problem, placements, each.state), each.state)
    return found


def _fills_up(problem: PlacementProblem, placements: Placements, state: State) -> Answer:
    """Whether every order finds room in a state.

    A limit per node that is lenient may hold or not. A pod that finds its domain full proves nothing while another
    domain is open to it: then another state is reached. Nor does an order in which a pod comes before those that it
    waits for.
    """
    demands = placements.demands(state)
    answer = always_fits(problem.classes, demands)
    if placements.is_lenient(demands):
        loose = always_fits(problem.classes, placements.loosened(demands))
        return Answer.PROVED if answer is loose is Answer.PROVED else Answer.UNKNOWN
    doubtful = answer is Answer.REFUTED and (_has_choice(placements, state) or _has_order(placements.roles))
    return Answer.UNKNOWN if doubtful else answer


def _has_order(roles: Sequence[PlacementRole]) -> bool:
    """Whether the pods of a role wait for those of others: not every order of all pods can be."""
    return any(
        (role.attractions and not role.starts) or any(role_tie.leaders for role_tie in role.ties) for role in roles
    )


def _has_choice(placements: Placements, state: State) -> bool:
    """Whether a role that is bound to domains could have a pod in another one, with the others where they are."""
    for role in placements.bound:
        others = frozenset(pair for pair in state if pair[0] != role)
        for domain in placements.possible(role):
            if (role, domain) not in state and placements.admits(others, role, domain):
                return True
    return False
