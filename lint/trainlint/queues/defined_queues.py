"""The queues of Volcano and KAI that a snapshot holds, each with all its definitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trainlint.kube.scheduler_queue import QUEUE_KINDS, read_queue
from trainlint.kube.values import is_placeholder
from trainlint.model.scheduler_queue import KAI_QUEUES, VOLCANO_QUEUES, SchedulerQueue
from trainlint.snapshot.objects import ApiObject

__all__ = ["as_one", "defined_queues"]


def defined_queues(objects: Iterable[ApiObject]) -> Mapping[str, Mapping[str, Sequence[SchedulerQueue]]]:
    """The queues among some objects, by system and name: several of a name where files differ."""
    found: dict[str, dict[str, list[SchedulerQueue]]] = {VOLCANO_QUEUES: {}, KAI_QUEUES: {}}
    for each in objects:
        if each.meta.kind in QUEUE_KINDS and each.meta.name and not is_placeholder(each.meta.name):
            queue = read_queue(each.field)
            if queue is not None:
                found[queue.system].setdefault(queue.name, []).append(queue)
    return found


def as_one(definitions: Sequence[SchedulerQueue]) -> SchedulerQueue:
    """The queue that some definitions of one name stand for; one of which nothing more is known where they differ, as
    it is not known which one counts.
    """
    first = definitions[0]
    return first if all(each == first for each in definitions) else SchedulerQueue(first.system, first.name)
