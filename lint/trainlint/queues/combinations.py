"""Whether any combination of a queue's flavors holds all pods of a job, and whether Kueue comes to it (S 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.kube.meta import read_meta
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.kueue import ClusterQueue
from trainlint.model.queued import QueuedPods
from trainlint.model.workload import Workload
from trainlint.queues.ground import QueueGround
from trainlint.queues.kueue_queues import Queueing
from trainlint.scheduling.kueue.assignment import Assigner
from trainlint.scheduling.kueue.decision import KueueDecision, decide
from trainlint.scheduling.kueue.requested import Team, adjusted, per_pod
from trainlint.workload.kueue_jobs import queued_pods
from trainlint.workload.kueue_pod_sets import TopologyError

__all__ = ["NotAdmitted", "assignment", "refused"]

_MOST: Final = 243


@fact
class NotAdmitted:
    """Why a job is not admitted. ``stuck`` says that a combination of flavors would hold it, and Kueue's search does
    not come to it.
    """

    why: Because
    stuck: bool = False


def refused(queueing: Queueing, queue: ClusterQueue, workload: Workload) -> NotAdmitted | None:
    """Why no combination holds the job, as far as all of it is known; ``None`` where one does, or that is unknown.

    Nodes are not looked at: a topology that has the level may always have room.
    """
    found = _search(queueing, queue, workload)
    if found is None or (queue.cohort and not queueing.closed("ClusterQueue", queueing.queues.cluster)):
        return None
    assigner, teams = found
    possible = assigner.possible(teams, _MOST)
    if possible is None:
        return None
    decided = decide(assigner, teams)
    if decided.admitted:
        return None
    codes = tuple(sorted(decided.codes))
    if possible:
        first = tuple(sorted({flavor for flavors in possible[0].values() for flavor in flavors.values()}))
        return NotAdmitted(Because(QueueGround.NOT_FOUND, (first, codes)), stuck=True)
    return NotAdmitted(Because(QueueGround.NO_COMBINATION, (queue.name, codes)))


def assignment(queueing: Queueing, queue: ClusterQueue, workload: Workload) -> KueueDecision | None:
    """What Kueue decides with the quotas that Git shows; ``None`` where not all of it is known.

    Members of a cohort that are not in Git only lend more: what is admitted without them is admitted with them.
    """
    found = _search(queueing, queue, workload)
    return None if found is None else decide(*found)


def _search(queueing: Queueing, queue: ClusterQueue, workload: Workload) -> tuple[Assigner, Sequence[Team]] | None:
    """What Kueue's search starts from; ``None`` where something of it is not known, or there is nothing to admit."""
    teams = _teams(queueing, workload)
    if not teams or not _is_known(queueing, queue) or all(each.count == 0 for each in teams):
        return None
    assigner = Assigner(queue, queueing.queues, None)
    return (assigner, teams) if assigner.is_known else None


def _is_known(queueing: Queueing, queue: ClusterQueue) -> bool:
    """Whether the flavors of the queue and their topologies are in Git."""
    queues = queueing.queues
    names = [name for group in queue.groups for name in group.flavors]
    if any(name not in queues.flavors or queues.flavors[name].undetermined for name in names):
        return False
    return all(queues.flavors[name].topology in ("", *queues.topologies) for name in names)


def _teams(queueing: Queueing, workload: Workload) -> Sequence[Team] | None:
    """The pod sets as Kueue counts them; ``None`` where something of them is not known."""
    try:
        made = queued_pods(workload.field, read_meta(workload.field), workload.owner, queueing.context)
    except TopologyError:
        return None
    teams = [_team(queueing, workload, each) for each in made or ()]
    found = [each for each in teams if each is not None]
    return found if len(found) == len(teams) else None


def _team(queueing: Queueing, workload: Workload, pods: QueuedPods) -> Team | None:
    admission = queueing.admission
    spec = pods.spec
    if isinstance(pods.count, Undetermined) or spec.undetermined:
        return None
    if spec.runtime_class and spec.runtime_class not in admission.runtime_classes:
        return None
    ranges = admission.limits_of(workload.owner.namespace, workload.field.at)
    requests = per_pod(adjusted(spec, ranges, admission.runtime_classes))
    if requests is None or any(not queueing.is_counted(name) for name in requests):
        return None
    return Team(pods.name, pods.count, spec, requests, pods.least, pods.topology)
