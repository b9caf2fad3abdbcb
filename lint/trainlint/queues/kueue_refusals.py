"""Why Kueue never admits an object's pods (S 2.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Fix, Location, Put
from trainlint.kube.meta import read_meta
from trainlint.kube.spelling import only_meant, probably_meant
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.kueue import ClusterQueue, LocalQueue, ResourceGroup
from trainlint.model.quantity import Amount
from trainlint.model.workload import ObjectRef, PodSet, Workload
from trainlint.queues.combinations import refused
from trainlint.queues.ground import QueueGround, QueueRole
from trainlint.queues.kueue_queues import Queueing
from trainlint.queues.queue_cause import QueueCause
from trainlint.queues.queue_places import for_all_namespaces, place_of, spec_of
from trainlint.queues.suspended_objects import unqueued
from trainlint.scheduling.kueue.capacity import most
from trainlint.scheduling.kueue.state import Inactive, why_inactive
from trainlint.source.document import Field
from trainlint.source.examples import is_for
from trainlint.workload.kinds import shown_kind
from trainlint.workload.managing_controllers import queue_label

__all__ = ["QueueCause", "causes_of", "queue_causes"]

JOB_MINIMUM: Final = "kueue.x-k8s.io/job-min-parallelism"


def queue_causes(queueing: Queueing) -> Iterator[QueueCause]:
    """The first reason for each object that is never admitted; nothing where Kueue is not in use."""
    queues = queueing.queues
    if not (queues.local or queues.cluster or queues.flavors):
        return
    for workload in queueing.snapshot.workloads.objects:
        if workload.field.document.file in queueing.snapshot.unrendered:
            continue
        pods = tuple(each for each in workload.pod_sets if each.replicas != 0)
        sets = tuple(filter(_queued, pods))
        if sets:
            yield from list(_Case(queueing, workload.owner, sets, workload.field).causes())[:1]
        elif pods and not any(each.queue for each in pods):
            yield from unqueued(queueing, workload, pods)


def causes_of(queueing: Queueing, workload: Workload, pod_sets: tuple[PodSet, ...]) -> Iterator[QueueCause]:
    """Every reason why the pod sets of an object are never admitted by these queues, the most basic first."""
    yield from _Case(queueing, workload.owner, pod_sets, workload.field).causes()


@fact(eq=False)
class _Case:
    """The pod sets of one object, which Kueue admits together."""

    queueing: Queueing
    owner: ObjectRef
    pod_sets: tuple[PodSet, ...]
    item: Field

    def causes(self) -> Iterator[QueueCause]:
        """Every reason why they are never admitted, the most basic first."""
        queues, first = self.queueing.queues, self.pod_sets[0]
        if self.queueing.elsewhere(first):
            return
        local = queues.local.get((first.namespace, first.queue))
        if local is None:
            yield from self._no_local_queue(first.queue, first.namespace)
            return
        if local.stopped:
            yield self._cause(Because(QueueGround.LOCAL_STOPPED, (local.stopped,)), spec_of(local))
        if isinstance(local.cluster_queue, Undetermined):
            return
        queue = queues.cluster.get(local.cluster_queue)
        if queue is None:
            if self.queueing.closed("ClusterQueue", queues.cluster):
                near = probably_meant(local.cluster_queue, queues.cluster)
                yield self._cause(
                    Because(QueueGround.NO_CLUSTER_QUEUE, (local.cluster_queue, near)),
                    spec_of(local, "clusterQueue"),
                    certain=self.queueing.stated("ClusterQueue"),
                    root=local.at.child("spec", "clusterQueue") if local.at else None,
                    meant=near,
                )
            return
        if not queue.undetermined and queue.at is not None:
            yield from self._of_queue(queue)

    def _of_queue(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        yield from self._selected(queue)
        for each in why_inactive(queue, self.queueing.queues):
            yield from self._inactive(queue, each)
        yield from self._uncovered(queue)
        yield from self._beyond_quota(queue)
        yield from self._mismatched(queue)
        yield from self._together(queue)

    def _together(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        """All pod sets in all flavors, as Kueue's own search tries them."""
        workload = Workload(self.owner, read_meta(self.item).api_version, self.pod_sets, self.item)
        found = refused(self.queueing, queue, workload)
        if found is not None:
            cause = self._cause(
                found.why,
                place_of(queue, "resourceGroups"),
                certain=not queue.cohort or self.queueing.stated("ClusterQueue"),
            )
            yield replace(cause, stuck=found.stuck)

    def _no_local_queue(self, name: str, namespace: str) -> Iterator[QueueCause]:
        queues = self.queueing.queues
        near = {key: each for key, each in queues.local.items() if self._is_near(each)}
        names = [each for home, each in near if home == namespace]
        homes = [home for home, each in near if each == name]
        if homes and any(map(is_placeholder, (namespace, *homes))):  # then one may stand for the other
            return
        if self.queueing.closed("LocalQueue", names, namespace):
            meant = probably_meant(name, names)
            why = Because(QueueGround.NO_LOCAL_QUEUE, (name, namespace, meant, tuple(sorted(names))))
            yield self._cause(why, certain=self.queueing.stated("LocalQueue"))
            return
        home = only_meant(namespace, homes)
        if names or not home or self.queueing.snapshot.may_hold_more(namespace):
            return
        local = queues.local[home, name]
        alone = not self._is_used(home, local)
        place = local.at.child("metadata", "namespace") if alone and local.at else self.item.down("metadata").at
        yield self._cause(
            Because(QueueGround.OTHER_NAMESPACE, (name, home, namespace, namespace if alone else home)),
            spec_of(local),
            certain=self.queueing.stated("LocalQueue"),
            root=place,
            meant=namespace if alone else "",
        )

    def _is_near(self, local: LocalQueue) -> bool:
        """Whether a queue may be meant for the job: one of an example is for what lies beside it."""
        return local.at is None or is_for(local.at.file, self.item.document.file)

    def _is_used(self, namespace: str, local: LocalQueue) -> bool:
        """Whether anything but LocalQueues stands in a namespace, or defines it: then it is no slip of the pen."""
        return any(
            (each.ref.namespace == namespace and each.meta.kind != "LocalQueue")
            or (each.meta.kind == "Namespace" and each.meta.name == namespace)
            for each in self.queueing.snapshot.objects
        )

    def _inactive(self, queue: ClusterQueue, why: Inactive) -> Iterator[QueueCause]:
        """A queue that is not active admits nothing; what is missing may be elsewhere, unless others of its kind are
        here.
        """
        names = self.queueing.named(why.kind)
        if why.kind and not self.queueing.closed(why.kind, names):
            return
        near = probably_meant(why.name, names)
        yield self._cause(
            Because(QueueGround.INACTIVE, (queue.name, why.why, near)),
            ((Because(QueueRole.REASON), why.at), *place_of(queue)) if why.at else place_of(queue),
            certain=not why.kind or self.queueing.stated(why.kind),
            root=why.at if why.kind else None,
            meant=near,
        )

    def _selected(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        namespace, selector = self.pod_sets[0].namespace, queue.namespace_selector
        if selector is None:
            cause = self._cause(Because(QueueGround.NO_SELECTOR, (queue.name,)), place_of(queue))
            yield replace(cause, fixes=for_all_namespaces(queue))
            return
        if self.queueing.selects(selector, namespace) is False:
            why = Because(QueueGround.NOT_SELECTED, (queue.name, namespace))
            yield self._cause(why, place_of(queue, "namespaceSelector"))

    def _uncovered(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        covered = {name for group in queue.groups for name in group.covered}
        covered |= {
            name
            for pod_set in self.pod_sets
            for name in self.queueing.requests(pod_set)
            if not self.queueing.is_counted(name)
        }
        for pod_set in self.pod_sets:
            for name, amount in self.queueing.requests(pod_set).items():
                if name not in covered and amount != 0:
                    why = Because(QueueGround.UNCOVERED, (pod_set.name, name, queue.name))
                    yield self._cause(why, place_of(queue))

    def _beyond_quota(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        """A pod set must fit into one flavor of each group; all of them together into all flavors."""
        alone = self.queueing.closed("ClusterQueue", self.queueing.queues.cluster)
        total: dict[tuple[int, str], int] = defaultdict(int)
        for pod_set in self.pod_sets:
            for name, amount in self.queueing.requests(pod_set).items():
                for index, group in enumerate(queue.groups):
                    if name in group.covered and isinstance(amount, int):
                        total[index, name] += amount * self._pods(pod_set)
        for (index, name), asked in total.items():
            group = queue.groups[index]
            limits = [most(queue, each, name, self.queueing.queues, alone=alone) for each in group.flavors]
            known = [each for each in limits if each is not None]
            bound = max(known, default=0) if len(self.pod_sets) == 1 else sum(known)
            if len(known) == len(limits) and asked > bound:
                why = Because(QueueGround.BEYOND_QUOTA, (Amount(name, asked), name, queue.name, Amount(name, bound)))
                quotas = (quotas.get(name) for quotas in group.flavors.values())
                places = tuple((Because(QueueRole.QUOTA), each.at) for each in quotas if each is not None and each.at)
                yield self._cause(
                    why,
                    places,
                    certain=not queue.cohort or self.queueing.stated("ClusterQueue"),
                )

    def _mismatched(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        for pod_set in self.pod_sets:
            requests = self.queueing.requests(pod_set)
            for group in queue.groups:
                if any(requests.get(name, 0) != 0 for name in group.covered):
                    yield from self._no_flavor(pod_set, group)

    def _no_flavor(self, pod_set: PodSet, group: ResourceGroup) -> Iterator[QueueCause]:
        known = [self.queueing.queues.flavors.get(name) for name in group.flavors]
        flavors = [flavor for flavor in known if flavor is not None]
        if not flavors or len(flavors) < len(known) or any(each.undetermined for each in flavors):
            return
        why = [(flavor, self.queueing.mismatch(pod_set, flavor)) for flavor in flavors]
        if all(each is not None for _, each in why):
            reasons = tuple(Because(QueueGround.FLAVOR, (flavor.name, each)) for flavor, each in why)
            places = tuple((Because(QueueRole.FLAVOR), flavor.at) for flavor, _ in why if flavor.at)
            yield self._cause(Because(QueueGround.NO_FLAVOR, (pod_set.name, reasons)), places)

    def _pods(self, pod_set: PodSet) -> int:
        """How many pods count at once: the fewest with which Kueue admits a Job in part, one of a Deployment, whose
        pods are admitted one by one, else all of them.
        """
        kind = shown_kind(self.owner)
        if kind is not None and kind.interchangeable:
            return 1
        written = self.item.down("metadata", "annotations", JOB_MINIMUM).scalar
        if written and written.isdecimal():
            return int(written)
        return pod_set.replicas if isinstance(pod_set.replicas, int) else 0

    def _cause(
        self,
        why: Because,
        places: tuple[tuple[Because, Location], ...] = (),
        *,
        certain: bool = True,
        root: Location | None = None,
        meant: str = "",
    ) -> QueueCause:
        """``root`` is the place of the fault where that is not the job; ``meant`` is what should be written there."""
        first = self.pod_sets[0]
        label = queue_label(self.item).at
        at = label if root is None else root
        if root is not None:
            places = ((Because(QueueRole.NAMES_QUEUE), label), *(each for each in places if each[1] != root))
        fixes = (Fix(f"write {meant}", (Put(at, meant),)),) if root is not None and meant else ()
        return QueueCause(
            self.owner, self.pod_sets, first.queue, why, at, places, certain, fixes, root=root is not None
        )


def _queued(pod_set: PodSet) -> bool:
    return bool(pod_set.queue) and not is_placeholder(pod_set.queue)
