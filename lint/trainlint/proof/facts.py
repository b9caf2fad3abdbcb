"""What a rule sees of one snapshot: its facts, and the verdicts and proofs that follow from them, made when asked."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from trainlint.fabric.facts import Fabric
from trainlint.finding import Unknown
from trainlint.model.admission import Admission
from trainlint.model.known import Answer, Undetermined
from trainlint.model.pool import Inventory, Pool, at_most
from trainlint.model.storage import Storage
from trainlint.model.workload import Gang, Group, ObjectRef, PodSet
from trainlint.policy import PolicyContext, PolicySet, Service, read_policies
from trainlint.policy.endpoints import port_table
from trainlint.policy.mistakes.pods import Unselected
from trainlint.proof.agreement import agreed
from trainlint.proof.budget import affordable
from trainlint.proof.cause import CapacityCause, DeadlockCause, FlowCause, PlacementCause, TargetCause
from trainlint.proof.elsewhere import other_namespaces
from trainlint.proof.exclusive import ExclusiveCause, exclusive_causes
from trainlint.proof.feasibility import Feasibility, judge_pod_set, zone_of
from trainlint.proof.group import GroupProof, Stage, never_placed, prove
from trainlint.proof.mistakes import NodePeer, PolicyMistakes, node_peers
from trainlint.proof.never_admitted import QueueCause, queue_causes
from trainlint.proof.queueing import Queueing
from trainlint.proof.quota import QuotaCause, quota_causes, refused_elsewhere
from trainlint.proof.references import ReferenceCause, dangling_references
from trainlint.proof.sharing import SharingCause, shared_claims
from trainlint.proof.soft import SoftColocation, soft_colocations
from trainlint.proof.targets import missing_targets
from trainlint.proof.zonelabel import ZoneLabel, contradictions, labels_read
from trainlint.reachability import NO_DOMAIN, Reachability, places, reads_places
from trainlint.scheduling.admission import admit
from trainlint.scheduling.condense import condense
from trainlint.scheduling.node import Node, node_of
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.platform import read_admission, read_storage
from trainlint.workload.expansion import is_template
from trainlint.workload.expansion import pod_set as pods_of
from trainlint.workload.gangs import oversized

__all__ = ["Facts"]

C = TypeVar("C")


class Facts:
    """The snapshot, with everything that is derived from it computed once and shared by all rules."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.others: tuple[Facts, ...] = ()
        self._condensed: dict[int, tuple[Inventory, tuple[Node, ...]]] = {}
        self._generous: dict[int, Inventory | None] = {}
        self._verdicts: dict[tuple[int, Hashable], Feasibility] = {}

    @cached_property
    def policies(self) -> PolicySet:
        """The policies in force."""
        services = tuple(
            Service(each.ref.namespace, each.ref.name, selector=each.selector or {})
            for each in self.snapshot.workloads.services
        )
        context = PolicyContext(
            settings=self.snapshot.settings,
            namespaces=self.snapshot.namespaces,
            services=services,
            port_names=port_table(self.snapshot.workloads.pod_sets),
        )
        written = [each.field for each in self.snapshot.objects]
        return read_policies([*written, *self.snapshot.workloads.policies], context)

    @cached_property
    def admission(self) -> Admission:
        """What the API server knows when pods are made."""
        return read_admission(self.snapshot.objects)

    @cached_property
    def storage(self) -> Storage:
        """The volumes, claims and classes in Git."""
        return read_storage(self.snapshot.objects)

    @cached_property
    def fabric(self) -> Fabric:
        """Interfaces, devices and settings of the ranks."""
        return Fabric(self.snapshot, self._open_pools)

    def _open_pools(self, pod_set: PodSet) -> tuple[Pool, ...] | None:
        """The pools that may take a pod of the set; ``None`` where nobody knows the nodes."""
        inventory = self._inventory(pod_set)
        if inventory is None or not inventory.complete:
            return None
        nodes, judged = self._nodes(inventory)[1], self._feasibility(pod_set, inventory)
        return tuple(nodes[index].pool for index in sorted(judged.pools | judged.doubtful))

    @cached_property
    def mistakes(self) -> PolicyMistakes:
        """What people got wrong in the policies, although every object may be valid."""
        return PolicyMistakes(self.snapshot, self.policies)

    @cached_property
    def unselected(self) -> tuple[Unselected, ...]:
        """Policies that select no pod, here or in another snapshot of the repository."""
        found = self.mistakes.unselected
        return tuple(
            each for each in found if not any(each.origin in other.mistakes.selecting for other in self.others)
        )

    @cached_property
    def node_peers_of_denials(self) -> tuple[NodePeer, ...]:
        """Node peers of policies that deny a needed connection between pods on the pod network."""
        return tuple(
            dict.fromkeys(
                each for proof, cause in self.flow_causes("flow-denied") for each in node_peers(proof.group, cause)
            )
        )

    @cached_property
    def feasibilities(self) -> tuple[Feasibility, ...]:
        """Where the pods of every pod set can be scheduled; pod sets whose nodes nobody knows are left out."""
        return tuple(
            judged for pod_set in self.snapshot.workloads.pod_sets if (judged := self.feasibility(pod_set)) is not None
        )

    def feasibility(self, pod_set: PodSet) -> Feasibility | None:
        """The verdicts on one pod set over the inventory that counts for it."""
        inventory = self._inventory(pod_set)
        return None if inventory is None else self._feasibility(pod_set, inventory)

    def zones_of(self, pod_set: PodSet) -> tuple[str, ...] | None:
        """The domains in which one pod of the set can surely be scheduled; ``None`` where nobody knows the nodes."""
        inventory = self._inventory(pod_set)
        if inventory is None:
            return None
        nodes, key = self._nodes(inventory)[1], self.snapshot.settings.topology_key
        values = (nodes[index].pool.label(key) for index in self._feasibility(pod_set, inventory).pools)
        return tuple(sorted({value or NO_DOMAIN for value in values if not isinstance(value, Undetermined)}))

    def _inventory(self, pod_set: PodSet) -> Inventory | None:
        nearest = self.snapshot.inventories_for(pod_set.at)
        return nearest[0] if len(nearest) == 1 else None

    def _nodes(self, inventory: Inventory) -> tuple[Inventory, tuple[Node, ...]]:
        key = id(inventory)
        if key not in self._condensed:
            pod_sets, volumes = self.snapshot.workloads.pod_sets, self.storage.volumes.values()
            pods = [admit(each, self.snapshot.settings, self.admission).pod for each in pod_sets]
            specs = [pod.spec for pod in pods]
            asked = {name for pod in pods for name in pod.requests.amounts}
            terms = [term for volume in volumes for term in volume.node_affinity or ()]
            pools = condense(inventory.pools, specs, terms)
            self._condensed[key] = (inventory, tuple(node_of(pool, asked) for pool in pools))
        return self._condensed[key]

    def _feasibility(self, pod_set: PodSet, inventory: Inventory) -> Feasibility:
        key = (id(inventory), id(pod_set))
        if key not in self._verdicts:
            _, nodes = self._nodes(inventory)
            self._verdicts[key] = judge_pod_set(
                pod_set,
                inventory,
                nodes,
                self.snapshot.settings,
                self.admission,
                self.storage,
                self.queueing.choices(pod_set) if pod_set.queue else None,
            )
        return self._verdicts[key]

    @cached_property
    def proofs(self) -> tuple[GroupProof, ...]:
        """The proof of every group."""
        return tuple(self._prove(group) for group in self.snapshot.workloads.groups)

    def _prove(self, group: Group) -> GroupProof:
        nearest = self.snapshot.inventories_for(group.at or group.members[0].at)
        missing = list(self._missing(group, nearest))
        if changed := self._changed(group):
            return GroupProof(group, Answer.UNKNOWN, Answer.UNKNOWN, missing=changed)
        if len(nearest) != 1:
            return self._judged(group, None, missing)
        proof = self._judged(group, nearest[0], missing)
        most = self._at_most(nearest[0]) if Answer.REFUTED in (proof.exists, proof.for_all) else None
        proof = proof if most is None else agreed(proof, self._judged(group, most, missing))
        return affordable(proof, nearest[0].pools)

    def _at_most(self, inventory: Inventory) -> Inventory | None:
        """The inventory with the most that may be allocatable, where what is is only estimated."""
        key = id(inventory)
        if key not in self._generous:
            self._generous[key] = at_most(inventory)
        return self._generous[key]

    def _judged(self, group: Group, inventory: Inventory | None, missing: list[str]) -> GroupProof:
        stage = None if inventory is None else self._stage(group, inventory)
        if any(isinstance(member.replicas, Undetermined) for member in group.members):
            stage = None
        everywhere = places((node.pool for node in stage.nodes), self.snapshot.settings.topology_key) if stage else ()

        def reach(group: Group) -> Reachability:
            settings, namespaces = self.snapshot.settings, self.snapshot.namespaces
            return Reachability(group, everywhere, self.policies, settings, namespaces, zonal=self._zonal)

        missing = list(missing)
        missing += [
            f"the namespace of {group.name}: none is written, and in {namespace} policies decide otherwise about it"
            for namespace in other_namespaces(group, self._unstated, self.policies.entries, reach)
        ]
        missing += [
            f"the namespace of {group.name}: none is written, and in {namespace} quotas or limits refuse its pods"
            for namespace in refused_elsewhere(group, self._unstated, self.snapshot.settings, self.admission)
        ]
        proof = prove(group, reach(group), stage, missing)
        if stage is None and self._never_made(group):
            return replace(proof, exists=Answer.REFUTED, for_all=Answer.REFUTED)
        return proof

    @cached_property
    def _zonal(self) -> bool:
        """Whether what policies decide may depend on where pods are."""
        return reads_places(self.policies.entries)

    @cached_property
    def _unstated(self) -> frozenset[ObjectRef]:
        """The objects that name no namespace."""
        return frozenset(each.ref for each in self.snapshot.objects if not each.meta.namespace)

    def _stage(self, group: Group, inventory: Inventory) -> Stage:
        members = {id(member) for member in group.members}
        wanted = any(member.spec.pod_affinity for member in group.members)
        others = [
            self._feasibility(pod_set, inventory)
            for pod_set in self.snapshot.workloads.pod_sets
            if wanted and id(pod_set) not in members and pod_set.replicas != 0
        ]
        return Stage(
            nodes=self._nodes(inventory)[1],
            feasible={index: self._feasibility(member, inventory) for index, member in enumerate(group.members)},
            others=others,
            settings=self.snapshot.settings,
            namespaces=self.snapshot.namespaces,
            complete=inventory.complete,
            partial=inventory.partial,
            storage=self.storage,
            gathered=self.queueing.gathers(group, self.snapshot.settings.topology_key),
            hopeless=self._never_made(group) or any(id(cause.pod_set) in members for cause in self.missing_targets),
        )

    def _never_made(self, group: Group) -> bool:
        """Whether pods of the group are refused, or what they need (claim, domain, partners) is never there for all."""
        members = {id(member) for member in group.members}
        refused = [cause.pod_sets for cause in self.refused_pods]
        refused += [cause.pod_sets for cause in self.shared_claims if cause.certain]
        refused += [cause.pod_sets for cause in self.exclusive_shortages]
        refused += [gang.pod_sets for gang, _ in self.oversized_gangs]
        refused += [cause.pod_sets for cause in self.never_admitted if cause.certain]
        return any(id(pod_set) in members for pod_sets in refused for pod_set in pod_sets)

    @cached_property
    def queueing(self) -> Queueing:
        """What Kueue makes of the pods that are sent to its queues."""
        return Queueing(self.snapshot, self.admission)

    @cached_property
    def never_admitted(self) -> tuple[QueueCause, ...]:
        """Objects that Kueue never admits. Where another snapshot defines their queues otherwise and admits them there,
        nobody can tell which of the definitions is meant for them.
        """
        return tuple(
            each
            for each in self._queue_causes
            if not any(
                other.queueing.knows(each.at) and all(cause.at != each.at for cause in other._queue_causes)
                for other in self.others
            )
        )

    @cached_property
    def _queue_causes(self) -> tuple[QueueCause, ...]:
        return tuple(queue_causes(self.queueing))

    @cached_property
    def refused_pods(self) -> tuple[QuotaCause, ...]:
        """Pods that limits or quotas keep from being made."""
        workloads = self.snapshot.workloads
        return tuple(quota_causes(workloads.groups, workloads.pod_sets, self.snapshot.settings, self.admission))

    @cached_property
    def dangling_references(self) -> tuple[ReferenceCause, ...]:
        """References to objects that are not there."""
        return tuple(dangling_references(self.snapshot))

    @cached_property
    def soft_colocations(self) -> tuple[SoftColocation, ...]:
        """Groups that only preferences keep together."""
        key = self.snapshot.settings.topology_key
        return tuple(soft_colocations(self.proofs, self.snapshot.workloads, key, self.zones_of))

    @cached_property
    def shared_claims(self) -> tuple[SharingCause, ...]:
        """Claims that attach to one node and are used on several."""
        workloads = self.snapshot.workloads
        return tuple(shared_claims(workloads.groups, workloads.pod_sets, self.storage, self.judge))

    @cached_property
    def daemons(self) -> tuple[PodSet, ...]:
        """The pods of DaemonSets: one on each node that takes it, so they are none of the workloads' pod sets."""
        return tuple(
            pods_of(each.ref, "", 1, each.field.down("spec", "template"), each.field.at)
            for each in self.snapshot.objects
            if each.meta.kind == "DaemonSet" and is_template(each.field.down("spec", "template"))
        )

    def judge(self, pod_set: PodSet) -> tuple[Feasibility, tuple[Node, ...]] | None:
        """The verdicts on a pod set with the nodes that they are about; ``None`` where nobody knows the nodes."""
        inventory = self._inventory(pod_set)
        return None if inventory is None else (self._feasibility(pod_set, inventory), self._nodes(inventory)[1])

    @cached_property
    def oversized_gangs(self) -> tuple[tuple[Gang, int], ...]:
        """Gangs that demand more pods than will ever exist, with how many will."""
        return tuple(oversized(self.snapshot.workloads.gangs, self.snapshot.may_hold_more))

    @cached_property
    def exclusive_shortages(self) -> tuple[ExclusiveCause, ...]:
        """Objects whose exclusive topology asks for more or larger domains than there are."""

        def judge(pod_set: PodSet) -> tuple[Feasibility, tuple[Node, ...]] | None:
            inventory = self._inventory(pod_set)
            if inventory is None or not inventory.complete or pod_set.at.file in self.snapshot.unrendered:
                return None
            return self._feasibility(pod_set, inventory), self._nodes(inventory)[1]

        return tuple(exclusive_causes(self.snapshot.workloads.objects, judge))

    def _missing(self, group: Group, nearest: tuple[Inventory, ...]) -> Iterator[str]:
        if not nearest:
            yield NO_INVENTORY
        elif len(nearest) > 1:
            yield f"which of {len(nearest)} inventories counts: {', '.join(each.name for each in nearest)}"
        members = {id(member) for member in group.members}
        for cause in self.dangling_references:
            if any(id(pod_set) in members for pod_set in cause.pod_sets):
                yield f"{cause.target}, to which {cause.pod_sets[0].name} refers: it is not in Git"

    def _changed(self, group: Group) -> tuple[str, ...]:
        """Which kustomizations would change the group or a policy over it: then nothing that is read here holds."""
        namespaces = {"", *(member.namespace for member in group.members)}
        files = [member.at.file for member in group.members]
        moved = self.snapshot.moved
        files += [
            entry.at.file
            for entry in self.policies.entries
            if entry.namespace in namespaces or not namespaces.isdisjoint(moved.get(entry.at.file, ()))
        ]
        directories = {self.snapshot.unrendered[file] for file in files if file in self.snapshot.unrendered}
        return tuple(f"what the kustomization {each} makes of it: it was not rendered" for each in sorted(directories))

    def flow_causes(self, rule: str) -> Iterator[tuple[GroupProof, FlowCause]]:
        """The needed flows that are denied wherever pods land, for the reason that ``rule`` names."""
        for proof in self.proofs:
            for cause in proof.causes:
                if isinstance(cause, FlowCause) and cause.rule == rule:
                    yield proof, cause

    @cached_property
    def contradicting_labels(self) -> tuple[ZoneLabel, ...]:
        """Pod labels that policies read as a zone and that name another one than the pods can land in."""
        key = self.snapshot.settings.topology_key
        judged = []
        for feasible in self.feasibilities:
            inventory = self._inventory(feasible.pod_set)
            if inventory is not None:
                nodes = self._nodes(inventory)[1]
                judged.append((feasible, {index: zone_of(node.pool, key) for index, node in enumerate(nodes)}))
        return tuple(contradictions(judged, labels_read(self.policies.entries)))

    def placement_causes(self, rule: str) -> Iterator[PlacementCause]:
        """The pod sets that can never be scheduled for the reason ``rule``; one for each fault of an object."""
        found: dict[Hashable, PlacementCause] = {}
        for judged in self.feasibilities:
            cause = judged.cause
            if cause is None or cause.rule != rule or judged.pod_set.replicas == 0:
                continue
            fault = frozenset((miss.pool.name, *(each.reason for each in miss.refusals)) for miss in cause.misses)
            before = found.get((judged.pod_set.owner, fault))
            found[judged.pod_set.owner, fault] = (
                cause if before is None else replace(before, also=(*before.also, judged.pod_set))
            )
        yield from found.values()

    @cached_property
    def missing_targets(self) -> tuple[TargetCause, ...]:
        """Pod sets that must start near a pod that nobody makes."""
        unrendered = self.snapshot.unrendered
        return tuple(each for each in missing_targets(self.snapshot) if each.pod_set.at.file not in unrendered)

    def causes(self, kind: type[C]) -> Iterator[C]:
        """The causes of one type, in groups and of pod sets outside of them."""
        for proof in self.proofs:
            yield from (cause for cause in proof.causes if isinstance(cause, kind))
        yield from (cause for cause in self._alone if isinstance(cause, kind))

    @cached_property
    def _alone(self) -> tuple[CapacityCause | DeadlockCause, ...]:
        """Why pod sets that communicate with nobody can never all be scheduled."""
        found = []
        grouped = {id(member) for group in self.snapshot.workloads.groups for member in group.members}
        for pod_set in self.snapshot.workloads.pod_sets:
            if id(pod_set) in grouped or not isinstance(pod_set.replicas, int) or pod_set.replicas == 0:
                continue
            inventory = self._inventory(pod_set)
            if inventory is None or not inventory.complete or pod_set.at.file in self.snapshot.unrendered:
                continue
            inventory = self._at_most(inventory) or inventory
            alone = Group(pod_set.name, pod_set.owner.kind, (pod_set,), (), at=pod_set.at)
            stage = self._stage(alone, inventory)
            if stage.feasible[0].cause is None and (cause := never_placed(alone, stage)) is not None:
                found.append(cause)
        return tuple(found)

    @cached_property
    def unknowns(self) -> tuple[Unknown, ...]:
        """What is missing for this snapshot's questions."""
        return tuple(dict.fromkeys((*self.snapshot.unknowns, *self.policies.unknowns, *_of_proofs(self.proofs))))


NO_INVENTORY = "the nodes: there is no inventory"

REMEDIES: Mapping[str, str] = {
    NO_INVENTORY: "write the nodes into the repository: "
    "kubectl get nodes -o yaml | trainlint inventory - > inventory.yaml",
}


def _of_proofs(proofs: tuple[GroupProof, ...]) -> Iterator[Unknown]:
    for proof in proofs:
        for text in proof.missing:
            yield Unknown(f"group {proof.group.name}", text, REMEDIES.get(text, ""), at=proof.group.at)
