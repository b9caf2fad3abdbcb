"""Why Volcano or KAI never starts the pods of an object: its queue is not there, takes no jobs, or is too small."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Fix, Location, Put
from trainlint.kube.spelling import probably_meant
from trainlint.kube.values import is_placeholder, known_text
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.quantity import Amount
from trainlint.model.scheduler_queue import KAI_QUEUES, VOLCANO_QUEUES, QueueName, SchedulerQueue
from trainlint.model.workload import ObjectRef, PodSet, Workload
from trainlint.queues.defined_queues import as_one, defined_queues
from trainlint.queues.gang_needs import GangNeeds
from trainlint.queues.ground import QueueGround, QueueRole
from trainlint.queues.guarantees import SharedCapability, shares
from trainlint.queues.kueue_queues import Queueing
from trainlint.queues.preemption import is_preemptible
from trainlint.source.document import Field
from trainlint.source.examples import is_for
from trainlint.workload.operator_gangs import gang_scheduler
from trainlint.workload.pod_manifest import template_of
from trainlint.workload.podgroups import VOLCANO, PodGroup
from trainlint.workload.queue_names import VOLCANO_ANNOTATION, VOLCANO_DEFAULT, QueueDoubt, queue_name

__all__ = ["QueueRefusal", "SchedulerQueues"]

_BUILT_IN: Final = {
    VOLCANO_QUEUES: frozenset({"default", "root"}),
    KAI_QUEUES: frozenset({"default-queue", "default-parent-queue"}),
}
"""Queues that the installation makes."""


@fact
class QueueRefusal:
    """Why the pods of an object are never started; ``places`` say where, with the role of each.

    ``system`` is VOLCANO_QUEUES, KAI_QUEUES or COSCHEDULED. ``doubt`` is what must hold, beside what Git says.
    """

    owner: ObjectRef
    pod_sets: tuple[PodSet, ...]
    queue: str
    system: str
    why: Because
    at: Location
    places: tuple[tuple[Because, Location], ...] = ()
    certain: bool = True
    doubt: Because | None = None
    fixes: tuple[Fix, ...] = ()


class SchedulerQueues:
    """The queues of Volcano and KAI in a snapshot, and what they make of its objects."""

    def __init__(self, queueing: Queueing) -> None:
        self._queueing = queueing
        self._snapshot = queueing.snapshot

    @cached_property
    def queues(self) -> Mapping[str, Mapping[str, Sequence[SchedulerQueue]]]:
        """The queues of the snapshot, by system and name, with all definitions of each."""
        return defined_queues(self._snapshot.objects)

    @cached_property
    def schedulers(self) -> Mapping[str, str | None]:
        """The scheduler for which the operators make PodGroups, by the API version of their jobs; ``None`` for an
        operator that makes none.
        """
        objects = self._snapshot.workloads.objects
        return {
            "kubeflow.org/v1": gang_scheduler(objects, "training-operator", "gang-scheduler-name"),
            "kubeflow.org/v2beta1": gang_scheduler(objects, "mpi-operator", "gang-scheduling"),
        }

    def refusals(self) -> Iterator[QueueRefusal]:
        """The first reason for each object; nothing where Git holds no queue of the system."""
        if not any(self.queues.values()):
            return
        for workload in self._snapshot.workloads.objects:
            if workload.field.document.file in self._snapshot.unrendered:
                continue
            name = self.named(workload)
            if name is not None and not isinstance(name.name, Undetermined):
                yield from self._of_object(workload, name, name.name)
        for each in self._snapshot.objects:
            if each.meta.kind == "PodGroup" and each.meta.api_group == VOLCANO and self.queues[VOLCANO_QUEUES]:
                yield from list(self._of_group(PodGroup(each.meta, each.field)))[:1]

    def named(self, workload: Workload) -> QueueName | None:
        """The queue that an object's pods wait in; ``None`` where a PodGroup names it, or neither places it."""
        name = queue_name(workload, self.schedulers)
        if name is not None and name.system == VOLCANO_QUEUES and name.name == VOLCANO_DEFAULT:
            return self._of_namespace(name, workload.owner.namespace)
        return name

    def _of_object(self, workload: Workload, name: QueueName, queue: str) -> Iterator[QueueRefusal]:
        if self.known(name.system, workload.field.document.file):
            yield from list(_Case(self, self._queueing, workload, name, queue).causes())[:1]

    def known(self, system: str, file: str) -> Mapping[str, SchedulerQueue]:
        """The queues that may be meant for the objects of a file: those of an example are for what lies beside them.

        What Git says of a queue that the installation makes is true of a cluster that is known, and else for what lies
        in the same directory: whether it is applied there is not known.
        """
        found = {
            name: [each for each in definitions if self._counts(each, file)]
            for name, definitions in self.queues[system].items()
        }
        return {name: as_one(definitions) for name, definitions in found.items() if definitions}

    def _counts(self, queue: SchedulerQueue, file: str) -> bool:
        if queue.at is None:
            return True
        if queue.name in _BUILT_IN[queue.system] and not self._snapshot.settings.cluster:
            return posixpath.dirname(queue.at.file) == posixpath.dirname(file)
        return is_for(queue.at.file, file)

    def _of_namespace(self, name: QueueName, namespace: str) -> QueueName:
        """Volcano's webhook gives jobs of the queue ``default`` the queue that their namespace names, if it does."""
        for each in self._snapshot.objects:
            if each.meta.kind == "Namespace" and each.meta.name == namespace:
                written = each.field.down("metadata", "annotations", VOLCANO_ANNOTATION)
                return QueueName(VOLCANO_QUEUES, known_text(written), written.at) if written.present else name
        return replace(name, doubt=Because(QueueDoubt.NAMESPACE, (namespace,)))

    def _of_group(self, group: PodGroup) -> Iterator[QueueRefusal]:
        """A PodGroup of Volcano names the queue of its pods, and may say what they need at least."""
        queue = group.field.down("spec", "queue")
        if not queue.present or is_placeholder(queue.scalar or ""):
            return
        for workload in self._snapshot.workloads.objects:
            pods = tuple(each for each in workload.pod_sets if group.holds(each, template_of(workload, each)))
            if pods and self.known(VOLCANO_QUEUES, group.field.document.file):
                own = Workload(workload.owner, workload.api_version, pods, workload.field)
                name = QueueName(VOLCANO_QUEUES, queue.scalar or "", queue.at)
                yield from _Case(self, self._queueing, own, name, queue.scalar or "", group.field).causes()


@fact(eq=False)
class _Case:
    """One object and the queue that it is for."""

    queues: SchedulerQueues
    queueing: Queueing
    workload: Workload
    name: QueueName
    queue: str
    group: Field | None = None

    def causes(self) -> Iterator[QueueRefusal]:
        """Every reason why its pods never start, the most basic first."""
        known = self.queues.known(self.name.system, self.workload.field.document.file)
        found = known.get(self.queue)
        if found is None:
            yield from self._missing(known)
            if self.queue == "root" and self.name.system == VOLCANO_QUEUES:
                yield self._cause(Because(QueueGround.ROOT))
            return
        if found.closed:
            state = ((Because(QueueRole.CLOSED), found.at),) if found.at else ()
            # Git does not decide the state: the API server drops a status that is applied
            yield self._cause(Because(QueueGround.CLOSED, (found.name, found.closed)), state, certain=False)
        children = sorted(each.name for each in known.values() if each.parent == found.name != each.name)
        if children or found.name == "root":
            yield self._parent(found, [known[each] for each in children])
        yield from self._orphan(found, known)
        needs = GangNeeds(self.queueing, self.workload, self.group)
        yield from self._beyond(found, known, needs)
        for share in shares(found, known):
            if needs.least(share.resource) > share.left:
                yield self._kept_for_others(share, needs)

    def _missing(self, known: Mapping[str, SchedulerQueue]) -> Iterator[QueueRefusal]:
        system = self.name.system
        if self.queue in _BUILT_IN[system] or not self.name.written or not self.queueing.closed("Queue", known):
            return
        near = probably_meant(self.queue, known)
        leaves = sorted(set(known) - {each.parent for each in known.values() if isinstance(each.parent, str)})
        fix = (Fix(f"name the queue {near}", (Put(self.name.at, near),)),) if near else ()
        yield self._cause(
            Because(QueueGround.NO_QUEUE, (self.queue, system, near, tuple(leaves[:5]))),
            tuple((Because(QueueRole.OTHER_QUEUE), known[each].at) for each in leaves[:5] if known[each].at),  # type: ignore[misc]
            certain=self.queueing.stated("Queue"),
            fixes=fix,
        )

    def _parent(self, queue: SchedulerQueue, children: Sequence[SchedulerQueue]) -> QueueRefusal:
        names = ", ".join(each.name for each in children[:5])
        places = tuple((Because(QueueRole.CHILD), each.at) for each in children[:5] if each.at is not None)
        fix = (Fix(f"name the queue {names}", (Put(self.name.at, names),)),) if len(children) == 1 else ()
        why = Because(QueueGround.PARENT, (queue.name, names, len(children) != 1))
        return self._cause(why, places, fixes=fix)

    def _orphan(self, queue: SchedulerQueue, known: Mapping[str, SchedulerQueue]) -> Iterator[QueueRefusal]:
        parent = queue.parent
        if isinstance(parent, Undetermined) or is_placeholder(parent) or parent in ("", *known):
            return
        if parent not in _BUILT_IN[queue.system] and self.queueing.closed("Queue", known):
            places = ((Because(QueueRole.NAMES_PARENT), queue.at.child("spec")),) if queue.at else ()
            yield self._cause(
                Because(QueueGround.NO_PARENT, (queue.name, parent, probably_meant(parent, known))),
                places,
                certain=self.queueing.stated("Queue"),
            )

    def _kept_for_others(self, share: SharedCapability, needs: GangNeeds) -> QueueRefusal:
        """What is guaranteed to others leaves less than the pods need: likely, as flat queues share nothing."""
        resource, names = share.resource, ", ".join(each.name for each in share.others[:5])
        amounts = (share.parent.name, Amount(resource, share.most), Amount(resource, share.guaranteed), names)
        why = Because(
            QueueGround.GUARANTEED, (needs.together, Amount(resource, needs.least(resource)), resource, *amounts)
        )
        places = [(Because(QueueRole.LIMIT), share.parent.places[resource])]
        places += [(Because(QueueRole.GUARANTEE), at) for at in share.kept_at[:5]]
        return self._cause(why, tuple(places), certain=False)

    def _beyond(
        self, queue: SchedulerQueue, known: Mapping[str, SchedulerQueue], needs: GangNeeds
    ) -> Iterator[QueueRefusal]:
        """More than the limit of the queue, or of one above it."""
        above: list[str] = []
        each: SchedulerQueue | None = queue
        while each is not None and each.name not in above:
            above.append(each.name)
            for what, limits in (("limit", each.limits), ("quota", each.quotas if self._fixed else {})):
                for resource, limit in limits.items():
                    least = needs.least(resource)
                    if isinstance(limit, int) and least > limit:
                        yield self._too_small(queue, each, resource, what, needs, least, limit)
            each = known.get(each.parent) if isinstance(each.parent, str) else None

    def _too_small(
        self,
        queue: SchedulerQueue,
        small: SchedulerQueue,
        resource: str,
        what: str,
        needs: GangNeeds,
        least: int,
        limit: int,
    ) -> QueueRefusal:
        word = "capability" if self.name.system == VOLCANO_QUEUES else what
        at = small.places.get(f"{what} {resource}") or small.places.get(resource) or small.at
        below = queue.name if small is not queue else ""
        amounts = (Amount(resource, least), resource, word, small.name, below, Amount(resource, limit))
        unwritten = f"{what} {resource}" in small.unwritten
        why = Because(QueueGround.TOO_SMALL, (needs.together, *amounts, what == "quota", unwritten))
        places = ((Because(QueueRole.LIMIT), at),) if at is not None else ()
        sure = small is queue or self.name.system == KAI_QUEUES
        return self._cause(why, places, certain=sure)

    @property
    def _fixed(self) -> bool:
        """Whether KAI may not preempt the pods."""
        return self.name.system == KAI_QUEUES and not is_preemptible(self.workload, self.queueing.snapshot.objects)

    @property
    def _pods(self) -> tuple[PodSet, ...]:
        return self.workload.pod_sets

    def _cause(
        self,
        why: Because,
        places: tuple[tuple[Because, Location], ...] = (),
        *,
        certain: bool = True,
        fixes: tuple[Fix, ...] = (),
    ) -> QueueRefusal:
        owner = self.workload.owner
        doubt = self.name.doubt
        return QueueRefusal(
            ObjectRef(owner.kind.partition(".")[0], owner.namespace, owner.name),
            self._pods,
            self.queue,
            self.name.system,
            why,
            self.name.at,
            places,
            certain and not doubt,
            doubt,
            fixes,
        )
