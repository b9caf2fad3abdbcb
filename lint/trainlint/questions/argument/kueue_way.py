"""The way of a job through Kueue: its queues and their cohorts, what it asks for, and what each flavor has."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.kueue import ClusterQueue, LocalQueue, Quota, ResourceGroup
from trainlint.model.quantity import Amount
from trainlint.model.workload import PodSet, Workload
from trainlint.questions.argument.step import Statement, statement
from trainlint.questions.argument.way import QueueWay
from trainlint.queues.combinations import assignment
from trainlint.queues.kueue_queues import Queueing
from trainlint.scheduling.kueue.capacity import most
from trainlint.scheduling.kueue.decision import KueueDecision
from trainlint.wording.listing import listed
from trainlint.wording.texts.argument import Phrase
from trainlint.workload.managing_controllers import queue_label

__all__ = ["kueue_way"]


def kueue_way(workload: Workload, facts: Facts) -> QueueWay | None:
    """How Kueue decides about an object; ``None`` where it names no queue of Kueue and none keeps it out."""
    queueing = facts.queues.queueing
    pods = tuple(each for each in workload.pod_sets if each.queue and each.replicas != 0)
    causes = [each for each in facts.repository.never_admitted if each.owner == workload.owner]
    unseen = [each for each in facts.queues.missed if each.owner == workload.owner and each.system == "Kueue"]
    if not pods and not causes and not unseen:
        return None
    below: list[Statement] = []
    if pods:
        local = queueing.queues.local.get((pods[0].namespace, pods[0].queue))
        queue = queueing.cluster_queue(pods[0])
        below += _stops(queueing, pods[0], local, queue)
        if queue is not None and workload.owner not in facts.queues.handed_on:
            below += [each for own in pods for each in _asked(queueing, own, queue)]
    verdict, said = Phrase.ADMITTED_IF, tuple[Statement, ...]()
    if causes:
        verdict = Phrase.NEVER_ADMITTED if causes[0].certain and not causes[0].stuck else Phrase.ADMITTED_IF
        never = verdict is Phrase.NEVER_ADMITTED
        said = (statement(Phrase.VERDICT, never, causes[0].why, places=(causes[0].at, *_places(causes[0].places))),)
    elif unseen:
        said = (statement(Phrase.UNSEEN, "Kueue", unseen[0].why, places=(unseen[0].at,)),)
    elif workload.owner in facts.queues.handed_on:
        said = (statement(Phrase.HANDED_ON, listed(facts.queues.handed_on[workload.owner])),)
    else:
        verdict, said = _decided(queueing, workload, pods)
    label = queue_label(workload.field)
    title = statement(
        Phrase.GOES_INTO, workload.owner, "LocalQueue", pods[0].queue if pods else "", "", places=(label.at,)
    )
    return QueueWay(verdict, Statement(title.text, title.places, (*below, *said)))


def _stops(
    queueing: Queueing, pods: PodSet, local: LocalQueue | None, queue: ClusterQueue | None
) -> Iterator[Statement]:
    if local is None:
        yield statement(Phrase.NOT_IN_GIT, "LocalQueue", f"{pods.namespace}/{pods.queue}")
        return
    at = (local.at.child("spec", "clusterQueue"),) if local.at is not None else ()
    if isinstance(local.cluster_queue, Undetermined):
        yield statement(Phrase.NOT_KNOWN, local.cluster_queue.why, places=at)
        return
    yield statement(Phrase.LEADS_TO, local.cluster_queue, places=at)
    if queue is None:
        yield statement(Phrase.NOT_IN_GIT, "ClusterQueue", local.cluster_queue)
        return
    what, name, above, place = "ClusterQueue", queue.name, queue.cohort, queue.at
    seen: set[str] = set()
    while above and above not in seen:
        seen.add(above)
        shown = () if place is None else (place.child("spec"),)
        yield statement(Phrase.IN_COHORT, what, name, above, places=shown)
        cohort = queueing.queues.cohorts.get(above)
        if cohort is None:
            return
        what, name, above, place = "cohort", cohort.name, cohort.parent, cohort.at


def _asked(queueing: Queueing, pods: PodSet, queue: ClusterQueue) -> Iterator[Statement]:
    """Of each resource: how much the pods need together, and what each flavor has of it."""
    if not isinstance(pods.replicas, int):
        return
    for resource, amount in queueing.requests(pods).items():
        if not isinstance(amount, int):
            continue
        group = next((each for each in queue.groups if resource in each.covered), None)
        needed = amount * pods.replicas
        below = (
            (statement(Phrase.NOT_COVERED, queue.name, places=(queue.at,) if queue.at is not None else ()),)
            if group is None
            else tuple(_flavors(queueing, pods, queue, group, resource, needed))
        )
        yield statement(
            Phrase.ASKS,
            pods.replicas,
            pods.replicas != 1,
            pods.name,
            Amount(resource, needed),
            resource,
            places=(queueing.place_of(pods, resource),),
            below=below,
        )


def _flavors(
    queueing: Queueing, pods: PodSet, queue: ClusterQueue, group: ResourceGroup, resource: str, needed: int
) -> Iterator[Statement]:
    whole = not queue.cohort or queueing.closed("ClusterQueue", queueing.queues.cluster)
    for name, quotas in group.flavors.items():
        flavor = queueing.queues.flavors.get(name)
        if flavor is None:
            yield statement(Phrase.NOT_IN_GIT, "ResourceFlavor", name)
            continue
        why = None if flavor.undetermined else queueing.mismatch(pods, flavor)
        if why is not None:
            yield statement(Phrase.FLAVOR_REFUSES, name, why, places=(flavor.at,) if flavor.at is not None else ())
            continue
        quota = quotas.get(resource)
        held = most(queue, name, resource, queueing.queues, alone=True)
        places = (quota.at,) if quota is not None and quota.at is not None else ()
        if held is None:
            yield statement(Phrase.LIMIT_UNKNOWN, name, "quota", places=places)
            continue
        own, lent = _own(quota), Amount(resource, held)
        both = (bool(queue.cohort and whole), lent, not whole, held >= needed)
        yield statement(Phrase.FLAVOR_HAS, name, own, *both, places=places)


def _own(quota: Quota | None) -> str:
    return "0" if quota is None else str(quota.nominal)


def _decided(queueing: Queueing, workload: Workload, pods: tuple[PodSet, ...]) -> tuple[Phrase, tuple[Statement, ...]]:
    """The verdict where nothing keeps the job out for certain."""
    queue = queueing.cluster_queue(pods[0])
    if queue is None:
        return Phrase.ADMITTED_IF, ()
    found = assignment(queueing, queue, Workload(workload.owner, workload.api_version, pods, workload.field))
    if found is None or not found.admitted:
        return Phrase.ADMITTED_IF, ()
    said = tuple(_gets(found))
    if queue.checks:
        waits = statement(Phrase.CHECKS, len(queue.checks) > 1, listed(queue.checks))
        return Phrase.ADMITTED_IF, (*said, waits)
    return Phrase.ADMITTED, said


def _gets(found: KueueDecision) -> Iterator[Statement]:
    for name, flavors in (found.flavors or {}).items():
        if flavors:
            yield statement(Phrase.GETS, name, listed(flavors.values()))


def _places(places: tuple[tuple[Because, Location], ...]) -> tuple[Location, ...]:
    return tuple(at for _, at in places)
