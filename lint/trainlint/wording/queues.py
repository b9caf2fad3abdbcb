"""Jobs that a queueing system does not see, or never starts, in words."""

from __future__ import annotations

from typing import Final

from trainlint.model.scheduler_queue import COSCHEDULED, KAI_QUEUES, VOLCANO_QUEUES
from trainlint.queues.missed_queue import MissedQueue
from trainlint.queues.queue_refusals import QueueRefusal
from trainlint.wording.because import because_text

__all__ = ["missed_text", "never_started"]

_EFFECT: Final = {
    VOLCANO_QUEUES: "Volcano never starts",
    KAI_QUEUES: "KAI never schedules",
    COSCHEDULED: "the coscheduling plugin never starts the pods of",
}


def missed_text(cause: MissedQueue) -> str:
    """What keeps a job from its queue, and what becomes of it."""
    what = "the queue of " if cause.seen else ""
    more = f" and {cause.others} more" if cause.others else ""
    return f"{cause.system} does not see {what}{cause.owner}{more}: {because_text(cause.why)}"


def never_started(cause: QueueRefusal) -> str:
    """What becomes of the job, and why."""
    return f"{_EFFECT[cause.system]} {cause.owner}: {because_text(cause.why)}"
