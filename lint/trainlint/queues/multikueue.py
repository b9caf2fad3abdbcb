"""MultiKueue: a manager cluster makes no pods of the jobs that it hands on to worker clusters (S 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.spelling import probably_meant
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.kueue import ClusterQueue
from trainlint.model.workload import ObjectRef, PodSet, Workload
from trainlint.queues.ground import QueueGround, QueueRole
from trainlint.queues.kueue_queues import Queueing
from trainlint.queues.queue_cause import QueueCause
from trainlint.scheduling.kueue.state import multikueue_check
from trainlint.snapshot.objects import ApiObject
from trainlint.workload.managing_controllers import queue_label

__all__ = ["MissingWorker", "handed_on", "missing_workers", "multikueue_causes", "told_workers"]

_MANAGER = "kueue.x-k8s.io/multikueue"


@fact
class MissingWorker:
    """A worker cluster that a MultiKueueConfig names and no MultiKueueCluster defines.

    ``near`` is a name that was probably meant, and empty where there is none; ``others`` are the worker clusters that
    are defined, so that jobs go to them alone. ``certain`` says that every MultiKueueCluster is in Git.
    """

    config: str
    name: str
    at: Location
    others: tuple[str, ...]
    near: str = ""
    certain: bool = False


def missing_workers(queueing: Queueing) -> Iterator[MissingWorker]:
    """The worker clusters that are not there where another one of the same configuration is, so that its check is
    active and the jobs run elsewhere. Without any of them the check is not active, which stops every job.
    """
    remotes = queueing.queues.remotes
    for config in queueing.queues.configs.values():
        others = tuple(each for each in config.clusters if each in remotes)
        if config.undetermined or config.at is None or not others or not queueing.closed("MultiKueueCluster", remotes):
            continue
        for index, name in enumerate(config.clusters):
            if name not in remotes:
                near = probably_meant(name, [each for each in remotes if each not in config.clusters])
                at = config.at.child("spec", "clusters", index)
                yield MissingWorker(config.name, name, at, others, near, queueing.stated("MultiKueueCluster"))


def told_workers(causes: Iterable[QueueCause]) -> frozenset[str]:
    """The worker clusters whose absence is among the reasons why jobs are never admitted."""
    found: set[str] = set()
    for each in causes:
        reasons = each.why.values[0] if each.why.ground is QueueGround.NO_WORKER else ()
        for why in reasons if isinstance(reasons, tuple) else ():
            if isinstance(why, Because) and why.ground is QueueGround.NO_REMOTE:
                found.add(str(why.values[0]))
    return frozenset(found)


Judge = Callable[[Queueing, Workload, tuple[PodSet, ...]], Iterator[QueueCause]]


def handed_on(queueing: Queueing) -> Mapping[ObjectRef, tuple[str, ...]]:
    """The objects of which this cluster makes no pods, each with the worker clusters that may take them: none where
    Git does not name them.
    """
    found: dict[ObjectRef, tuple[str, ...]] = {}
    for workload in queueing.snapshot.workloads.objects:
        spec = workload.field["spec"]
        by = _MANAGER in (spec["managedBy"].scalar, spec.down("runPolicy", "managedBy").scalar)
        queue = _queue(queueing, workload) if queueing.queues.checks else None
        check = None if queue is None else multikueue_check(queue, queueing.queues)
        if by or check is not None:
            found[workload.owner] = _clusters(queueing, queue)
    return found


def multikueue_causes(queueing: Queueing, others: Sequence[Queueing], judge: Judge) -> Iterator[QueueCause]:
    """Why no worker cluster ever takes an object: each that the configuration names lacks what the copy needs.

    A cluster that Git does not describe may take everything.
    """
    if not queueing.queues.checks:
        return
    described = {each.snapshot.settings.cluster or each.snapshot.name: each for each in others}
    for workload in queueing.snapshot.workloads.objects:
        queue = _queue(queueing, workload)
        clusters = _clusters(queueing, queue)
        if queue is None or not clusters:
            continue
        found = [_refused(queueing, described.get(name), name, workload, judge) for name in clusters]
        reasons = [each for each in found if each is not None]
        if len(reasons) == len(clusters):
            yield _cause(workload, queue, reasons)


_Reason = tuple[Because, tuple[tuple[Because, Location], ...], bool]
"""What is wrong in a worker cluster, the places, whether it is certain."""


def _refused(
    queueing: Queueing, there: Queueing | None, cluster: str, workload: Workload, judge: Judge
) -> _Reason | None:
    """Why a worker cluster never takes the object; ``None`` where it may."""
    queues = queueing.queues
    if cluster not in queues.remotes and queueing.closed("MultiKueueCluster", queues.remotes):
        return Because(QueueGround.NO_REMOTE, (cluster,)), (), queueing.stated("MultiKueueCluster")
    if there is None:
        return None
    own = _same(there, workload)
    if own is not None:
        place = (Because(QueueRole.COPY), own.written)
        return Because(QueueGround.OWN_COPY, (cluster, workload.owner)), (place,), True
    name, namespace = workload.pod_sets[0].queue, workload.owner.namespace
    if (namespace, name) not in there.queues.local:
        known = there.queues.local or there.queues.cluster
        if not known or there.snapshot.may_hold_more(namespace):
            return None
        return Because(QueueGround.NO_QUEUE_THERE, (cluster, name, namespace)), (), there.stated("LocalQueue")
    cause = next(judge(there, workload, workload.pod_sets), None)
    if cause is None:
        return None
    return Because(QueueGround.REFUSED_THERE, (cluster, cause.why)), cause.places, cause.certain


def _same(there: Queueing, workload: Workload) -> ApiObject | None:
    """An object of the same kind and name that the worker cluster gets from Git by itself."""
    for each in there.snapshot.objects:
        if each.ref == workload.owner and each.field.document is not workload.field.document:
            return each
    return None


def _cause(workload: Workload, queue: ClusterQueue, reasons: Sequence[_Reason]) -> QueueCause:
    label = queue_label(workload.field).at
    places = tuple(place for each in reasons for place in each[1])
    at_queue = ((Because(QueueRole.HANDS_ON), queue.at.child("spec")),) if queue.at else ()
    return QueueCause(
        workload.owner,
        workload.pod_sets,
        workload.pod_sets[0].queue,
        Because(QueueGround.NO_WORKER, (tuple(each[0] for each in reasons),)),
        label,
        (*places, *at_queue),
        all(each[2] for each in reasons),
    )


def _queue(queueing: Queueing, workload: Workload) -> ClusterQueue | None:
    """The ClusterQueue that an object is admitted by, if it names one that is here."""
    first: PodSet | None = next((each for each in workload.pod_sets if each.queue), None)
    if first is None or is_placeholder(first.queue):
        return None
    return queueing.cluster_queue(first)


def _clusters(queueing: Queueing, queue: ClusterQueue | None) -> tuple[str, ...]:
    """The worker clusters that the queue's check names."""
    check = None if queue is None else multikueue_check(queue, queueing.queues)
    if check is None:
        return ()
    config = queueing.queues.configs.get(queueing.queues.checks[check].parameters[1])
    return () if config is None or config.undetermined else config.clusters
