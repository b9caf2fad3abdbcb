"""The queues of Kueue in a snapshot, and which flavors they may give to pods (S 2.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Final

from trainlint.finding import Location
from trainlint.inventory.instance_types import ACCELERATORS
from trainlint.kube.kueue import (
    KUEUE_GROUP,
    KUEUE_KINDS,
    read_admission_check,
    read_cluster_queue,
    read_cohort,
    read_flavor,
    read_levels,
    read_local_queue,
    read_multikueue_config,
)
from trainlint.kube.values import is_placeholder
from trainlint.model.admission import Admission
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.kueue import ClusterQueue, Flavor, Queues
from trainlint.model.namespace import METADATA_NAME
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.scheduling.admission import admit
from trainlint.scheduling.kueue.ground import FlavorGround
from trainlint.scheduling.kueue.requested import as_written
from trainlint.scheduling.queue_flavor import refusal
from trainlint.scheduling.requests import Requests
from trainlint.scheduling.requirement import selector_matches
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.objects import ApiObject
from trainlint.source.examples import is_for
from trainlint.workload.colocation import KUEUE_REQUIRED
from trainlint.workload.expansion import Context
from trainlint.workload.managing_controllers import queue_label

__all__ = ["Queueing"]

MAX_CHOICES: Final = 16


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
        checks={each.meta.name: read_admission_check(each.field) for each in found["AdmissionCheck"]},
        cohorts={each.meta.name: read_cohort(each.field) for each in found["Cohort"]},
        configs={each.meta.name: read_multikueue_config(each.field) for each in found["MultiKueueConfig"]},
        remotes={each.meta.name: each.written for each in found["MultiKueueCluster"]},
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
    def context(self) -> Context:
        """What the pods of an object may depend on, beside the object."""
        return Context(self.snapshot.settings, {ref: each.field for ref, each in self.snapshot.by_ref.items()})

    def knows(self, at: Location) -> bool:
        """Whether the object whose queue is written there has it here, down to the ClusterQueue."""
        return any(
            queue_label(workload.field).at == at
            and any(self.cluster_queue(each) is not None for each in workload.pod_sets)
            for workload in self.snapshot.workloads.objects
        )

    def choices(self, pod_set: PodSet) -> tuple[tuple[Flavor, ...], ...] | None:
        """The flavors that Kueue may give to the pods, one combination after the other; ``None``: unknown."""
        queue = self.cluster_queue(pod_set)
        if queue is None or queue.undetermined:
            return None
        options = []
        for group in queue.groups:
            if any(name in group.covered for name in self.requests(pod_set)):
                known = [self.queues.flavors.get(name) for name in group.flavors]
                if any(flavor is None or flavor.undetermined for flavor in known):
                    return None
                flavors = [flavor for flavor in known if flavor is not None]
                fitting = [each for each in flavors if self.mismatch(pod_set, each) is None]
                options.append(fitting or flavors)
        found = tuple(product(*options))
        return found if len(found) <= MAX_CHOICES else None

    def cluster_queue(self, pod_set: PodSet) -> ClusterQueue | None:
        """The ClusterQueue behind the pods' queue; ``None`` where the snapshot does not hold it."""
        local = self.queues.local.get((pod_set.namespace, pod_set.queue))
        if local is None or self.elsewhere(pod_set) or isinstance(local.cluster_queue, Undetermined):
            return None
        return self.queues.cluster.get(local.cluster_queue)

    def elsewhere(self, pod_set: PodSet) -> bool:
        """Whether the pods, whose object names no namespace, may be meant for a queue of the name in another one,
        whether the queue is that of an example which the object is no part of, or whether it is one of several of its
        name, and which one counts is not known.
        """
        found = self.queues.local.get((pod_set.namespace, pod_set.queue))
        queue = None if found is None else self.queues.cluster.get(str(found.cluster_queue))
        if found is not None and self._is_one_of_several(pod_set, str(found.cluster_queue)):
            return True
        places = (each.at for each in (found, queue) if each is not None)
        if any(at is not None and not is_for(at.file, pod_set.at.file) for at in places):
            return True
        if pod_set.owner not in self._unstated:
            return False
        return (
            any(name == pod_set.queue and namespace != pod_set.namespace for namespace, name in self.queues.local)
            or (pod_set.namespace, pod_set.queue) not in self.queues.local
        )

    def _is_one_of_several(self, pod_set: PodSet, cluster_queue: str) -> bool:
        """Whether other files that are for the pods too define the LocalQueue or its ClusterQueue in another way."""
        keys = (("LocalQueue", pod_set.namespace, pod_set.queue), ("ClusterQueue", "", cluster_queue))
        return any(is_for(file, pod_set.at.file) for key in keys for file in self._several.get(key, ()))

    @cached_property
    def _several(self) -> Mapping[tuple[str, str, str], Sequence[str]]:
        """The files of queues of one name that differ, but for the last one, by kind, namespace and name."""
        found: dict[tuple[str, str, str], list[ApiObject]] = {}
        for each in self.snapshot.objects:
            if each.meta.kind in {"LocalQueue", "ClusterQueue"} and each.meta.api_group == KUEUE_GROUP:
                found.setdefault((each.meta.kind, each.ref.namespace, each.meta.name), []).append(each)
        return {
            key: [each.file for each in several if each.field["spec"].value != several[-1].field["spec"].value]
            for key, several in found.items()
            if len(several) > 1
        }

    @cached_property
    def _unstated(self) -> frozenset[ObjectRef]:
        return frozenset(each.ref for each in self.snapshot.objects if not each.meta.namespace)

    def closed(self, kind: str, names: Iterable[str], namespace: str = "") -> bool:
        """Whether all objects of a kind are in the snapshot: the configuration says so, or it holds some, and nothing
        adds others (decision 5).
        """
        more = self.snapshot.may_hold_more(namespace) if namespace else self.snapshot.opened
        return self.stated(kind) or (any(True for _ in names) and not more)

    def named(self, kind: str) -> Iterable[str]:
        """The names of the objects of a kind that a ClusterQueue may name."""
        queues = self.queues
        known: Mapping[str, Iterable[str]] = {
            "AdmissionCheck": queues.checks,
            "MultiKueueCluster": queues.remotes,
            "MultiKueueConfig": queues.configs,
            "ResourceFlavor": queues.flavors,
            "Topology": queues.topologies,
        }
        return known.get(kind, ())

    def selects(self, selector: LabelSelector, namespace: str) -> bool | None:
        """Whether a selector matches a namespace; ``None`` where the labels that it asks for are not known."""
        labels = self.snapshot.namespaces.get(namespace)
        if labels is None and not {requirement.key for requirement in selector.requirements} <= {METADATA_NAME}:
            return None
        return selector_matches(selector, labels or {METADATA_NAME: namespace})

    def stated(self, kind: str) -> bool:
        """Whether the configuration says that Git holds all objects of a kind."""
        return kind in self.snapshot.settings.closed

    def mismatch(self, pod_set: PodSet, flavor: Flavor) -> Because | None:
        """Why Kueue does not give the flavor to the pods; ``None`` if it may."""
        why = refusal(pod_set.spec, flavor)
        if why is not None:
            return why
        level = pod_set.annotations.get(KUEUE_REQUIRED, "")
        if not level or is_placeholder(level):
            return None
        if not flavor.topology:
            return Because(FlavorGround.NO_TOPOLOGY, (flavor.name,))
        levels = self.queues.topologies.get(flavor.topology)
        if levels is not None and level not in levels:
            return Because(FlavorGround.NO_LEVEL, (level, flavor.topology))
        return None

    def is_counted(self, resource: str) -> bool:
        """Whether Kueue counts a resource under its own name: shares of devices and what DRA offers may be transformed
        into others by its configuration, which is not in Git.
        """
        return "/" not in resource or resource in ACCELERATORS

    def requests(self, pod_set: PodSet) -> Mapping[str, object]:
        """What one pod of the object's own template requests, without zeros."""
        return {name: amount for name, amount in self._requests(pod_set).amounts.items() if amount != 0}

    def place_of(self, pod_set: PodSet, resource: str) -> Location:
        """Where it is decided how much one pod requests of a resource."""
        return self._requests(pod_set).decided_by.get(resource) or pod_set.spec.at or pod_set.at

    def _requests(self, pod_set: PodSet) -> Requests:
        spec = as_written(pod_set.spec)
        return admit(replace(pod_set, spec=spec), self.snapshot.settings, self.admission).pod.requests
