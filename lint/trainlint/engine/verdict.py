"""The proof of a group as the verdict that reports show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from trainlint.facts.facts import Facts
from trainlint.kube.values import is_placeholder
from trainlint.model.known import Answer
from trainlint.model.workload import DNS_PEER, Flow, Group
from trainlint.proof.cause import CutCause, FlowCause, SpreadCause, ZoneCause
from trainlint.proof.group import GroupProof
from trainlint.result import GroupVerdict, NeededFlow, RoleVerdict
from trainlint.snapshot.repository import Repository
from trainlint.wording.because import texts_of

__all__ = ["verdicts"]


def verdicts(snapshots: Iterable[Facts], repository: Repository) -> Iterator[tuple[GroupVerdict, GroupProof, Facts]]:
    """The verdict on every group of every snapshot, with what it was made from.

    One that holds in several snapshots is given once, for the first of them.
    """
    seen: set[str] = set()
    for facts in snapshots:
        for proof in facts.proofs:
            verdict = _verdict(proof, facts, repository)
            same = repr(replace(verdict, snapshot=""))
            if same not in seen:
                seen.add(same)
                yield verdict, proof, facts


def _verdict(proof: GroupProof, facts: Facts, repository: Repository) -> GroupVerdict:
    roles = tuple(_roles(proof.group, facts, repository))
    counts = [role.pods for role in roles if not role.dependency]
    known = [count for count in counts if count is not None]
    return GroupVerdict(
        name=proof.group.name,
        kind=proof.group.kind,
        snapshot=facts.snapshot.name,
        pods=sum(known) if len(known) == len(counts) else None,
        exists=proof.exists,
        for_all=proof.for_all,
        viable_zones=proof.viable_zones,
        witness=proof.witness,
        counterexample=proof.counterexample,
        missing=texts_of(proof.missing) if Answer.UNKNOWN in (proof.exists, proof.for_all) else (),
        notes=texts_of(proof.notes),
        roles=roles,
        flows=tuple(_flows(proof)),
        connections=proof.connections,
        needs=proof.needs,
        across=_runs_across(proof, facts),
        at=(proof.group.at or proof.group.members[0].at) if is_placeholder(proof.group.name) else None,
    )


def _runs_across(proof: GroupProof, facts: Facts) -> bool:
    """Whether all that refutes a group is that no single zone takes it: over several zones it runs."""
    if proof.exists is not Answer.REFUTED or proof.stopped or not proof.causes:
        return False
    if proof.ideal:
        members = {id(member) for member in proof.group.members}
        never = any(id(each.pod_set) in members for each in facts.placement.impossible)
        return not never and all(isinstance(each, SpreadCause) and each.forces_split for each in proof.causes)
    return all(isinstance(each, ZoneCause) and bool(each.across) for each in proof.causes)


def _roles(group: Group, facts: Facts, repository: Repository) -> Iterator[RoleVerdict]:
    for index, member in enumerate(group.members):
        item = repository.object_at(member.at)
        yield RoleVerdict(
            name=member.name,
            pods=member.replicas if isinstance(member.replicas, int) else None,
            zones=facts.verdicts.zones(member),
            dependency=index in group.dependencies,
            at=repository.written(member.at) if item is None else item.written,
        )


def _flows(proof: GroupProof) -> Iterator[NeededFlow]:
    denied = {id(flow) for cause in proof.causes if isinstance(cause, FlowCause) for flow, _ in cause.flows}
    cut: dict[int, dict[tuple[str, str], None]] = {}
    for cause in proof.causes:
        if isinstance(cause, CutCause):
            for pair in cause.pairs:
                cut.setdefault(id(pair.flow), {})[pair.source_zone, pair.target_zone] = None
    for flow in proof.group.flows:
        yield NeededFlow(
            source=proof.group.members[flow.source].name,
            target=_target(proof.group, flow),
            ports=f"{flow.protocol} {flow.ports}",
            denied=id(flow) in denied,
            cut=tuple(cut.get(id(flow), ())),
        )


def _target(group: Group, flow: Flow) -> str:
    return DNS_PEER if flow.target is None else group.members[flow.target].name
