"""The two answers: zone by zone, and over every placement that the scheduler may choose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.facts.facts import Facts
from trainlint.model.because import Because
from trainlint.model.known import Answer
from trainlint.model.root import Root
from trainlint.proof.cause import Assignment, CutCause, SplitCause, StrandedCause
from trainlint.proof.group import GroupProof
from trainlint.proof.notation import flow_text
from trainlint.proof.zones import Zone
from trainlint.questions.argument.step import Statement, Step, statement
from trainlint.questions.table import ToldBy, blamed, named
from trainlint.wording.because import because_text
from trainlint.wording.denials import denied_sentence, nodes_of_pair, places_of
from trainlint.wording.listing import listed
from trainlint.wording.needs import need_words
from trainlint.wording.texts.argument import Phrase
from trainlint.wording.zones import reason_text

__all__ = ["every_placement", "zone_by_zone"]


def zone_by_zone(proof: GroupProof, facts: Facts, told_by: ToldBy) -> Step:
    """Exists: what each zone lacks, or who would be where in it."""
    statements = [_zone(zone, proof) for zone in proof.zones]
    title = because_text(Because(Phrase.EXISTS, (_ANSWERS[proof.exists],)))
    if proof.exists is Answer.CONDITIONAL and proof.needs is not None:
        statements = [Statement(text) for text in need_words(proof.needs)]
    elif not statements:
        statements = [*_without_zones(proof, facts, told_by)]
    elif proof.exists is Answer.REFUTED and not all(
        zone.reasons or zone.flows is Answer.REFUTED for zone in proof.zones
    ):
        statements += [*_without_zones(proof, facts, told_by)]
    elif proof.exists is Answer.UNKNOWN:
        told = {each for zone in proof.zones for each in zone.missing}
        statements += [_not_known(each) for each in dict.fromkeys(proof.missing) if each not in told]
    return Step(title, tuple(statements))


def _zone(zone: Zone, proof: GroupProof) -> Statement:
    below = [Statement(reason_text(each, proof.group), each.places) for each in zone.reasons]
    if zone.flows is Answer.REFUTED and proof.reach is not None and proof.reach.denied:
        flows = listed(flow_text(proof.group, flow) for flow, _ in proof.reach.denied)
        below.append(statement(Phrase.DENIED_EVERYWHERE, flows))
    below += [_not_known(each) for each in dict.fromkeys(zone.missing)]
    if zone.answer is Answer.PROVED:
        return statement(Phrase.GOOD_ZONE, zone.name, proof.exists is Answer.PROVED, _placed(zone.assignments))
    return statement(Phrase.OTHER_ZONE, zone.name, zone.answer is Answer.REFUTED, below=tuple(below))


def _without_zones(proof: GroupProof, facts: Facts, told_by: ToldBy) -> Iterator[Statement]:
    """Why a group was answered without looking at zones."""
    rules = named((root for root in blamed(proof, facts) if root is not Root.SPREAD_OF_GROUP), told_by)
    if proof.exists is Answer.REFUTED:
        yield statement(Phrase.REFUTED_ANYWHERE, listed(rules) if rules else "")
    yield from map(_not_known, dict.fromkeys(proof.missing))


def every_placement(proof: GroupProof) -> Step:
    """The step about every placement that the scheduler may choose: which there are, and whether all of them are
    good.
    """
    title = because_text(Because(Phrase.FOR_ALL, (_ANSWERS[proof.for_all],)))
    return Step(title, tuple(_every(proof)))


def _every(proof: GroupProof) -> Iterator[Statement]:
    if proof.exists is Answer.REFUTED:
        yield statement(Phrase.NO_PLACEMENT)
        return
    if proof.exists is Answer.UNKNOWN:
        yield statement(Phrase.NOT_YET_KNOWN)
        return
    for cause in proof.causes:
        match cause:
            case CutCause():
                yield statement(Phrase.CUT, _placed(cause.assignments), below=tuple(_cut(proof, cause)))
            case SplitCause():
                below = (statement(Phrase.SPLIT_COSTS),)
                yield statement(Phrase.SPLIT, listed(cause.zones), _placed(cause.assignments), below=below)
            case StrandedCause():
                yield from _dead_end(cause)
    yield from (Statement(because_text(note)) for note in proof.notes)
    if proof.for_all is Answer.PROVED:
        yield statement(Phrase.ALL_GOOD)
        zones = proof.viable_zones
        if proof.group.collective and not proof.group.cross_zone_allowed:
            yield statement(Phrase.NEVER_SPREAD, " or all in ".join(zones))
    yield from map(_not_known, dict.fromkeys(proof.missing))


def _not_known(doubt: Because) -> Statement:
    return statement(Phrase.NOT_KNOWN, doubt)


def _cut(proof: GroupProof, cause: CutCause) -> Iterator[Statement]:
    for pair in cause.pairs:
        places = tuple(at for _, at in places_of(pair.verdict))
        within = pair.source_zone == pair.target_zone
        zones = (within, pair.source_zone, pair.target_zone, nodes_of_pair(pair))
        yield statement(
            Phrase.DENIED_PAIR,
            flow_text(proof.group, pair.flow),
            *zones,
            denied_sentence(pair.verdict),
            places=places,
        )


def _dead_end(cause: StrandedCause) -> Iterator[Statement]:
    first = listed(f"{name} in {zone}" for name, zones in cause.placed.items() for zone in zones)
    waiting = listed(each.name for each in cause.waiting)
    if cause.crowded:
        yield statement(Phrase.CROWDED, first, waiting, places=(cause.at,))
        return
    yield statement(Phrase.DEAD_END, first, waiting, " or ".join(cause.good), places=(cause.at,))


def _placed(assignments: Iterable[Assignment]) -> str:
    """Who is where: ``1 pod of coordinator on gpu-1 (zone-a)``."""
    return listed(
        f"{each.pods} pod{'' if each.pods == 1 else 's'} of {each.pod_set} "
        + (f"on {each.pool} ({each.zone})" if each.pool else f"in {each.zone}")
        for each in assignments
    )


_ANSWERS: Final = {
    Answer.PROVED: Phrase.PROVED,
    Answer.REFUTED: Phrase.REFUTED,
    Answer.CONDITIONAL: Phrase.CONDITIONAL,
    Answer.UNKNOWN: Phrase.UNKNOWN,
}
