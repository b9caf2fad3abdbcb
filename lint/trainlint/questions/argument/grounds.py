"""What a refutation comes down to, and what the whole argument rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.root import Root
from trainlint.model.workload import PodSet
from trainlint.proof.cause import Cause
from trainlint.proof.group import GroupProof
from trainlint.questions.argument.step import Statement, Step
from trainlint.questions.table import ToldBy
from trainlint.wording.because import because_text
from trainlint.wording.control_plane import breaks_need, why_needed
from trainlint.wording.forcing import places_of_cores
from trainlint.wording.quotas import refuser

__all__ = ["what_forces_it", "what_it_rests_on"]

ALONE = (
    "the group is alone on an empty cluster, with the pools at any size between their smallest and their largest; an "
    "elastic group has its smallest number of pods"
)
MEANING = (
    "with nothing but the places of one cause left it is still refuted, and without any one of them it is not; what is "
    "missing stands at the parent of the field"
)


def what_forces_it(proof: GroupProof, facts: Facts, told_by: ToldBy) -> Step:
    """The irreducible sets of places behind every refutation."""
    causes = tuple(_causes(proof, facts, told_by))
    return Step(
        "What forces it", (*((Statement(MEANING), *causes) if causes else ()), *_objects(proof, facts, told_by))
    )


def _causes(proof: GroupProof, facts: Facts, told_by: ToldBy) -> Iterator[Statement]:
    own: list[Cause] = [*proof.causes, *_of_members(proof, facts)]
    for cause in own:
        cores = facts.groups.cores(cause)
        for number, core in enumerate(cores, 1):
            which = f", cause {number} of {len(cores)}" if len(cores) > 1 else ""
            places = places_of_cores([core])
            text = "this place alone" if len(places) == 1 else f"these {len(places)} places together"
            below = tuple(Statement(each.role, (each.at,)) for each in places)
            yield Statement(f"{told_by[cause.root]}{which}: {text}", below=below)


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
    refused: list[tuple[Root, str, tuple[Location, ...], Sequence[PodSet]]] = [
        (Root.GANG_SIZE, f"{gang.what} is {gang.minimum}, of {count} pods", (gang.at,), gang.pod_sets)
        for gang, count in facts.queues.oversized_gangs
    ]
    refused += [
        (Root.QUOTA, f"{refuser(each)} refuses them", each.places or (each.at,), each.pod_sets)
        for each in facts.queues.over_quota
    ]
    refused += [
        (Root.KUEUE, because_text(each.why), (each.at,), each.pod_sets) for each in facts.repository.never_admitted
    ]
    refused += [
        (Root.EXCLUSIVE_TOPOLOGY, each.together.by, (each.together.at,), each.pod_sets)
        for each in facts.placement.exclusive_shortages
    ]
    refused += [
        (Root.SHARED_CLAIM, f"claim {each.claim.name} is {each.mode}", (each.at,), each.pod_sets)
        for each in facts.placement.shared_claims
        if each.certain
    ]
    for root, text, places, pod_sets in refused:
        if any(id(pod_set) in members for pod_set in pod_sets):
            yield Statement(f"{told_by[root]}: {text}", places)
    owners = {each.owner for each in proof.group.members}
    for denial in facts.control_plane.denials:
        if denial.need.fatal and not denial.need.assumes and not owners.isdisjoint(denial.need.owners):
            text = f"{why_needed(denial.need)}; {breaks_need(denial.need)}"
            yield Statement(f"{told_by[Root.CONTROL_PLANE]}: {text}", (denial.at,))


def what_it_rests_on(proof: GroupProof, facts: Facts) -> Step:
    """Assumptions, and what the inventory leaves open."""
    statements = [Statement(ALONE)]
    inventory = facts.verdicts.inventory(proof.group.members[0])
    if inventory is not None:
        at = (inventory.at,) if inventory.at is not None else ()
        whole = "it lists every node that there is" if inventory.complete else "there may be other nodes"
        partial = f": {inventory.partial}" if inventory.partial and not inventory.complete else ""
        statements.append(Statement(f"the nodes are those of the inventory {inventory.name}; {whole}{partial}", at))
        notes = dict.fromkeys(note for pool in inventory.pools for note in pool.notes)
        statements += [Statement(note) for note in notes]
    statements += [Statement(f"assumed: {text}") for text in facts.snapshot.settings.assumptions]
    return Step("What this rests on", tuple(statements))
