"""Why Kueue never admits an object's pods (S 2.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Fix, Location, Put
from trainlint.inventory.instance_types import ACCELERATORS
from trainlint.kube.values import is_placeholder
from trainlint.model.known import Undetermined
from trainlint.model.kueue import ClusterQueue, LocalQueue, ResourceGroup
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.proof.cohort import most
from trainlint.proof.queue_cause import QueueCause
from trainlint.proof.queueing import Queueing
from trainlint.proof.unqueued import unqueued
from trainlint.scheduling.quantity import readable
from trainlint.source.document import Field
from trainlint.workload.management import QUEUE_LABEL

__all__ = ["QueueCause", "queue_causes"]

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
            names = [name for namespace, name in queues.local if namespace == first.namespace]
            if self.queueing.closed("LocalQueue", names, first.namespace):
                reason = f"there is no LocalQueue {first.queue} in namespace {first.namespace}"
                remedy = f"name one of {', '.join(sorted(names))}" if names else "add the LocalQueue"
                yield self._cause(reason, remedy, certain=self.queueing.stated("LocalQueue"))
            return
        if local.stopped:
            yield self._cause(f"the LocalQueue's stopPolicy is {local.stopped}", "let it run", _spec(local))
        if isinstance(local.cluster_queue, Undetermined):
            return
        queue = queues.cluster.get(local.cluster_queue)
        if queue is None:
            if self.queueing.closed("ClusterQueue", queues.cluster):
                reason = f"the LocalQueue names the ClusterQueue {local.cluster_queue}, which is not there"
                yield self._cause(
                    reason,
                    "name one that is",
                    _spec(local, "clusterQueue"),
                    certain=self.queueing.stated("ClusterQueue"),
                )
            return
        if not queue.undetermined and queue.at is not None:
            yield from self._of_queue(queue)

    def _of_queue(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        yield from self._selected(queue)
        if queue.stopped:
            yield self._cause(f"the ClusterQueue's stopPolicy is {queue.stopped}", "let it run", _place(queue))
        queues = self.queueing.queues
        missing = [name for name in queue.checks if name not in queues.checks]
        if missing and self.queueing.closed("AdmissionCheck", queues.checks):
            reason = f"the ClusterQueue waits for the AdmissionCheck {missing[0]}, which is not there"
            yield self._cause(
                reason,
                "define it, or take it off the queue",
                _place(queue),
                certain=self.queueing.stated("AdmissionCheck"),
            )
        for group in queue.groups:
            for name in group.flavors:
                if name not in queues.flavors and self.queueing.closed("ResourceFlavor", queues.flavors):
                    places = (("names the flavor", group.at),) if group.at else ()
                    reason = f"its ResourceFlavor {name} is not there, so the ClusterQueue {queue.name} is not active"
                    yield self._cause(
                        reason, "define the flavor", places, certain=self.queueing.stated("ResourceFlavor")
                    )
        yield from self._uncovered(queue)
        yield from self._beyond_quota(queue)
        yield from self._mismatched(queue)

    def _selected(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        namespace, selector = self.pod_sets[0].namespace, queue.namespace_selector
        if selector is None:
            reason = f"the ClusterQueue {queue.name} has no namespaceSelector, and without one no namespace may use it"
            remedy = "write namespaceSelector: {} to admit all namespaces"
            yield replace(self._cause(reason, remedy, _place(queue)), fixes=_for_all_namespaces(queue))
            return
        if self.queueing.selects(selector, namespace) is False:
            reason = f"the namespaceSelector of the ClusterQueue {queue.name} does not match namespace {namespace}"
            yield self._cause(reason, "label the namespace, or widen the selector", _place(queue, "namespaceSelector"))

    def _uncovered(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        covered = {name for group in queue.groups for name in group.covered}
        covered |= {
            name for pod_set in self.pod_sets for name in self.queueing.requests(pod_set) if not _counted_as_it_is(name)
        }
        for pod_set in self.pod_sets:
            for name, amount in self.queueing.requests(pod_set).items():
                if name not in covered and amount != 0:
                    reason = f"{pod_set.name} requests {name}, which no resource group of {queue.name} covers"
                    yield self._cause(reason, f"add {name} to coveredResources, with a quota", _place(queue))

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
                reason = (
                    f"together its pods request {readable(name, asked)} {name}, and the ClusterQueue {queue.name} "
                    f"can give {readable(name, bound)} at most"
                )
                quotas = (quotas.get(name) for quotas in group.flavors.values())
                places = tuple(("is all there is", each.at) for each in quotas if each is not None and each.at)
                yield self._cause(
                    reason,
                    "raise the quota, or ask for less",
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
        if all(text is not None for _, text in why):
            reasons = "; ".join(f"{flavor.name}: {text}" for flavor, text in why)
            places = tuple(("does not take them", flavor.at) for flavor, _ in why if flavor.at)
            remedy = "let the pods fit a flavor: its labels in nodeSelector, tolerations in the pod or in the flavor"
            yield self._cause(f"no flavor takes {pod_set.name} ({reasons})", remedy, places)

    def _pods(self, pod_set: PodSet) -> int:
        """How many pods count at once: the fewest with which Kueue admits a Job in part, one of a Deployment, whose
        pods are admitted one by one, else all of them.
        """
        if self.owner.kind in {"Deployment", "ReplicaSet"}:
            return 1
        written = self.item.down("metadata", "annotations", JOB_MINIMUM).scalar
        if written and written.isdecimal():
            return int(written)
        return pod_set.replicas if isinstance(pod_set.replicas, int) else 0

    def _cause(
        self,
        reason: str,
        remedy: str,
        places: tuple[tuple[str, Location], ...] = (),
        *,
        certain: bool = True,
    ) -> QueueCause:
        first = self.pod_sets[0]
        label = self.item.down("metadata", "labels", QUEUE_LABEL).at
        return QueueCause(self.owner, self.pod_sets, first.queue, reason, remedy, label, places, certain)


def _for_all_namespaces(queue: ClusterQueue) -> tuple[Fix, ...]:
    if queue.at is None:
        return ()
    edit = Put(queue.at.child("spec", "namespaceSelector"), {}, ("resourceGroups",))
    return (Fix(f"let all namespaces use the ClusterQueue {queue.name}", (edit,)),)


def _queued(pod_set: PodSet) -> bool:
    return bool(pod_set.queue) and not is_placeholder(pod_set.queue)


def _counted_as_it_is(resource: str) -> bool:
    """Whether Kueue counts the resource under its own name: shares of devices and what DRA offers may be transformed
    into others by its configuration, which is not in Git.
    """
    return "/" not in resource or resource in ACCELERATORS


def _place(queue: ClusterQueue, *steps: str) -> tuple[tuple[str, Location], ...]:
    return (("never admits them", queue.at.child("spec", *steps)),) if queue.at else ()


def _spec(queue: LocalQueue, *steps: str) -> tuple[tuple[str, Location], ...]:
    return (("is their queue", queue.at.child("spec", *steps)),) if queue.at else ()
