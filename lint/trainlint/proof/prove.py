"""The proof of one group, put together: what rules it out at once, then zones and placements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trainlint.model.because import Because
from trainlint.model.known import Answer, Undetermined
from trainlint.model.workload import Group
from trainlint.proof.capacity import capacity_cause, nodes_short
from trainlint.proof.cause import CapacityCause, Cause, DeadlockCause
from trainlint.proof.cluster_model import ClusterModel, own_members, placed_as_one, problem_of
from trainlint.proof.connection_unknowns import undecided
from trainlint.proof.deadlock import deadlock
from trainlint.proof.denials import flow_causes
from trainlint.proof.enumeration import enumerate_placements
from trainlint.proof.ground import ProofGround
from trainlint.proof.group import GroupProof
from trainlint.proof.judge import Judge
from trainlint.proof.placement_problem import PlacementProblem
from trainlint.proof.spread import spread_causes
from trainlint.proof.zones import judge_zones
from trainlint.reachability import Reachability

__all__ = ["never_placed", "prove"]


def prove(
    group: Group, reach: Reachability, model: ClusterModel | None, missing: Sequence[Because], *, halfway: bool = False
) -> GroupProof:
    """The three answers. Without a model (no inventory that counts) only what holds wherever pods land is answered.

    ``missing`` is what was not known before the question was asked; while there is any, nothing is proved. ``halfway``
    leaves the proof at whether the group can run: where it can, for all is unknown.
    """
    flows = tuple(flow_causes(reach))
    doubts = [*missing, *_undecided(group, reach)]
    if model is None or not model.counted:
        doubts += _uncounted(group)
    if model is None:
        answer = Answer.REFUTED if flows else Answer.UNKNOWN
        return GroupProof(group, answer, answer, causes=flows, missing=tuple(doubts), reach=reach)
    problem = problem_of(group, model)

    def refuted(*causes: Cause) -> GroupProof:
        key = model.settings.topology_key
        own = [model.feasible[index] for index in own_members(group)]
        zones = () if halfway else judge_zones(group, problem, own, reach)
        answer, unsure = Answer.REFUTED, tuple(doubts)
        return GroupProof(
            group, answer, answer, causes=causes, missing=unsure, topology_key=key, zones=zones, reach=reach
        )

    if model.hopeless or any(each.cause is not None for each in model.feasible.values()):
        return refuted(*flows)
    if model.complete and (short := _too_few(group, model, problem)) is not None:
        return refuted(*flows, short)
    placed = placed_as_one(group, model, problem)
    doubts += [placed.ties.missing] if placed.ties.missing else []
    doubts += [] if model.ideal else _unread(group)
    spread = tuple(spread_causes(problem))
    causes: tuple[Cause, ...] = (*flows, *spread)
    doubts += [Because(ProofGround.NEAR_NONE, (pod_set.name,)) for pod_set in problem.targetless]
    if model.complete:
        if (locked := deadlock(problem)) is not None:
            return refuted(*causes, locked)
        if any(each.forces_split for each in spread):
            return refuted(*causes)
    found = enumerate_placements(placed, model.namespaces, model.storage) if problem.beyond else None
    if problem.beyond and found is None:
        doubts += [Because(ProofGround.TOO_MANY_PLACEMENTS, (constraint,)) for constraint in problem.beyond]
    return Judge(group, reach, model, placed, causes, found).proof(doubts, halfway=halfway)


def never_placed(group: Group, model: ClusterModel) -> CapacityCause | DeadlockCause | None:
    """Why the pods of the group's sets can never all be scheduled, for pod sets that communicate with no others;
    ``None`` where they may be, or that is not known.
    """
    problem = problem_of(group, model)
    return _too_few(group, model, problem) or deadlock(problem)


def _too_few(group: Group, model: ClusterModel, problem: PlacementProblem) -> CapacityCause | None:
    """Why there are too few nodes, whatever the order and the zones."""
    found = capacity_cause(problem) or _short_at_best(group, model)
    if found is None and problem.unknown:
        return nodes_short([model.feasible[index] for index in own_members(group)], model.nodes)
    return found


def _short_at_best(group: Group, model: ClusterModel) -> CapacityCause | None:
    """What no answer to the open questions could fix: too few hosts, domains, or places under a spread."""
    if not any(each.doubtful for each in model.feasible.values()):
        return None
    hopeful = replace(model, feasible={index: each.hopeful() for index, each in model.feasible.items()})
    return capacity_cause(problem_of(group, hopeful), rooms=False)


def _undecided(group: Group, reach: Reachability) -> Iterator[Because]:
    if len(reach.places) == 1:
        yield from undecided(group, reach)


def _uncounted(group: Group) -> Iterator[Because]:
    for member in group.members:
        if isinstance(member.replicas, Undetermined):
            yield Because(ProofGround.REPLICAS, (member.name, member.replicas.why))


def _unread(group: Group) -> list[Because]:
    """Where something that is not read places the pods: what the scheduler alone might choose is no proof."""
    unread = [each for each in group.members if each.placed_by and not (each.together or each.parts)]
    return [Because(ProofGround.PLACED_BY, (each.placed_by, each.name)) for each in unread[:1]]
