"""Objects that Kueue suspends although they name no queue (S 2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.model.because import Because
from trainlint.model.workload import PodSet, Workload
from trainlint.queues.ground import QueueGround, QueueRole
from trainlint.queues.kueue_queues import Queueing
from trainlint.queues.queue_cause import QueueCause
from trainlint.workload.kinds import kind_of
from trainlint.workload.managing_controllers import manages

__all__ = ["unqueued"]

DEFAULT_QUEUE: Final = "default"
OWN_NAMESPACES: Final = frozenset({"kube-system", "kueue-system"})
"""Where it suspends nothing by default (managedJobsNamespaceSelector)."""


def unqueued(queueing: Queueing, workload: Workload, pods: tuple[PodSet, ...]) -> Iterator[QueueCause]:
    """An object that names no queue, where Kueue suspends all objects of its kind until it admits them.

    A LocalQueue of the name ``default`` takes those of its namespace
    (kubernetes-sigs/kueue:pkg/controller/jobframework/defaults.go).
    """
    manager, namespace = queueing.snapshot.settings.kueue, workload.owner.namespace
    if manager is None or not manager.all_jobs or not manages(manager, workload.api_version, workload.owner.kind):
        return
    kind = kind_of(workload)
    if (kind is not None and kind.by_pods) or (namespace, DEFAULT_QUEUE) in queueing.queues.local:
        return
    names = [name for home, name in queueing.queues.local if home == namespace]
    selector = manager.namespaces
    excluded = namespace in OWN_NAMESPACES if selector is None else not queueing.selects(selector, namespace)
    if excluded or not queueing.closed("LocalQueue", names, namespace):
        return
    yield QueueCause(
        workload.owner,
        pods,
        "",
        Because(QueueGround.NO_NAME, (names[0] if names else "",)),
        workload.field["metadata"].at,
        ((Because(QueueRole.SUSPENDS), manager.at),) if manager.at else (),
        queueing.stated("LocalQueue"),
    )
