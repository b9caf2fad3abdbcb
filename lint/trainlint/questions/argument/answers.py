"""The two answers: zone by zone, and over every placement that the scheduler may choose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.facts.facts import Facts
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.root import Root
from trainlint.proof.cause import Assignment, CutCause, SplitCause, StrandedCause
from trainlint.proof.group import GroupProof
from trainlint.proof.ideal.words import need_words
from trainlint.proof.notation import flow_text
from trainlint.proof.zones import Zone
from trainlint.questions.argument.step import Statement, Step, listed
from trainlint.questions.table import ToldBy, blamed, named
from trainlint.wording.because import because_text
from trainlint.wording.denials import denied_sentence, nodes_of_pair, places_of
from trainlint.wording.zones import reason_text

__all__ = ["every_placement", "zone_by_zone"]


def zone_by_zone(proof: GroupProof, facts: Facts, told_by: ToldBy) -> Step:
    """Exists: what each zone lacks, or who would be where in it."""
    statements = [_zone(zone, proof) for zone in proof.zones]
    title = f"Is there one zone in which it runs? {_said(proof.exists)}"
    if proof.exists is Answer.CONDITIONAL and proof.needs is not None:
        statements = [Statement(text) for text in need_words(proof.needs)]
    elif not statements:
        statements = [Statement(text) for text in _without_zones(proof, facts, told_by)]
    elif proof.exists is Answer.REFUTED and not all(
        zone.reasons or zone.flows is Answer.REFUTED for zone in proof.zones
    ):
        statements += [Statement(text) for text in _without_zones(proof, facts, told_by)]
    elif proof.exists is Answer.UNKNOWN:
        told = {each for zone in proof.zones for each in zone.missing}
        statements += [_not_known(each) for each in dict.fromkeys(proof.missing) if each not in told]
    return Step(title, tuple(statements))


def _zone(zone: Zone, proof: GroupProof) -> Statement:
    below = [Statement(reason_text(each, proof.group), each.places) for each in zone.reasons]
    if zone.flows is Answer.REFUTED and proof.reach is not None and proof.reach.denied:
        flows = listed(flow_text(proof.group, flow) for flow, _ in proof.reach.denied)
        below.append(Statement(f"denied wherever the pods land: {flows}"))
    below += [_not_known(each) for each in dict.fromkeys(zone.missing)]
    if zone.answer is Answer.PROVED:
        answer = "yes" if proof.exists is Answer.PROVED else "its nodes would do"
        return Statement(f"{zone.name}: {answer}. {_seated(zone.assignments)}; every connection is permitted there")
    return Statement(f"{zone.name}: {'no' if zone.answer is Answer.REFUTED else 'not known'}", below=tuple(below))


def _without_zones(proof: GroupProof, facts: Facts, told_by: ToldBy) -> Iterator[str]:
    """Why a group was answered without looking at zones."""
    rules = named((root for root in blamed(proof, facts) if root is not Root.SPREAD_OF_GROUP), told_by)
    if proof.exists is Answer.REFUTED:
        yield f"whatever the zone, it is refuted: {listed(rules)}" if rules else "whatever the zone, it is refuted"
    for each in dict.fromkeys(proof.missing):
        yield f"not known: {because_text(each)}"


def every_placement(proof: GroupProof) -> Step:
    """The step about every placement that the scheduler may choose: which there are, and whether all of them are
    good.
    """
    title = f"Is every placement that the scheduler may choose good? {_said(proof.for_all)}"
    return Step(title, tuple(_every(proof)))


def _every(proof: GroupProof) -> Iterator[Statement]:
    if proof.exists is Answer.REFUTED:
        yield Statement("what can run nowhere has no good placement at all")
        return
    if proof.exists is Answer.UNKNOWN:
        yield Statement("that is not known before it is known whether there is one")
        return
    for cause in proof.causes:
        match cause:
            case CutCause():
                yield Statement(
                    f"it may choose this one: {_seated(cause.assignments)}", below=tuple(_cut(proof, cause))
                )
            case SplitCause():
                yield Statement(
                    f"it may choose this one, over {listed(cause.zones)}: {_seated(cause.assignments)}",
                    below=(
                        Statement("every connection is permitted, and collectives between zones are slow and billed"),
                    ),
                )
            case StrandedCause():
                yield from _dead_end(cause)
    yield from (Statement(because_text(note)) for note in proof.notes)
    if proof.for_all is Answer.PROVED:
        yield Statement(
            "placing one pod at a time, in any order, at every size of the pools, each placement that can be reached "
            "is complete or can be completed, and permits every connection"
        )
        zones = proof.viable_zones
        if proof.group.collective and not proof.group.cross_zone_allowed:
            yield Statement(f"none of them is spread over several zones: all pods land in {' or all in '.join(zones)}")
    yield from map(_not_known, dict.fromkeys(proof.missing))


def _not_known(doubt: Because) -> Statement:
    return Statement(f"not known: {because_text(doubt)}")


def _cut(proof: GroupProof, cause: CutCause) -> Iterator[Statement]:
    for pair in cause.pairs:
        where = f"from {pair.source_zone} to {pair.target_zone}"
        if pair.source_zone == pair.target_zone:
            where = f"within {pair.source_zone}"
        nodes = nodes_of_pair(pair)
        text = f"{flow_text(proof.group, pair.flow)} {where}{f' {nodes}' if nodes else ''}: "
        places = tuple(at for _, at in places_of(pair.verdict))
        yield Statement(text + denied_sentence(pair.verdict), places)


def _dead_end(cause: StrandedCause) -> Iterator[Statement]:
    first = listed(f"{name} in {zone}" for name, zones in cause.placed.items() for zone in zones)
    waiting = listed(each.name for each in cause.waiting)
    yield Statement(
        f"it may begin with a pod of {first}; then pods of {waiting} find no node, though all of them fit in "
        f"{' or '.join(cause.good)}",
        (cause.at,),
    )


def _seated(assignments: Iterable[Assignment]) -> str:
    """Who is where: ``1 pod of coordinator on gpu-1 (zone-a)``."""
    return listed(
        f"{each.pods} pod{'' if each.pods == 1 else 's'} of {each.pod_set} "
        + (f"on {each.pool} ({each.zone})" if each.pool else f"in {each.zone}")
        for each in assignments
    )


def _said(answer: Answer) -> str:
    return {
        Answer.PROVED: "Yes: proved",
        Answer.REFUTED: "No: refuted",
        Answer.CONDITIONAL: "Yes, if the cluster has what its pods need",
        Answer.UNKNOWN: "Not known",
    }[answer]
