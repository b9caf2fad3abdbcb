"""The way of a job through the queues of Volcano or KAI: the queue and those above it, what the gang needs, limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.facts.facts import Facts
from trainlint.kube.values import known_text
from trainlint.model.known import Undetermined
from trainlint.model.quantity import Amount
from trainlint.model.scheduler_queue import VOLCANO_QUEUES, QueueName, SchedulerQueue
from trainlint.model.workload import ObjectRef, Workload
from trainlint.questions.argument.step import Statement, statement
from trainlint.questions.argument.way import QueueWay
from trainlint.queues.gang_needs import GangNeeds
from trainlint.queues.guarantees import SharedCapability, shares
from trainlint.source.document import Field
from trainlint.wording.texts.argument import Phrase
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.podgroups import VOLCANO, PodGroup

__all__ = ["scheduler_way"]


def scheduler_way(workload: Workload, facts: Facts) -> QueueWay | None:
    """How Volcano or KAI decides about an object; ``None`` where neither places its pods, or Git has no queue of it."""
    queues = facts.queues.scheduler_queues
    name, group = _named(workload, facts)
    if name is None or not queues.queues[name.system]:
        return None
    owner = ObjectRef(workload.owner.kind.partition(".")[0], workload.owner.namespace, workload.owner.name)
    causes = [each for each in facts.queues.refusals if each.owner == owner]
    known = queues.known(name.system, workload.field.document.file)
    chain = tuple(_chain(name, known))
    kept = tuple(shares(chain[0], known)) if chain else ()
    below = [*_stops(name, chain, known), *_asked(facts, name, chain, kept, workload, group)]
    verdict = Phrase.ADMITTED if chain and name.doubt is None else Phrase.ADMITTED_IF
    if causes:
        first = causes[0]
        verdict = Phrase.NEVER_ADMITTED if first.certain else Phrase.ADMITTED_IF
        places = (first.at, *(at for _, at in first.places))
        below.append(statement(Phrase.VERDICT, first.certain, first.why, places=places))
    if name.doubt is not None:
        below.append(statement(Phrase.NOT_KNOWN, name.doubt))
    shown = "" if isinstance(name.name, Undetermined) else name.name
    title = statement(Phrase.GOES_INTO, owner, f"{name.system} queue", shown, not name.written, places=(name.at,))
    return QueueWay(verdict, Statement(title.text, title.places, tuple(below)))


def _named(workload: Workload, facts: Facts) -> tuple[QueueName | None, Field | None]:
    """The queue that an object or its PodGroup names, with that PodGroup."""
    for each in facts.snapshot.objects:
        if each.meta.kind == "PodGroup" and each.meta.api_group == VOLCANO:
            group, queue = PodGroup(each.meta, each.field), each.field.down("spec", "queue")
            if queue.present and any(group.holds(own, template_of(workload, own)) for own in workload.pod_sets):
                return QueueName(VOLCANO_QUEUES, known_text(queue), queue.at), each.field
    return facts.queues.scheduler_queues.named(workload), None


def _chain(name: QueueName, known: Mapping[str, SchedulerQueue]) -> Iterator[SchedulerQueue]:
    """The queue and those above it, as far as Git holds them."""
    seen: set[str] = set()
    each = None if isinstance(name.name, Undetermined) else known.get(name.name)
    while each is not None and each.name not in seen:
        seen.add(each.name)
        yield each
        each = known.get(each.parent) if isinstance(each.parent, str) else None


def _stops(
    name: QueueName, chain: tuple[SchedulerQueue, ...], known: Mapping[str, SchedulerQueue]
) -> Iterator[Statement]:
    if isinstance(name.name, Undetermined):
        yield statement(Phrase.NOT_KNOWN, name.name.why)
    elif not chain:
        yield statement(Phrase.NOT_IN_GIT, "queue", name.name)
    for queue in chain:
        if queue.parent and isinstance(queue.parent, str):
            places = (queue.at.child("spec"),) if queue.at is not None else ()
            yield statement(Phrase.BELOW_QUEUE, queue.name, queue.parent, places=places)
            if queue.parent not in known and queue.parent != "root":
                yield statement(Phrase.NOT_IN_GIT, "queue", queue.parent)


def _asked(
    facts: Facts,
    name: QueueName,
    chain: tuple[SchedulerQueue, ...],
    kept: tuple[SharedCapability, ...],
    workload: Workload,
    group: Field | None,
) -> Iterator[Statement]:
    """Of each resource: how much the gang needs at least, the limits on its way, and what is kept free for others."""
    queueing = facts.queues.queueing
    needs = GangNeeds(queueing, workload, group)
    word = "capability" if name.system == VOLCANO_QUEUES else "limit"
    for resource in dict.fromkeys(each for pods in workload.pod_sets for each in queueing.requests(pods)):
        least = needs.least(resource)
        places = dict.fromkeys(
            queueing.place_of(pods, resource) for pods in workload.pod_sets if resource in queueing.requests(pods)
        )
        limits = tuple(_limit(queue, resource, least, word) for queue in chain)
        below = (*limits, *(_kept(share, least) for share in kept if share.resource == resource))
        yield statement(
            Phrase.GANG_ASKS,
            needs.together > 0,
            needs.together,
            Amount(resource, least),
            resource,
            places=tuple(places),
            below=below,
        )


def _limit(queue: SchedulerQueue, resource: str, least: int, word: str) -> Statement:
    limit = queue.limits.get(resource)
    at = queue.places.get(resource)
    if limit is None:
        return statement(
            Phrase.NO_LIMIT, queue.name, word, resource, places=(queue.at,) if queue.at is not None else ()
        )
    places = (at,) if at is not None else ()
    if isinstance(limit, Undetermined):
        return statement(Phrase.LIMIT_UNKNOWN, queue.name, word, places=places)
    return statement(Phrase.QUEUE_HAS, queue.name, word, Amount(resource, limit), limit >= least, places=places)


def _kept(share: SharedCapability, least: int) -> Statement:
    """What the other queues below a parent keep for themselves, with the line of each guarantee."""
    resource = share.resource
    amounts = tuple(Amount(resource, each) for each in (share.guaranteed, share.most, share.left))
    names = ", ".join(each.name for each in share.others)
    values = (share.parent.name, amounts[0], amounts[1], resource, names, amounts[2], share.left >= least)
    return statement(Phrase.KEPT_FOR, *values, places=share.kept_at)
