"""What is judged of one snapshot with a look at the others of its repository."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from trainlint.policy.checks.pods import Unselected
from trainlint.queues.ground import QueueRole
from trainlint.queues.kueue_refusals import QueueCause, causes_of
from trainlint.queues.multikueue import MissingWorker, missing_workers, multikueue_causes, told_workers
from trainlint.references.settings_of_pods import MissingSetting, holds_setting, missing_settings

if TYPE_CHECKING:
    from trainlint.facts.facts import Facts

__all__ = ["RepositoryFacts"]


class RepositoryFacts:
    """What would be wrong in one snapshot, where no other holds what it lacks."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def same_as(self, other: RepositoryFacts) -> bool:
        """Whether what rests on other snapshots is equal."""
        return (
            self.missing_settings == other.missing_settings
            and self.never_admitted == other.never_admitted
            and self.unselected == other.unselected
            and self.missing_workers == other.missing_workers
        )

    @cached_property
    def unselected(self) -> tuple[Unselected, ...]:
        """Policies that select no pod, here or in another snapshot of the repository."""
        found, others = self._facts.mistakes.unselected, self._facts.others
        return tuple(each for each in found if not any(each.origin in other.mistakes.selecting for other in others))

    @cached_property
    def missing_settings(self) -> tuple[MissingSetting, ...]:
        """ConfigMaps, Secrets and keys of them that pods need to start and that no snapshot holds."""
        return tuple(
            each
            for each in missing_settings(self._facts.snapshot)
            if not any(holds_setting(other.snapshot, each) for other in self._facts.others)
        )

    @cached_property
    def never_admitted(self) -> tuple[QueueCause, ...]:
        """Objects that Kueue never admits. Where another snapshot defines their queues otherwise and admits them there,
        it is unknown which of the definitions is meant for them. What another cluster hands on to this one is judged
        there.
        """
        others = [each.queues for each in self._facts.others]
        here = self._facts.queues
        taken = {owner for other in others for owner in other.handed_on}
        own = tuple(
            each
            for each in here.never_admitted_here
            if each.owner in here.handed_on or not (each.owner in taken or any(map(_admits(each), self._facts.others)))
        )
        found = {each.owner for each in own}
        beyond = multikueue_causes(here.queueing, [other.queueing for other in others], causes_of)
        return (*own, *(each for each in beyond if each.owner not in found))

    @cached_property
    def missing_workers(self) -> tuple[MissingWorker, ...]:
        """Worker clusters of MultiKueue that no snapshot defines, and that no job is stopped by."""
        found = tuple(missing_workers(self._facts.queues.queueing))
        if not found:
            return ()
        told = told_workers(self.never_admitted)
        elsewhere = {name for other in self._facts.others for name in other.queues.queueing.queues.remotes}
        return tuple(each for each in found if each.name not in told | elsewhere)


def _admits(cause: QueueCause) -> Callable[[Facts], bool]:
    """Whether a snapshot has the queue of an object that is never admitted in another, and admits it."""
    label = next((at for role, at in cause.places if cause.root and role.ground is QueueRole.NAMES_QUEUE), cause.at)
    return lambda other: (
        other.queues.queueing.knows(label)
        and all(each.owner != cause.owner for each in other.queues.never_admitted_here)
    )
