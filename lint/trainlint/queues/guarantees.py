"""What Volcano keeps free for other queues below one parent, and so takes from a queue.

As volcano-sh/volcano:pkg/scheduler/plugins/capacity/capacity.go decides with hierarchical queues.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.scheduler_queue import SchedulerQueue

__all__ = ["SharedCapability", "shares"]


@fact
class SharedCapability:
    """What a parent has left of a resource for one of the queues below it, in thousandths of cpu or whole units.

    ``guaranteed`` is what is kept free for the ``others``, its other children.
    """

    parent: SchedulerQueue
    resource: str
    most: int
    guaranteed: int
    others: tuple[SchedulerQueue, ...]

    @property
    def left(self) -> int:
        """The most that the queue may use, in thousandths of cpu or whole units."""
        return max(0, self.most - self.guaranteed)

    @property
    def kept_at(self) -> tuple[Location, ...]:
        """Where each of the others says what is kept free for it."""
        found = (each.places.get(f"guarantee {self.resource}", each.at) for each in self.others)
        return tuple(each for each in found if each is not None)


def shares(queue: SchedulerQueue, known: Mapping[str, SchedulerQueue]) -> Iterator[SharedCapability]:
    """What each parent with guarantees leaves, of every resource that it limits, the lowest parent first."""
    below, seen = queue, {queue.name}
    while isinstance(below.parent, str) and below.parent in known and below.parent not in seen:
        parent = known[below.parent]
        seen.add(parent.name)
        for resource, most in parent.limits.items():
            others = tuple(each for each in known.values() if _is_beside(each, below) and _guaranteed(each, resource))
            if isinstance(most, int) and others:
                kept = sum(_guaranteed(each, resource) for each in others)
                yield SharedCapability(parent, resource, most, kept, others)
        below = parent


def _is_beside(each: SchedulerQueue, queue: SchedulerQueue) -> bool:
    return each.parent == queue.parent and each.name != queue.name


def _guaranteed(queue: SchedulerQueue, resource: str) -> int:
    """What is guaranteed to a queue; an amount that is not known counts as nothing."""
    amount = queue.guarantees.get(resource, 0)
    return amount if isinstance(amount, int) else 0
