"""The proof of one group, put together: what rules it out at once, then zones and placements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trainlint.model.known import Answer, Undetermined
from trainlint.model.workload import Group
from trainlint.proof.capacity import capacity_cause, nodes_short
from trainlint.proof.cause import CapacityCause, Cause, DeadlockCause
from trainlint.proof.deadlock import deadlock
from trainlint.proof.denials import flow_causes
from trainlint.proof.explored import explored
from trainlint.proof.group import GroupProof
from trainlint.proof.judge import Judge
from trainlint.proof.roles import Cast
from trainlint.proof.spread import spread_causes
from trainlint.proof.stage import Stage, cast_of, own_members, placed_as_one
from trainlint.proof.undecided import undecided
from trainlint.proof.zones import judge_zones
from trainlint.reachability import Reachability

__all__ = ["never_placed", "prove"]


def prove(
    group: Group, reach: Reachability, stage: Stage | None, missing: Sequence[str], *, halfway: bool = False
) -> GroupProof:
    """The three answers. Without a stage (no inventory that counts) only what holds wherever pods land is answered.

    ``missing`` is what was not known before the question was asked; while there is any, nothing is proved. ``halfway``
    leaves the proof at whether the group can run: where it can, for all is unknown.
    """
    flows = tuple(flow_causes(reach))
    doubts = [*missing, *_undecided(group, reach)]
    if stage is None:
        answer = Answer.REFUTED if flows else Answer.UNKNOWN
        return GroupProof(group, answer, answer, causes=flows, missing=tuple(doubts), reach=reach)
    players = cast_of(group, stage)

    def refuted(*causes: Cause) -> GroupProof:
        key = stage.settings.topology_key
        own = [stage.feasible[index] for index in own_members(group)]
        zones = () if halfway else judge_zones(group, players, own, reach)
        answer, unsure = Answer.REFUTED, tuple(doubts)
        return GroupProof(
            group, answer, answer, causes=causes, missing=unsure, topology_key=key, zones=zones, reach=reach
        )

    if stage.hopeless or any(each.cause is not None for each in stage.feasible.values()):
        return refuted(*flows)
    if stage.complete and (short := _too_few(group, stage, players)) is not None:
        return refuted(*flows, short)
    placed = placed_as_one(group, stage, players)
    doubts += [placed.ties.missing] if placed.ties.missing else []
    doubts += [] if stage.ideal else _unread(group)
    spread = tuple(spread_causes(players))
    causes: tuple[Cause, ...] = (*flows, *spread)
    doubts += [f"which pods {pod_set.name} is required to be near: none is in Git" for pod_set in players.targetless]
    if stage.complete:
        if (locked := deadlock(players)) is not None:
            return refuted(*causes, locked)
        if any(each.forces_split for each in spread):
            return refuted(*causes)
    found = explored(placed, stage.namespaces, stage.storage) if players.beyond else None
    if players.beyond and found is None:
        doubts += [f"what {constraint} allows: too many placements to try" for constraint in players.beyond]
    return Judge(group, reach, stage, placed, causes, found).proof(doubts, halfway=halfway)


def never_placed(group: Group, stage: Stage) -> CapacityCause | DeadlockCause | None:
    """Why the pods of the group's sets can never all be scheduled, for pod sets that communicate with nobody."""
    players = cast_of(group, stage)
    return _too_few(group, stage, players) or deadlock(players)


def _too_few(group: Group, stage: Stage, players: Cast) -> CapacityCause | None:
    """Why there are too few nodes, whatever the order and the zones."""
    found = capacity_cause(players) or _short_at_best(group, stage)
    if found is None and players.unknown:
        return nodes_short([stage.feasible[index] for index in own_members(group)], stage.nodes)
    return found


def _short_at_best(group: Group, stage: Stage) -> CapacityCause | None:
    """What no answer to the open questions could mend: too few hosts, domains, or places under a spread."""
    if not any(each.doubtful for each in stage.feasible.values()):
        return None
    hopeful = replace(stage, feasible={index: each.hopeful() for index, each in stage.feasible.items()})
    return capacity_cause(cast_of(group, hopeful), rooms=False)


def _undecided(group: Group, reach: Reachability) -> Iterator[str]:
    if len(reach.places) == 1:
        yield from undecided(group, reach)
    for member in group.members:
        if isinstance(member.replicas, Undetermined):
            yield f"how many pods {member.name} has: {member.replicas.why}"


def _unread(group: Group) -> list[str]:
    """Where something that is not read places the pods: what the scheduler alone might choose is no proof."""
    unread = [each for each in group.members if each.placed_by and not (each.together or each.parts)]
    return [f"where {each.placed_by} lets the pods of {each.name} go" for each in unread[:1]]
