"""Where the pods of each pod set can be scheduled, over the nodes that count for it: each worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from trainlint.fact import remembered
from trainlint.model.admission import Admission
from trainlint.model.known import Undetermined
from trainlint.model.pool import Inventory, Pool, at_most
from trainlint.model.settings import Settings
from trainlint.model.storage import Storage
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.proof.colocation_units import tiers_of
from trainlint.proof.feasibility import Feasibility, judge_pod_set
from trainlint.proof.node_closure import NodeClosure, closed_for, home_of
from trainlint.queues.kueue_queues import Queueing
from trainlint.queues.multikueue import handed_on
from trainlint.reachability import NO_DOMAIN
from trainlint.scheduling.admission import admit
from trainlint.scheduling.condense import condense, named
from trainlint.scheduling.devices.attributes_read import AttributesRead
from trainlint.scheduling.node import Node, node_of
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.queue_flavor import with_flavors
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.kinds import HYPERNODE_KINDS
from trainlint.workload.accelerators import accelerators_of

__all__ = ["Judged", "Verdicts"]

Judged = tuple[Feasibility, tuple[Node, ...]]
"""The verdicts on a pod set, with the nodes that their indexes are about."""


_OF_THE_POD: Final = frozenset(
    {"", "configMap", "downwardAPI", "emptyDir", "hostPath", "image", "nfs", "projected", "secret"}
)
"""Kinds of volumes that no claim, class or limit of a node has to do with."""

_NO_VOLUMES: Final = Storage()

_at_most = remembered(at_most)


@remembered
def _whole(inventory: Inventory) -> Inventory:
    """The inventory, taken for all nodes that there are."""
    return replace(inventory, complete=True, partial="")


_judge = remembered(judge_pod_set)
"""What Kueue has no part in is the same in all snapshots that have the same facts."""


def _nodes(inventory: Inventory, names: frozenset[str] | None, asked: frozenset[str]) -> tuple[Node, ...]:
    """The nodes of an inventory among pods that ask for these names and resources: the very same ones every time."""
    known = _known(inventory)
    if (names, asked) not in known:
        known[names, asked] = tuple(node_of(pool, asked) for pool in condense(inventory.pools, names))
    return known[names, asked]


@remembered
def _known(inventory: Inventory) -> dict[tuple[frozenset[str] | None, frozenset[str]], tuple[Node, ...]]:
    """The nodes of an inventory as they were asked for so far: a place for what is remembered."""
    return {}


def _has_storage(pod_set: PodSet) -> bool:
    """Whether a pod has a volume that storage decides about."""
    return any(volume.kind not in _OF_THE_POD for volume in pod_set.spec.volumes)


class Verdicts:
    """The verdicts of one snapshot. Inventories are told apart by identity: equal ones may be two clusters."""

    def __init__(self, snapshot: Snapshot, admission: Admission, storage: Storage, queueing: Queueing) -> None:
        self._snapshot = snapshot
        self._admission = admission
        self.storage = storage
        self._queueing = queueing
        self._condensed: dict[int, tuple[Inventory, tuple[Node, ...]]] = {}
        self._generous: dict[int, Inventory | None] = {}
        self._judged: dict[tuple[int, int], Feasibility] = {}
        self._alone: dict[int, Feasibility] = {}

    @property
    def topology_key(self) -> str:
        """The node label that names the domains."""
        return self._snapshot.settings.topology_key

    def inventory(self, pod_set: PodSet) -> Inventory | None:
        """The inventory that counts for a pod set; ``None`` if there is none, or no reason to choose one, or if another
        cluster runs the pods.
        """
        if pod_set.owner in self._handed_on:
            return None
        nearest = self._snapshot.inventories_for(pod_set.at)
        return nearest[0] if len(nearest) == 1 else None

    def closed_inventory(self, pod_set: PodSet) -> Inventory | None:
        """The inventory of the pods where absence proves something: it is complete, and no kustomization changes the
        pods; ``None`` where it proves nothing.
        """
        inventory = self.inventory(pod_set)
        closed = inventory is not None and inventory.complete and pod_set.at.file not in self._snapshot.unrendered
        return inventory if closed else None

    def at_most(self, inventory: Inventory) -> Inventory | None:
        """The inventory with the most that may be allocatable, where that is only estimated; ``None`` where nothing is
        estimated.
        """
        key = id(inventory)
        if key not in self._generous:
            self._generous[key] = _at_most(inventory)
        return self._generous[key]

    def nodes(self, inventory: Inventory) -> tuple[Node, ...]:
        """Its nodes, one for each class that no pod of the snapshot can tell apart."""
        key = id(inventory)
        if key not in self._condensed:
            pools = self._known(inventory)
            terms = [term for volume in self.storage.volumes.values() for term in volume.node_affinity or ()]
            names = named([pod.spec for pod in self._pods], terms)
            if pools is inventory.pools:
                nodes = _nodes(inventory, names, self._asked)
            else:
                nodes = tuple(node_of(pool, self._asked) for pool in condense(pools, names))
            self._condensed[key] = (inventory, nodes)
        return self._condensed[key][1]

    def each_node(self, inventory: Inventory) -> tuple[Node, ...]:
        """One node of every pool, each where it is written."""
        return tuple(node_of(pool, self._asked) for pool in self._known(inventory))

    @cached_property
    def _tiers(self) -> frozenset[str]:
        """The tiers of HyperNodes that workloads of the snapshot ask for."""
        return tiers_of(self._snapshot.workloads.pod_sets)

    @cached_property
    def _looked_at(self) -> AttributesRead:
        """What claims of the snapshot look at of devices."""
        version = self._snapshot.settings.kubernetes
        return AttributesRead((pod.spec.resource_claims for pod in self._pods), version)

    def _known(self, inventory: Inventory) -> tuple[Pool, ...]:
        """The pools with the devices that claims can tell apart, and with their HyperNodes."""
        pools = self._grouped(inventory)
        if all(pool.devices is None for pool in pools):
            return pools
        return tuple(replace(pool, devices=self._looked_at.of(pool.devices)) for pool in pools)

    def _grouped(self, inventory: Inventory) -> tuple[Pool, ...]:
        """The pools with the HyperNodes that they are in, as far as a workload asks for tiers of them."""
        tiers = self._tiers
        if not tiers:
            return inventory.pools
        from trainlint.kube.hypernode import read_hypernode  # noqa: PLC0415 (seldom needed)
        from trainlint.scheduling.hypernodes import with_hypernodes  # noqa: PLC0415

        items = (each.field for each in self._snapshot.objects if each.meta.kind in HYPERNODE_KINDS)
        tree = [each for each in map(read_hypernode, items) if each is not None]
        return with_hypernodes(inventory.pools, tree, tiers)

    @cached_property
    def _handed_on(self) -> Mapping[ObjectRef, tuple[str, ...]]:
        """The objects of which this cluster makes no pods."""
        return handed_on(self._queueing)

    @cached_property
    def _pods(self) -> tuple[Pod, ...]:
        """One pod of every set, as admitted."""
        pod_sets = self._snapshot.workloads.pod_sets
        return tuple(admit(each, self._snapshot.settings, self._admission).pod for each in pod_sets)

    @cached_property
    def _asked(self) -> frozenset[str]:
        """The resources that pods ask for."""
        return frozenset(name for pod in self._pods for name in pod.requests.amounts)

    def over(self, pod_set: PodSet, inventory: Inventory) -> Feasibility:
        """The verdicts on a pod set over the nodes of an inventory."""
        key = (id(inventory), id(pod_set))
        if key not in self._judged:
            facts = (pod_set, inventory, self.nodes(inventory), *self._cluster(pod_set))
            queued = self._queueing.choices(pod_set) if pod_set.queue else None
            judged = judge_pod_set(*facts, queued) if pod_set.queue else _judge(*facts)
            self._judged[key] = judged if inventory.complete else self._in_closed_world(judged, inventory)
        return self._judged[key]

    def _cluster(self, pod_set: PodSet) -> tuple[Settings, Admission, Storage]:
        """What else of the cluster decides about the pods."""
        return self._snapshot.settings, self._admission, self.storage_of(pod_set)

    def storage_of(self, *pod_sets: PodSet) -> Storage:
        """What is known about volumes; nothing where these pods have none but their own."""
        return self.storage if any(map(_has_storage, pod_sets)) else _NO_VOLUMES

    def _in_closed_world(self, judged: Feasibility, inventory: Inventory) -> Feasibility:
        """The verdicts with the cause, where no node that Git does not describe can take the pods."""
        if judged.pools or judged.doubtful or not judged.verdicts:
            return judged
        closed = self.closing(judged, inventory)
        if closed is None:
            return judged
        pod_set = judged.pod_set
        whole = _whole(inventory)
        facts = (pod_set, whole, self.nodes(inventory), *self._cluster(pod_set))
        found = judge_pod_set(*facts, self._queueing.choices(pod_set)) if pod_set.queue else _judge(*facts)
        if found.cause is None:
            return judged
        return Feasibility(pod_set, judged.pod, judged.verdicts, replace(found.cause, assumes=closed.assumes))

    def closing(self, judged: Feasibility, inventory: Inventory) -> NodeClosure | None:
        """Why no nodes beside those of the inventory can take the pods of a set; ``None`` where others might, or where
        a kustomization changes the pods that was not rendered.
        """
        file = judged.pod_set.at.file
        if file in self._snapshot.unrendered:
            return None

        def concerns(pool: Pool) -> bool:
            home = home_of(pool)
            return file.startswith(home) or not any(each.startswith(home) for each in self._computing)

        stated = self._snapshot.settings.nodes
        return closed_for(judged.pod, inventory, self.nodes(inventory), concerns, stated=stated)

    @cached_property
    def _computing(self) -> frozenset[str]:
        """The files of groups and of pods that ask for accelerators: what makes nodes among them is about them."""
        workloads = self._snapshot.workloads
        members = {id(member) for group in workloads.groups for member in group.members}
        return frozenset(
            each.at.file for each in workloads.pod_sets if id(each) in members or accelerators_of(each.spec)
        )

    def of(self, pod_set: PodSet) -> Judged | None:
        """The verdicts over the inventory that counts for the pod set; ``None`` where the nodes are unknown."""
        inventory = self.inventory(pod_set)
        return None if inventory is None else (self.over(pod_set, inventory), self.nodes(inventory))

    def closed(self, pod_set: PodSet) -> Judged | None:
        """What the nodes of the pods' inventory allow, where absence proves something; ``None`` where it proves
        nothing.
        """
        inventory = self.closed_inventory(pod_set)
        return None if inventory is None else (self.over(pod_set, inventory), self.nodes(inventory))

    def admitted(self, pod_set: PodSet) -> tuple[Pod, ...]:
        """A pod of the set as admitted, for each choice of flavors that Kueue has."""
        choices = self._queueing.choices(pod_set) if pod_set.queue else None
        sets = [replace(pod_set, spec=with_flavors(pod_set.spec, each)) for each in choices or ()] or [pod_set]
        return tuple(admit(each, self._snapshot.settings, self._admission).pod for each in sets)

    def alone(self, pod_set: PodSet) -> Feasibility | None:
        """The verdicts on a pod set over all nodes that could exist; ``None`` where it asks nothing of their labels."""
        spec = pod_set.spec
        claims = any(each.kind in ("persistentVolumeClaim", "ephemeral") for each in spec.volumes)
        if not (spec.node_selector or spec.node_affinity is not None or claims):
            return None
        if pod_set.owner in self._handed_on:
            return None
        if id(pod_set) not in self._alone:
            from trainlint.proof.ideal.cluster import ideal_cluster  # noqa: PLC0415 (only where nodes are not known)

            key = self._snapshot.settings.topology_key
            made = ideal_cluster(self.admitted(pod_set), (pod_set,), self.storage, key)
            judged = self.over(pod_set, made.inventory)
            self._alone[id(pod_set)] = replace(judged, cause=None) if made.open else judged
        return self._alone[id(pod_set)]

    def zones(self, pod_set: PodSet) -> tuple[str, ...] | None:
        """The domains in which one pod of the set can surely be scheduled; ``None`` where the nodes are unknown."""
        judged = self.of(pod_set)
        if judged is None:
            return None
        feasibility, nodes = judged
        values = (nodes[index].pool.label(self._snapshot.settings.topology_key) for index in feasibility.pools)
        return tuple(sorted({value or NO_DOMAIN for value in values if not isinstance(value, Undetermined)}))

    def open_pools(self, pod_set: PodSet) -> tuple[Pool, ...] | None:
        """The pools that may take a pod of the set; ``None`` where some nodes are unknown."""
        inventory = self.inventory(pod_set)
        if inventory is None or not inventory.complete:
            return None
        nodes, feasibility = self.nodes(inventory), self.over(pod_set, inventory)
        return tuple(nodes[index].pool for index in sorted(feasibility.pools | feasibility.doubtful))
