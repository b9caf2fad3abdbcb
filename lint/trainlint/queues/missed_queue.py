"""A job that its queueing system does not see."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Fix, Location
from trainlint.model.workload import ObjectRef, PodSet

__all__ = ["MissedQueue"]


@fact
class MissedQueue:
    """``text`` says what keeps the job from its queue and what becomes of it; ``at`` is where that stands.

    ``of_key`` says that the key there is wrong. ``assumes`` is what Git does not say.
    """

    owner: ObjectRef
    pod_sets: tuple[PodSet, ...]
    text: str
    remedy: str
    at: Location
    places: tuple[tuple[str, Location], ...] = ()
    fixes: tuple[Fix, ...] = ()
    of_key: bool = False
    assumes: str = ""
