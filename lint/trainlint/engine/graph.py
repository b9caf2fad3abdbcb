"""The reachability graph of a group, put together; and the graphs of paths, for the command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trainlint.config.choices import Choices, NodesFile
from trainlint.engine.current_repository import opened
from trainlint.engine.links import links_of
from trainlint.engine.progress import Progress
from trainlint.engine.role_zones import obstacles_of, pools_of, role_placements, role_zones_of, waiting_of, zones_of
from trainlint.engine.source_places import Places
from trainlint.facts.facts import Facts
from trainlint.finding import Location, UsageError
from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.proof.cause import (
    CapacityCause,
    DeadlockCause,
    FlowCause,
    PlacementCause,
    SplitCause,
    SpreadCause,
    ZoneCause,
)
from trainlint.proof.group import GroupProof
from trainlint.questions.table import accelerators, no_group, table_of
from trainlint.reachability.flow_graph import FlowGraph
from trainlint.result import PlacedRelated
from trainlint.result.graph import GraphPool, GraphRole, GroupGraph
from trainlint.rule import told_by

__all__ = ["Graphs", "graph_groups"]


class Graphs:
    """Makes graphs; what several of them have in common is worked out once."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._placed: dict[Location, PlacedRelated] = {}
        self._pools: dict[tuple[int, str], tuple[GraphPool, ...]] = {}

    def of(self, proof: GroupProof, facts: Facts) -> GroupGraph:
        """The graph of one group."""
        place = self._place
        pools = self._pools_of(proof, facts)
        zones = zones_of(proof, pools, place)
        return GroupGraph(
            group=proof.group.name,
            kind=proof.group.kind,
            snapshot=facts.snapshot.name,
            roles=tuple(
                GraphRole(
                    name=member.name,
                    namespace=member.namespace,
                    pods=member.replicas if isinstance(member.replicas, int) else None,
                    accelerators=accelerators(member, facts),
                    dependency=index in proof.group.dependencies,
                    at=place(member.template, member.name),
                )
                for index, member in enumerate(proof.group.members)
            ),
            zones=zones,
            pools=pools,
            role_zones=role_zones_of(proof, facts, zones, place),
            links=links_of(proof, facts, place),
            flows=_flows(proof) if proof.reach is None else proof.reach.graph,
            table=table_of(proof, facts, told_by()),
            witness=role_placements(proof, proof.assignments),
            counterexample=role_placements(proof, proof.bad_assignments),
            waiting=waiting_of(proof, place),
            obstacles=obstacles_of(proof, place),
            closest=proof.zones[0].name if proof.exists is Answer.REFUTED and len(proof.zones) > 1 else "",
            across=_across(proof),
            split=any(isinstance(cause, SplitCause) for cause in proof.causes),
        )

    def _place(self, at: Location, part: str) -> PlacedRelated:
        if at not in self._placed:
            self._placed[at] = self._places.named(self._places.written(at), "")
        return replace(self._placed[at], role=part)

    def _pools_of(self, proof: GroupProof, facts: Facts) -> tuple[GraphPool, ...]:
        inventory = facts.verdicts.inventory(proof.group.members[0])
        if inventory is None:
            return ()
        key = (id(inventory), proof.topology_key)
        if key not in self._pools:
            self._pools[key] = pools_of(inventory, facts.verdicts.nodes(inventory), proof.topology_key, self._place)
        return self._pools[key]


def _flows(proof: GroupProof) -> FlowGraph:
    """The graph of a group whose connections could not be judged."""
    return FlowGraph(len(proof.group.members), proof.group.flows, lambda flow, source, target: Permission.UNKNOWN)


def _across(proof: GroupProof) -> bool:
    """Whether the group runs although no single zone takes it."""
    if any(isinstance(cause, CapacityCause | DeadlockCause | FlowCause | PlacementCause) for cause in proof.causes):
        return False
    return any(
        cause.across or cause.undecided
        if isinstance(cause, ZoneCause)
        else isinstance(cause, SpreadCause) and cause.forces_split
        for cause in proof.causes
    )


def graph_groups(
    paths: Sequence[Path],
    group: str = "",
    snapshot: str = "",
    *,
    config: Path | None = None,
    nodes: tuple[NodesFile, ...] = (),
    progress: Progress | None = None,
    cache: bool = False,
) -> tuple[tuple[GroupGraph, ...], str]:
    """The graphs of the groups of one snapshot, or of the one that is named, and why this snapshot (empty: the only).

    ``group`` may be a part of a name if only one group has it. Without ``snapshot`` it is the first in which one of the
    groups is refuted, else the first.

    Raises:
        UsageError: a path that is not there, a wrong configuration, a group or snapshot that does not exist, or a name
            that several groups have.
    """
    state, _ = opened(paths, config, progress, given=Choices(nodes=nodes), cache=cache)
    known = [facts for facts in state.facts if not snapshot or facts.snapshot.name == snapshot]
    if snapshot and not known:
        raise UsageError(_no_snapshot(snapshot, [facts.snapshot.name for facts in state.facts]))
    name = _meant(group, list(_names(known))) if group else ""
    chosen = [(facts, found) for facts in known if (found := _proofs(facts, name))]
    if not chosen:
        return (), ""
    facts, proofs = next((each for each in chosen if any(map(_refuted, each[1]))), chosen[0])
    graphs = Graphs(state.places)
    return tuple(graphs.of(proof, facts) for proof in proofs), _why_this(
        facts, proofs, [each.snapshot.name for each, _ in chosen]
    )


def _proofs(facts: Facts, name: str) -> list[GroupProof]:
    return [proof for proof in facts.proofs if not name or proof.group.name == name]


def _names(known: Sequence[Facts]) -> Iterator[str]:
    return iter(dict.fromkeys(group.name for facts in known for group in facts.snapshot.workloads.groups))


def _meant(wanted: str, names: Sequence[str]) -> str:
    """The one name that is meant: the full one, else the only one that is it without a namespace, or that holds it."""
    if wanted in names:
        return wanted
    found = [name for name in names if name.partition("/")[2] == wanted] or [name for name in names if wanted in name]
    if not found:
        raise UsageError(no_group(wanted, sorted(names)))
    if len(found) > 1:
        raise UsageError(f"{wanted!r} may be any of {', '.join(sorted(found))}: say which")
    return found[0]


def _refuted(proof: GroupProof) -> bool:
    return Answer.REFUTED in (proof.exists, proof.for_all)


def _why_this(facts: Facts, proofs: Sequence[GroupProof], names: Sequence[str]) -> str:
    if len(names) < 2:
        return ""
    what = "the first that is refuted" if any(map(_refuted, proofs)) else "the first: none is refuted"
    others = ", ".join(name for name in names if name != facts.snapshot.name)
    return f"snapshot {facts.snapshot.name}, {what}; --snapshot chooses another: {others}"


def _no_snapshot(wanted: str, names: Sequence[str]) -> str:
    return f"there is no snapshot {wanted!r}; there are: {', '.join(name or '(the whole)' for name in names)}"
