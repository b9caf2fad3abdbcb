"""What a cluster knows when pods are made: limits, quotas, volumes, and the pods of each node."""

from __future__ import annotations

from functools import cached_property

from trainlint.model.admission import Admission
from trainlint.model.storage import Storage
from trainlint.model.workload import PodSet
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.platform import read_admission, read_storage
from trainlint.workload.claims import made_template
from trainlint.workload.expansion import is_template
from trainlint.workload.expansion import pod_set as pods_of

__all__ = ["ClusterFacts"]


class ClusterFacts:
    """What the objects of one snapshot say about its cluster, each read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @cached_property
    def admission(self) -> Admission:
        """What the API server knows when pods are made."""
        return read_admission(self._snapshot.objects)

    @cached_property
    def storage(self) -> Storage:
        """The volumes, claims and classes in Git."""
        return read_storage(self._snapshot.objects)

    @cached_property
    def daemons(self) -> tuple[PodSet, ...]:
        """The pods of DaemonSets: one on each node that takes it, so they are none of the workloads' pod sets."""
        return tuple(
            pods_of(each.ref, "", 1, each.field.down("spec", "template"), each.field.at)
            for each in self._snapshot.objects
            if each.meta.kind == "DaemonSet" and is_template(each.field.down("spec", "template"))
        )

    @cached_property
    def present(self) -> frozenset[tuple[str, str, str]]:
        """Kind, namespace and name of every object in Git, and of the claim templates that ComputeDomains make."""
        written = {(each.meta.kind, each.ref.namespace, each.meta.name) for each in self._snapshot.objects}
        domains = (each for each in self._snapshot.objects if each.meta.kind == "ComputeDomain")
        made = {("ResourceClaimTemplate", each.ref.namespace, made_template(each.field)) for each in domains}
        return frozenset(written | made)
