"""A job that its queueing system does not see."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Fix, Location
from trainlint.model.because import Because
from trainlint.model.workload import ObjectRef, PodSet

__all__ = ["MissedQueue"]


@fact
class MissedQueue:
    """What keeps a job from its queue, and where that stands. ``system`` is Kueue, KAI or Volcano.

    ``seen`` says that the system sees the job, and not the queue that it is meant for. ``others`` is the number of
    other objects with the same cause. ``of_key`` says that the key at the place is wrong. ``assumes`` is what Git does
    not say.
    """

    system: str
    owner: ObjectRef
    pod_sets: tuple[PodSet, ...]
    why: Because
    at: Location
    places: tuple[tuple[Because, Location], ...] = ()
    fixes: tuple[Fix, ...] = ()
    of_key: bool = False
    seen: bool = False
    assumes: Because | None = None
    others: int = 0
