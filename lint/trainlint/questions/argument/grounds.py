"""What a refutation comes down to, and what the whole argument rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.root import Root
from trainlint.model.workload import PodSet
from trainlint.proof.cause import Cause
from trainlint.proof.group import GroupProof
from trainlint.questions.argument.step import Statement, Step, statement
from trainlint.questions.table import ToldBy
from trainlint.wording.because import because_text
from trainlint.wording.control_plane import breaks_need, why_needed
from trainlint.wording.forcing import places_of_cores
from trainlint.wording.quotas import refuser
from trainlint.wording.texts.argument import Phrase

__all__ = ["what_forces_it", "what_it_rests_on"]


def what_forces_it(proof: GroupProof, facts: Facts, told_by: ToldBy) -> Step:
    """The irreducible sets of places behind every refutation."""
    causes = tuple(_causes(proof, facts, told_by))
    return Step(
        because_text(Because(Phrase.FORCED)),
        (*((statement(Phrase.MEANING), *causes) if causes else ()), *_objects(proof, facts, told_by)),
    )


def _causes(proof: GroupProof, facts: Facts, told_by: ToldBy) -> Iterator[Statement]:
    own: list[Cause] = [*proof.causes, *_of_members(proof, facts)]
    for cause in own:
        cores = facts.groups.cores(cause)
        for number, core in enumerate(cores, 1):
            places = places_of_cores([core])
            below = tuple(Statement(each.role, (each.at,)) for each in places)
            several, many = len(cores) if len(cores) > 1 else 0, len(places)
            yield statement(Phrase.FORCING, told_by[cause.root], number, several, many == 1, many, below=below)


def _of_members(proof: GroupProof, facts: Facts) -> Iterator[Cause]:
    members: set[int] = {id(each) for each in proof.group.members}

    def mine(pod_set: PodSet) -> bool:
        return id(pod_set) in members

    judged = (*facts.placement.feasibilities, *facts.placement.impossible)
    yield from (each.cause for each in judged if each.cause is not None and mine(each.pod_set))
    yield from (each for each in facts.placement.missing_targets if mine(each.pod_set))


def _objects(proof: GroupProof, facts: Facts, told_by: ToldBy) -> Iterator[Statement]:
    """What one object makes impossible by itself, wherever the pods would go."""
    members = {id(each) for each in proof.group.members}
    refused: list[tuple[Root, Because, tuple[Location, ...], Sequence[PodSet]]] = [
        (Root.GANG_SIZE, Because(Phrase.GANG, (gang.what, gang.minimum, count)), (gang.at,), gang.pod_sets)
        for gang, count in facts.queues.oversized_gangs
    ]
    refused += [
        (Root.QUOTA, Because(Phrase.QUOTA, (refuser(each),)), each.places or (each.at,), each.pod_sets)
        for each in facts.queues.over_quota
    ]
    refused += [(Root.KUEUE, each.why, (each.at,), each.pod_sets) for each in facts.repository.never_admitted]
    refused += [
        (
            Root.EXCLUSIVE_TOPOLOGY,
            Because(Phrase.TOGETHER, (each.together.by,)),
            (each.together.at,),
            each.pod_sets,
        )
        for each in facts.placement.exclusive_shortages
    ]
    refused += [
        (Root.SHARED_CLAIM, Because(Phrase.CLAIM, (each.claim.name, each.mode)), (each.at,), each.pod_sets)
        for each in facts.placement.shared_claims
        if each.certain
    ]
    for root, why, places, pod_sets in refused:
        if any(id(pod_set) in members for pod_set in pod_sets):
            yield statement(Phrase.OBJECT, told_by[root], why, places=places)
    owners = {each.owner for each in proof.group.members}
    for denial in facts.control_plane.denials:
        if denial.need.fatal and not denial.need.assumes and not owners.isdisjoint(denial.need.owners):
            needed, breaks = why_needed(denial.need), breaks_need(denial.need)
            yield statement(Phrase.DENIAL, told_by[Root.CONTROL_PLANE], needed, breaks, places=(denial.at,))


def what_it_rests_on(proof: GroupProof, facts: Facts) -> Step:
    """Assumptions, and what the inventory leaves open."""
    statements = [statement(Phrase.ALONE)]
    inventory = facts.verdicts.inventory(proof.group.members[0])
    if inventory is not None:
        at = (inventory.at,) if inventory.at is not None else ()
        partial = "" if inventory.complete else inventory.partial
        statements.append(statement(Phrase.INVENTORY, inventory.name, inventory.complete, partial, places=at))
        notes = dict.fromkeys(note for pool in inventory.pools for note in pool.notes)
        statements += [Statement(note) for note in notes]
    statements += [statement(Phrase.ASSUMED, text) for text in facts.snapshot.settings.assumptions]
    return Step(because_text(Because(Phrase.BASIS)), tuple(statements))
