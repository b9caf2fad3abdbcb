"""Whether Kueue ever admits the pods that are sent to its queues, and what it adds to them (S 2.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.inventory.instance_types import ACCELERATORS
from trainlint.kube.kueue import (
    KUEUE_GROUP,
    KUEUE_KINDS,
    read_cluster_queue,
    read_flavor,
    read_levels,
    read_local_queue,
)
from trainlint.kube.values import is_placeholder
from trainlint.model.admission import Admission
from trainlint.model.known import Undetermined
from trainlint.model.kueue import ClusterQueue, Flavor, LocalQueue, Queues, ResourceGroup
from trainlint.model.workload import Group, ObjectRef, PodSet
from trainlint.proof.cohort import most
from trainlint.scheduling.admission import admit
from trainlint.scheduling.quantity import readable
from trainlint.scheduling.queue_flavor import refusal
from trainlint.scheduling.requirement import selector_matches
from trainlint.snapshot.build import Snapshot
from trainlint.source.document import Field
from trainlint.workload.management import KUEUE_REQUIRED, QUEUE_LABEL

__all__ = ["QueueCause", "Queueing"]

JOB_MINIMUM: Final = "kueue.x-k8s.io/job-min-parallelism"
MAX_CHOICES: Final = 16


@fact
class QueueCause:
    """Why the pods of an object are never admitted. ``places`` say where, with the part that each plays."""

    owner: ObjectRef
    pod_sets: tuple[PodSet, ...]
    queue: str
    reason: str
    remedy: str
    at: Location
    places: tuple[tuple[str, Location], ...] = ()
    certain: bool = True


def read_queues(snapshot: Snapshot) -> Queues:
    """Everything of Kueue in the snapshot."""
    found = defaultdict(list)
    for each in snapshot.objects:
        if each.meta.kind in KUEUE_KINDS and each.meta.api_group == KUEUE_GROUP:
            found[each.meta.kind].append(each)
    local = (read_local_queue(each.field, each.ref.namespace) for each in found["LocalQueue"])
    return Queues(
        local={(queue.namespace, queue.name): queue for queue in local},
        cluster={each.meta.name: read_cluster_queue(each.field) for each in found["ClusterQueue"]},
        flavors={each.meta.name: read_flavor(each.field) for each in found["ResourceFlavor"]},
        topologies={each.meta.name: read_levels(each.field) for each in found["Topology"]},
        checks=frozenset(each.meta.name for each in found["AdmissionCheck"]),
        cohorts=frozenset(each.meta.name for each in found["Cohort"]),
    )


class Queueing:
    """The queues of one snapshot and what they make of its pod sets."""

    def __init__(self, snapshot: Snapshot, admission: Admission) -> None:
        self.snapshot = snapshot
        self.admission = admission

    @cached_property
    def queues(self) -> Queues:
        """Everything of Kueue in the snapshot."""
        return read_queues(self.snapshot)

    @cached_property
    def causes(self) -> tuple[QueueCause, ...]:
        """Objects that are never admitted, each with the first reason."""
        queues = self.queues
        if not (queues.local or queues.cluster or queues.flavors):
            return ()
        found = []
        for workload in self.snapshot.workloads.objects:
            sets = tuple(each for each in workload.pod_sets if _queued(each) and each.replicas != 0)
            if sets and workload.field.document.file not in self.snapshot.unrendered:
                cause = next(_Case(self, workload.owner, sets, workload.field).causes(), None)
                found += [cause] if cause is not None else []
        return tuple(found)

    def admits(self, at: Location) -> bool:
        """Whether the object whose queue stands there may be admitted, its queues being known here."""
        return all(each.at != at for each in self.causes) and any(
            workload.field.down("metadata", "labels", QUEUE_LABEL).at == at
            and any(self.cluster_queue(each) is not None for each in workload.pod_sets)
            for workload in self.snapshot.workloads.objects
        )

    def choices(self, pod_set: PodSet) -> tuple[tuple[Flavor, ...], ...] | None:
        """The flavors that Kueue may give to the pods, one combination after the other; ``None``: nobody knows."""
        queue = self.cluster_queue(pod_set)
        if queue is None or queue.undetermined:
            return None
        case = _Case(self, pod_set.owner, (pod_set,), None)
        options = []
        for group in queue.groups:
            if any(name in group.covered for name in case.requests(pod_set)):
                known = [self.queues.flavors.get(name) for name in group.flavors]
                if any(flavor is None or flavor.undetermined for flavor in known):
                    return None
                flavors = [flavor for flavor in known if flavor is not None]
                fitting = [each for each in flavors if case.mismatch(pod_set, each) is None]
                options.append(fitting or flavors)
        found = tuple(product(*options))
        return found if len(found) <= MAX_CHOICES else None

    def gathers(self, group: Group, key: str) -> bool:
        """Whether Kueue picks one domain of the key for all pods of the group before any of them is scheduled."""
        own = [
            each for index, each in enumerate(group.members) if index not in group.dependencies and each.replicas != 0
        ]
        units = {
            (each.owner, each.together.unit)
            if each.queue and each.together and each.together.by == KUEUE_REQUIRED
            else None
            for each in own
        }
        if len(units) != 1 or None in units or any(each.together is None or each.together.key != key for each in own):
            return False
        choices = [self.choices(each) for each in own]
        flavors = [flavor for found in choices for choice in found or () for flavor in choice]
        levels = [self.queues.topologies.get(flavor.topology, ()) for flavor in flavors]
        return bool(levels) and all(key in each for each in levels) and all(found is not None for found in choices)

    def cluster_queue(self, pod_set: PodSet) -> ClusterQueue | None:
        """The ClusterQueue behind the pods' queue, if it is in the snapshot."""
        local = self.queues.local.get((pod_set.namespace, pod_set.queue))
        if local is None or self.elsewhere(pod_set) or isinstance(local.cluster_queue, Undetermined):
            return None
        return self.queues.cluster.get(local.cluster_queue)

    def elsewhere(self, pod_set: PodSet) -> bool:
        """Whether the pods, whose object names no namespace, may be meant for a queue of the name in another one."""
        if pod_set.owner not in self._unstated:
            return False
        return (
            any(name == pod_set.queue and namespace != pod_set.namespace for namespace, name in self.queues.local)
            or (pod_set.namespace, pod_set.queue) not in self.queues.local
        )

    @cached_property
    def _unstated(self) -> frozenset[ObjectRef]:
        return frozenset(each.ref for each in self.snapshot.objects if not each.meta.namespace)

    def closed(self, names: Iterable[str], namespace: str = "") -> bool:
        """Whether all objects of a kind are in the snapshot: it holds some, and nothing adds others (decision 5)."""
        more = self.snapshot.may_hold_more(namespace) if namespace else self.snapshot.opened
        return any(True for _ in names) and not more


@fact(eq=False)
class _Case:
    """The pod sets of one object, which Kueue admits together."""

    queueing: Queueing
    owner: ObjectRef
    pod_sets: tuple[PodSet, ...]
    item: Field | None

    def causes(self) -> Iterator[QueueCause]:
        """Every reason why they are never admitted, the most basic first."""
        queues, first = self.queueing.queues, self.pod_sets[0]
        if self.queueing.elsewhere(first):
            return
        local = queues.local.get((first.namespace, first.queue))
        if local is None:
            names = [name for namespace, name in queues.local if namespace == first.namespace]
            if self.queueing.closed(names, first.namespace):
                reason = f"there is no LocalQueue {first.queue} in namespace {first.namespace}"
                yield self._cause(reason, f"name one of {', '.join(sorted(names))}", certain=False)
            return
        if local.stopped:
            yield self._cause(f"the LocalQueue's stopPolicy is {local.stopped}", "let it run", _spec(local))
        if isinstance(local.cluster_queue, Undetermined):
            return
        queue = queues.cluster.get(local.cluster_queue)
        if queue is None:
            if self.queueing.closed(queues.cluster):
                reason = f"the LocalQueue names the ClusterQueue {local.cluster_queue}, which is not there"
                yield self._cause(reason, "name one that is", _spec(local, "clusterQueue"), certain=False)
            return
        if not queue.undetermined and queue.at is not None:
            yield from self._of_queue(queue)

    def _of_queue(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        yield from self._selected(queue)
        if queue.stopped:
            yield self._cause(f"the ClusterQueue's stopPolicy is {queue.stopped}", "let it run", _place(queue))
        queues = self.queueing.queues
        missing = [name for name in queue.checks if name not in queues.checks]
        if missing and self.queueing.closed(queues.checks):
            reason = f"the ClusterQueue waits for the AdmissionCheck {missing[0]}, which is not there"
            yield self._cause(reason, "define it, or take it off the queue", _place(queue), certain=False)
        for group in queue.groups:
            for name in group.flavors:
                if name not in queues.flavors and self.queueing.closed(queues.flavors):
                    places = (("names the flavor", group.at),) if group.at else ()
                    reason = f"its ResourceFlavor {name} is not there, so the ClusterQueue {queue.name} is not active"
                    yield self._cause(reason, "define the flavor", places, certain=False)
        yield from self._uncovered(queue)
        yield from self._beyond_quota(queue)
        yield from self._mismatched(queue)

    def _selected(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        namespace, selector = self.pod_sets[0].namespace, queue.namespace_selector
        if selector is None:
            reason = f"the ClusterQueue {queue.name} has no namespaceSelector, and without one no namespace may use it"
            yield self._cause(reason, "write namespaceSelector: {} to admit all namespaces", _place(queue))
            return
        defined = any(
            each.meta.kind == "Namespace" and each.meta.name == namespace for each in self.queueing.snapshot.objects
        )
        labels = self.queueing.snapshot.namespaces.get(namespace, {})
        asked = {requirement.key for requirement in selector.requirements}
        if (defined or asked <= set(labels)) and selector_matches(selector, labels) is False:
            reason = f"the namespaceSelector of the ClusterQueue {queue.name} does not match namespace {namespace}"
            yield self._cause(reason, "label the namespace, or widen the selector", _place(queue, "namespaceSelector"))

    def _uncovered(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        covered = {name for group in queue.groups for name in group.covered}
        covered |= {name for pod_set in self.pod_sets for name in self.requests(pod_set) if not _counted_as_it_is(name)}
        for pod_set in self.pod_sets:
            for name, amount in self.requests(pod_set).items():
                if name not in covered and amount != 0:
                    reason = f"{pod_set.name} requests {name}, which no resource group of {queue.name} covers"
                    yield self._cause(reason, f"add {name} to coveredResources, with a quota", _place(queue))

    def _beyond_quota(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        """A pod set must fit into one flavor of each group; all of them together into all flavors."""
        alone = self.queueing.closed(self.queueing.queues.cluster)
        total: dict[tuple[int, str], int] = defaultdict(int)
        for pod_set in self.pod_sets:
            for name, amount in self.requests(pod_set).items():
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
                yield self._cause(reason, "raise the quota, or ask for less", places, certain=not queue.cohort)

    def _mismatched(self, queue: ClusterQueue) -> Iterator[QueueCause]:
        for pod_set in self.pod_sets:
            requests = self.requests(pod_set)
            for group in queue.groups:
                if any(requests.get(name, 0) != 0 for name in group.covered):
                    yield from self._no_flavor(pod_set, group)

    def _no_flavor(self, pod_set: PodSet, group: ResourceGroup) -> Iterator[QueueCause]:
        known = [self.queueing.queues.flavors.get(name) for name in group.flavors]
        flavors = [flavor for flavor in known if flavor is not None]
        if not flavors or len(flavors) < len(known) or any(each.undetermined for each in flavors):
            return
        why = [(flavor, self.mismatch(pod_set, flavor)) for flavor in flavors]
        if all(text is not None for _, text in why):
            reasons = "; ".join(f"{flavor.name}: {text}" for flavor, text in why)
            places = tuple(("does not take them", flavor.at) for flavor, _ in why if flavor.at)
            remedy = "let the pods fit a flavor: its labels in nodeSelector, tolerations in the pod or in the flavor"
            yield self._cause(f"no flavor takes {pod_set.name} ({reasons})", remedy, places)

    def mismatch(self, pod_set: PodSet, flavor: Flavor) -> str | None:
        """Why Kueue does not give the flavor to the pods; ``None`` if it may."""
        text = refusal(pod_set.spec, flavor)
        if text is not None:
            return text
        level = pod_set.annotations.get(KUEUE_REQUIRED, "")
        if not level or is_placeholder(level):
            return None
        if not flavor.topology:
            return f"the pods require a topology, and the flavor {flavor.name} has none"
        levels = self.queueing.queues.topologies.get(flavor.topology)
        if levels is not None and level not in levels:
            return f"{level} is no level of its topology {flavor.topology}"
        return None

    def requests(self, pod_set: PodSet) -> Mapping[str, object]:
        """What one pod requests, without zeros."""
        pod = admit(pod_set, self.queueing.snapshot.settings, self.queueing.admission).pod
        return {name: amount for name, amount in pod.requests.amounts.items() if amount != 0}

    def _pods(self, pod_set: PodSet) -> int:
        """How many pods count: the fewest with which Kueue admits a Job in part, else all of them."""
        written = self.item.down("metadata", "annotations", JOB_MINIMUM).scalar if self.item is not None else ""
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
        label = self.item.down("metadata", "labels", QUEUE_LABEL).at if self.item is not None else first.at
        return QueueCause(self.owner, self.pod_sets, first.queue, reason, remedy, label, places, certain)


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
