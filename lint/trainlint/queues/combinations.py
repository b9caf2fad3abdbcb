"""Whether any combination of a queue's flavors holds all pods of a job, and whether Kueue comes to it (S 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.kube.meta import read_meta
from trainlint.model.known import Undetermined
from trainlint.model.kueue import ClusterQueue
from trainlint.model.queued import QueuedPods
from trainlint.model.workload import Workload
from trainlint.queues.queueing import Queueing
from trainlint.scheduling.kueue.assignment import Assigner
from trainlint.scheduling.kueue.decision import decide
from trainlint.scheduling.kueue.match import KueueCode
from trainlint.scheduling.kueue.requested import Team, adjusted, per_pod
from trainlint.workload.kueue_jobs import queued_pods
from trainlint.workload.kueue_pod_sets import TopologyError

__all__ = ["NotAdmitted", "refused"]

_MOST: Final = 243
_WORDS: Final = {
    KueueCode.AFFINITY: "their node selectors do not match the labels of a flavor",
    KueueCode.AFFINITY_INVALID: "their node affinity cannot be read",
    KueueCode.FLAVOR_NOT_TAS: "they ask for a topology, and a flavor has none",
    KueueCode.FLAVOR_ONLY_TAS: "they ask for no topology, and a flavor takes only pods that do",
    KueueCode.LEVEL_MISSING: "the level that they ask for is none of a flavor's topology",
    KueueCode.NO_TAS_FLAVOR: "a pod set requests nothing, so that it gets no flavor whose topology would place it",
    KueueCode.NO_LONGER_FITS: "a leader requests nothing",
    KueueCode.QUOTA: "a flavor has too little quota for them",
    KueueCode.SEVERAL_TAS_FLAVORS: "a pod set would get two flavors with a topology",
    KueueCode.TAINT: "they do not tolerate the taint of a flavor",
    KueueCode.UNCOVERED: "a resource is covered by no group",
}
_REMEDIES: Final = {
    KueueCode.NO_TAS_FLAVOR: "let every pod set request something that the queue covers",
    KueueCode.FLAVOR_ONLY_TAS: "let all flavors of the queue have a topology, or let the pods ask for one",
    KueueCode.FLAVOR_NOT_TAS: "let the flavors of one resource group have topologies, all of them",
    KueueCode.LEVEL_MISSING: "name a level of the flavor's topology",
    KueueCode.SEVERAL_TAS_FLAVORS: "put the resources into one resource group",
}


@fact
class NotAdmitted:
    """Why a job is not admitted. ``stuck`` says that a combination of flavors would hold it, and Kueue's search does
    not come to it.
    """

    reason: str
    remedy: str
    stuck: bool = False


def refused(queueing: Queueing, queue: ClusterQueue, workload: Workload) -> NotAdmitted | None:
    """Why no combination holds the job, as far as all of it is known; ``None`` where one does, or that is unknown.

    Nodes are not looked at: a topology that has the level may always have room.
    """
    teams = _teams(queueing, workload)
    if not teams or not _is_known(queueing, queue):
        return None
    assigner = Assigner(queue, queueing.queues, None)
    if not assigner.is_known or all(each.count == 0 for each in teams):
        return None
    possible = assigner.possible(teams, _MOST)
    if possible is None:
        return None
    found = decide(assigner, teams)
    if found.admitted:
        return None
    why = "; ".join(_WORDS[code] for code in sorted(found.codes) if code in _WORDS)
    if possible:
        first = ", ".join(sorted({flavor for flavors in possible[0].values() for flavor in flavors.values()}))
        reason = (
            f"its flavors hold the job ({first} together), and Kueue does not find that out: it goes on behind the "
            f"flavor at which it stopped ({why})"
        )
        return NotAdmitted(
            reason, "let one flavor hold all pod sets, or put the flavors into another order", stuck=True
        )
    remedy = next((_REMEDIES[code] for code in sorted(found.codes) if code in _REMEDIES), "")
    return NotAdmitted(
        f"no flavors of the ClusterQueue {queue.name} hold all pod sets together: {why}",
        remedy or "raise the quota of a flavor that takes them, or let the pods fit another one",
    )


def _is_known(queueing: Queueing, queue: ClusterQueue) -> bool:
    """Whether everything that decides is in Git."""
    queues = queueing.queues
    names = [name for group in queue.groups for name in group.flavors]
    if any(name not in queues.flavors or queues.flavors[name].undetermined for name in names):
        return False
    if any(queues.flavors[name].topology not in ("", *queues.topologies) for name in names):
        return False
    return not queue.cohort or queueing.closed("ClusterQueue", queues.cluster)


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
