"""The step about queues: the way of each object of the group through its own, and whether that lets it in."""

from __future__ import annotations

from typing import Final

from trainlint.facts.facts import Facts
from trainlint.model.because import Because
from trainlint.proof.group import GroupProof
from trainlint.questions.argument.kueue_way import kueue_way
from trainlint.questions.argument.scheduler_way import scheduler_way
from trainlint.questions.argument.step import Step
from trainlint.wording.because import because_text
from trainlint.wording.texts.argument import Phrase

__all__ = ["through_its_queue"]

_WORST_FIRST: Final = (Phrase.NEVER_ADMITTED, Phrase.ADMITTED_IF, Phrase.ADMITTED)


def through_its_queue(proof: GroupProof, facts: Facts) -> Step:
    """Queues from the one that the job names up to the last above it, what is needed and what is there."""
    owners = {each.owner for each in proof.group.members}
    objects = [each for each in facts.snapshot.workloads.objects if each.owner in owners]
    tried = [way(each, facts) for each in objects for way in (kueue_way, scheduler_way)]
    found = [each for each in tried if each is not None]
    verdict = next((each for each in _WORST_FIRST if any(way.verdict is each for way in found)), Phrase.ADMITTED)
    return Step(because_text(Because(Phrase.QUEUE, (verdict,))), tuple(way.said for way in found))
