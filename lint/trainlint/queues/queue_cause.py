"""Why Kueue never admits the pods of an object."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Fix, Location
from trainlint.model.because import Because
from trainlint.model.workload import ObjectRef, PodSet

__all__ = ["QueueCause"]


@fact
class QueueCause:
    """Why the pods of an object are never admitted. ``places`` say where, with the role of each.

    ``stuck`` says that flavors would hold them, and Kueue's search does not come to these.
    ``root`` says that ``at`` is in the queue, whose fault it is, so that one finding is about all objects of the queue.
    """

    owner: ObjectRef
    pod_sets: tuple[PodSet, ...]
    queue: str
    why: Because
    at: Location
    places: tuple[tuple[Because, Location], ...] = ()
    certain: bool = True
    fixes: tuple[Fix, ...] = ()
    root: bool = False
    stuck: bool = False
