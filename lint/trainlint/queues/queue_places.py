"""Where a queue says what keeps pods out, as related places, and how it would let all namespaces in."""

from __future__ import annotations

from trainlint.finding import Fix, Location, Put
from trainlint.model.because import Because
from trainlint.model.kueue import ClusterQueue, LocalQueue
from trainlint.queues.ground import QueueRole

__all__ = ["for_all_namespaces", "place_of", "spec_of"]


def for_all_namespaces(queue: ClusterQueue) -> tuple[Fix, ...]:
    """A selector of all namespaces, for a ClusterQueue that has none."""
    if queue.at is None:
        return ()
    edit = Put(queue.at.child("spec", "namespaceSelector"), {}, ("resourceGroups",))
    return (Fix(f"let all namespaces use the ClusterQueue {queue.name}", (edit,)),)


def place_of(queue: ClusterQueue, *steps: str) -> tuple[tuple[Because, Location], ...]:
    """The place in a ClusterQueue that never admits the pods."""
    return ((Because(QueueRole.CLUSTER_QUEUE), queue.at.child("spec", *steps)),) if queue.at else ()


def spec_of(queue: LocalQueue, *steps: str) -> tuple[tuple[Because, Location], ...]:
    """The place in the LocalQueue of the pods."""
    return ((Because(QueueRole.LOCAL_QUEUE), queue.at.child("spec", *steps)),) if queue.at else ()
