"""The whole argument about one group."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from trainlint.fact import fact
from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.known import Answer
from trainlint.proof.group import GroupProof
from trainlint.questions.argument.answers import every_placement, zone_by_zone
from trainlint.questions.argument.connections import connections_needed, what_policies_decide
from trainlint.questions.argument.grounds import what_forces_it, what_it_rests_on
from trainlint.questions.argument.nodes import where_pods_may_run
from trainlint.questions.argument.queue import through_its_queue
from trainlint.questions.argument.step import Step
from trainlint.questions.table import ToldBy

__all__ = ["Argument", "argue"]


@fact
class Argument:
    """The steps that lead to the two answers about a group, in the snapshots for which they are the same."""

    group: str
    kind: str
    snapshots: tuple[str, ...]
    exists: Answer
    for_all: Answer
    steps: tuple[Step, ...]

    def locations(self) -> Iterator[Location]:
        """Every place that is named."""
        for step in self.steps:
            for statement in step.statements:
                yield from statement.locations()


def argue(proofs: Sequence[tuple[GroupProof, Facts]], told_by: ToldBy) -> tuple[Argument, ...]:
    """The arguments; what is said alike about several snapshots is said once.

    ``told_by`` names the rule of each root.
    """
    found: dict[Hashable, Argument] = {}
    for proof, facts in proofs:
        argument = _argument(proof, facts, told_by)
        key = (argument.group, argument.steps)
        before = found.get(key)
        names = (*(before.snapshots if before else ()), facts.snapshot.name)
        found[key] = replace(argument, snapshots=names)
    return tuple(found.values())


def _argument(proof: GroupProof, facts: Facts, told_by: ToldBy) -> Argument:
    steps = [
        through_its_queue(proof, facts),
        where_pods_may_run(proof, facts),
        connections_needed(proof),
        what_policies_decide(proof),
        zone_by_zone(proof, facts, told_by),
        every_placement(proof),
        what_forces_it(proof, facts, told_by),
        what_it_rests_on(proof, facts),
    ]
    return Argument(
        proof.group.name,
        proof.group.kind,
        (facts.snapshot.name,),
        proof.exists,
        proof.for_all,
        tuple(step for step in steps if step.statements),
    )
