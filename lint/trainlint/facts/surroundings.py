"""What stands around a group in its snapshot: policies by place, other pods that it must be near, its gang."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from trainlint.facts.pod_index import PodIndex
from trainlint.model.pool import Inventory
from trainlint.model.workload import Group, ObjectRef, PodSet
from trainlint.proof.default_namespace import other_namespaces
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.placement_problem import attracted
from trainlint.reachability import Place, Reachability, reads_places

if TYPE_CHECKING:
    from trainlint.facts.facts import Facts
    from trainlint.model.needs import ObjectNeed
    from trainlint.proof.ideal.cluster import Ideal

__all__ = ["Surroundings"]


class Surroundings:
    """What proofs of groups read of one snapshot beside the group, each worked out once."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._snapshot = facts.snapshot
        self._near: dict[tuple[int, int], tuple[Group, Inventory, list[Feasibility]]] = {}
        self._others_of: dict[tuple[int, tuple[Place, ...]], tuple[Group, tuple[str, ...]]] = {}

    def reach(self, group: Group, everywhere: Sequence[Place]) -> Reachability:
        """Which flows of a group are permitted between places."""
        settings, namespaces = self._snapshot.settings, self._snapshot.namespaces
        return Reachability(group, everywhere, self._facts.policies, settings, namespaces, zonal=self.zonal)

    @cached_property
    def zonal(self) -> bool:
        """Whether what policies decide may depend on where pods are."""
        return reads_places(self._facts.policies.entries)

    @cached_property
    def zones_named(self) -> tuple[frozenset[str], bool]:
        """The zones that policies name, and whether one of them reads regions."""
        if not self.zonal:
            return (frozenset(), False)
        from trainlint.proof.ideal.cluster import named_by_policies  # noqa: PLC0415

        return named_by_policies(self._facts.policies.entries)

    @cached_property
    def unstated(self) -> frozenset[ObjectRef]:
        """The objects that name no namespace."""
        return frozenset(each.ref for each in self._snapshot.objects if not each.meta.namespace)

    @cached_property
    def given_elsewhere(self) -> bool:
        """Whether deployers give namespaces to what they bring, and stand beside objects that they may bring: these
        were not followed.
        """
        return any(
            (each.meta.kind == "Kustomization" and each.field.down("spec", "targetNamespace").present)
            or (each.meta.kind == "Application" and each.field.down("spec", "destination", "namespace").present)
            for each in self._snapshot.objects
        )

    def elsewhere(self, group: Group, everywhere: tuple[Place, ...]) -> tuple[str, ...]:
        """The namespaces whose policies would decide otherwise about a group that names none."""
        key = (id(group), everywhere if self.zonal else ())
        if key not in self._others_of:
            entries = self._facts.policies.entries
            found = other_namespaces(
                group, self.unstated, entries, lambda each: self.reach(each, everywhere), given=self.given_elsewhere
            )
            self._others_of[key] = (group, found)
        return self._others_of[key][1]

    def gang(self, group: Group) -> str:
        """What starts all pods of the group or none of them; empty where nothing does."""
        own = [each for index, each in enumerate(group.members) if index not in group.dependencies and each.replicas]
        for gang in self._snapshot.workloads.gangs:
            members = {id(pod_set) for pod_set in gang.pod_sets}
            counts = [each.replicas for each in gang.pod_sets]
            pods = sum(count for count in counts if isinstance(count, int))
            if all(id(each) in members for each in own) and isinstance(gang.minimum, int) and gang.minimum >= pods:
                return gang.what
        return ""

    def others(self, group: Group, inventory: Inventory) -> list[Feasibility]:
        """Where the pods can be scheduled that the group may be required to be near."""
        key = (id(group), id(inventory))
        if key not in self._near:
            found = [self._facts.verdicts.over(pod_set, inventory) for pod_set in self.near_sets(group)]
            self._near[key] = (group, inventory, found)
        return self._near[key][2]

    def near_sets(self, group: Group) -> list[PodSet]:
        """The pod sets that pods of the group could be required to be near."""
        terms = [(member.namespace, term) for member in group.members for term in member.spec.pod_affinity]
        if not terms:
            return []
        members = {id(member) for member in group.members}
        return [each for each in self._pods.near(terms) if id(each) not in members]

    @cached_property
    def _pods(self) -> PodIndex:
        return PodIndex(self._snapshot.workloads.pod_sets)

    def attracting(self, group: Group) -> tuple[PodSet, ...]:
        """The pod sets that are no members and that pods of the group must be near."""
        admitted = self._facts.verdicts.admitted
        mine = [pod for each in group.members if each.spec.pod_affinity for pod in admitted(each)]
        return tuple(
            each
            for each in self.near_sets(group)
            if any(attracted(one, other, self._snapshot.namespaces) for one in mine for other in admitted(each))
        )

    def ideal(self, group: Group) -> Ideal:
        """The ideal cluster of the group's pods and of those that they must be near."""
        from trainlint.proof.ideal.cluster import ideal_cluster  # noqa: PLC0415

        sets = (*(each for each in group.members if each.replicas != 0), *self.attracting(group))
        pods = [pod for each in sets for pod in self._facts.verdicts.admitted(each)]
        key = self._snapshot.settings.topology_key
        return ideal_cluster(pods, sets, self._facts.cluster.storage, key, self.zones_named)

    def outside(self, group: Group) -> tuple[ObjectNeed, ...]:
        """The objects that the group needs and that Git does not hold."""
        from trainlint.proof.ideal.needs import outside_objects  # noqa: PLC0415 (only where nodes are not known)

        return tuple(outside_objects(group, self._facts.verdicts, self._facts.cluster.present))
