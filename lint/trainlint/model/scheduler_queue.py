"""Queues of schedulers that admit whole jobs: Volcano's and KAI's (S 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.known import Known

__all__ = ["COSCHEDULED", "KAI_QUEUES", "VOLCANO_QUEUES", "QueueName", "SchedulerQueue"]

VOLCANO_QUEUES = "Volcano"
KAI_QUEUES = "KAI"
COSCHEDULED = "coscheduling"
"""The plugin of scheduler-plugins, which has gangs and no queues."""


@fact
class SchedulerQueue:
    """A Queue of ``system`` (Volcano or KAI).

    ``limits`` are the most that its jobs may use together, ``quotas`` what it is sure of (KAI: jobs that cannot be
    preempted stay within it); both by resource, cpu in thousandths, everything else in whole units; what has no limit
    is left out. ``unwritten`` are the limits and quotas (``limit cpu``) that are 0, as none is written. ``closed`` is
    its state where that is not open. ``parent`` is empty for a root. ``guarantees`` is what Volcano keeps free for it.
    """

    system: str
    name: str
    parent: Known[str] = ""
    closed: str = ""
    limits: Mapping[str, Known[int]] = field(default_factory=dict)
    quotas: Mapping[str, Known[int]] = field(default_factory=dict)
    guarantees: Mapping[str, Known[int]] = field(default_factory=dict)
    unwritten: frozenset[str] = frozenset()
    places: Mapping[str, Location] = field(default_factory=dict, compare=False, repr=False)
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class QueueName:
    """Which queue an object's pods are for. ``at`` is where that is written; ``written`` is false for a default.

    ``doubt`` is what must hold, beside what Git says, for the queue to count.
    """

    system: str
    name: Known[str]
    at: Location = field(compare=False)
    written: bool = True
    doubt: Because | None = None
