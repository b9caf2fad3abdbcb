"""What a rule sees of one snapshot: its facts, and the verdicts and proofs that follow from them, made when asked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from trainlint.checks.assumed import other_worlds, with_assumptions
from trainlint.checks.exclusive import ExclusiveCause, exclusive_causes
from trainlint.checks.gated import gated
from trainlint.checks.policies import NodePeer, PolicyMistakes, node_peers
from trainlint.checks.preferred_affinity import SoftColocation, soft_colocations
from trainlint.checks.refusals import Refused, RefusedObject, refusals, refused
from trainlint.checks.shapes import ShapeMismatch, shape_mismatches
from trainlint.checks.shared_claims import SharingCause, shared_claims
from trainlint.checks.slips import with_slips
from trainlint.checks.stopped import Stopped, refuted_by_faults, stopped
from trainlint.checks.targets import missing_targets
from trainlint.checks.zone_labels import ZoneLabel, contradictions, labels_read
from trainlint.fabric.facts import Fabric
from trainlint.facts.prover import NO_INVENTORY, Prover
from trainlint.finding import Location, Related, Unknown
from trainlint.kube.mesh import MESH_KINDS
from trainlint.model.admission import Admission
from trainlint.model.storage import Storage
from trainlint.model.workload import Gang, Group, ObjectRef, PodSet, Workload
from trainlint.policy import PolicyContext, PolicyService, PolicySet, read_policies
from trainlint.policy.checks.pods import Unselected
from trainlint.policy.endpoints import port_table
from trainlint.policy.resolvers import redirected_pods
from trainlint.proof.cause import CapacityCause, Cause, DeadlockCause, FlowCause, Miss, PlacementCause, TargetCause
from trainlint.proof.feasibility import Feasibility, zone_of
from trainlint.proof.group import GroupProof
from trainlint.proof.prove import never_placed
from trainlint.proof.quota import QuotaCause, quota_causes
from trainlint.proof.verdicts import Verdicts
from trainlint.queues.late_members import LateMembers, late_members
from trainlint.queues.missed_queue import MissedQueue
from trainlint.queues.missed_queues import missed_queues
from trainlint.queues.multikueue import handed_on, multikueue_causes
from trainlint.queues.never_admitted import NAMES_IT, QueueCause, causes_of, queue_causes
from trainlint.queues.queue_refusals import QueueRefusal, SchedulerQueues
from trainlint.queues.queueing import Queueing
from trainlint.queues.unmanaged import unmanaged
from trainlint.references.depended import undepended
from trainlint.references.references import ReferenceCause, dangling_references
from trainlint.references.settings_of_pods import MissingSetting, holds_setting, missing_settings
from trainlint.scheduling.refusal import Doubt
from trainlint.scheduling.taint_toleration import UNKNOWN_PLATFORM
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.platform import read_admission, read_storage
from trainlint.workload.contract import Contract
from trainlint.workload.expansion import is_template
from trainlint.workload.expansion import pod_set as pods_of
from trainlint.workload.gangs import oversized
from trainlint.workload.kinds import is_training

if TYPE_CHECKING:
    from trainlint.causes.unsat_core import Core
    from trainlint.control_plane.denied import Denial
    from trainlint.control_plane.mesh import MeshDenial
    from trainlint.control_plane.need import Need
    from trainlint.model.policy import Verdict
    from trainlint.model.workload import Flow
    from trainlint.proof.near import Near

__all__ = ["Facts"]

C = TypeVar("C")

NEAR: Final = 50_000
"""Entries that are asked what is missing in them for the flows of one cause."""

_OF_OTHERS = frozenset({"missing_settings", "never_admitted", "unselected"})
"""The facts that look at other snapshots too."""


class Facts:
    """The snapshot, with everything that is derived from it computed once and shared by all rules."""

    def __init__(self, snapshot: Snapshot, *, shown: bool = True) -> None:
        """``shown``: findings are for people. In trials of repairs nothing is looked for that only those need."""
        self.snapshot = snapshot
        self.shown = shown
        self.others: tuple[Facts, ...] = ()

    def beside(self) -> Facts:
        """The same facts, of which all is kept but what rests on other snapshots."""
        twin = Facts(self.snapshot, shown=self.shown)
        kept = {name: value for name, value in vars(self).items() if name not in {"others", *_OF_OTHERS}}
        vars(twin).update(kept)
        return twin

    def leave_proofs(self) -> None:
        """Leave the proofs that are not made yet to another process: asking for one fails from now on."""
        vars(self)["_prover"] = None

    def says_the_same(self, other: Facts) -> bool:
        """Whether what rests on other snapshots is equal."""
        return all(getattr(self, each) == getattr(other, each) for each in _OF_OTHERS)

    @cached_property
    def policies(self) -> PolicySet:
        """The policies in force."""
        services = tuple(
            PolicyService(each.ref.namespace, each.ref.name, selector=each.selector or {})
            for each in self.snapshot.workloads.services
        )
        written = [each.field for each in self.snapshot.objects]
        context = PolicyContext(
            settings=self.snapshot.settings,
            namespaces=self.snapshot.namespaces,
            services=services,
            port_names=port_table(self.snapshot.workloads.pod_sets),
            dns_caches=tuple(redirected_pods(written, (*self.snapshot.workloads.pod_sets, *self.daemons))),
        )
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
    def verdicts(self) -> Verdicts:
        """Where the pods of each pod set can be scheduled."""
        return Verdicts(self.snapshot, self.admission, self.storage, self.queueing)

    @cached_property
    def _prover(self) -> Prover:
        return Prover(self)

    @cached_property
    def fabric(self) -> Fabric:
        """Interfaces, devices and settings of the ranks."""
        return Fabric(self.snapshot, self.verdicts.open_pools)

    @cached_property
    def mistakes(self) -> PolicyMistakes:
        """What people got wrong in the policies, although every object may be valid."""
        return PolicyMistakes(self.snapshot, self.policies, self.daemons)

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
                each
                for proof, cause in self.flow_causes("flow-denied")
                for each in node_peers(proof.group, cause, self.policies.entries)
            )
        )

    @cached_property
    def feasibilities(self) -> tuple[Feasibility, ...]:
        """Where the pods of every pod set can be scheduled; pod sets whose nodes are unknown are left out."""
        return tuple(
            judged[0]
            for pod_set in self.snapshot.workloads.pod_sets
            if (judged := self.verdicts.of(pod_set)) is not None
        )

    @cached_property
    def impossible(self) -> tuple[Feasibility, ...]:
        """The pod sets that no node of any cluster could take, of those whose nodes are not all known."""
        return tuple(
            judged
            for pod_set in self.snapshot.workloads.pod_sets
            if self.verdicts.closed_inventory(pod_set) is None
            and pod_set.at.file not in self.snapshot.unrendered
            and (judged := self.verdicts.alone(pod_set)) is not None
            and judged.cause is not None
        )

    @cached_property
    def proofs(self) -> tuple[GroupProof, ...]:
        """The proof of every group that may be meant for what the snapshot is made of."""
        groups = self.snapshot.workloads.groups
        return tuple(
            gated(self, refuted_by_faults(self, with_assumptions(self, with_slips(self, self._prover.prove(group)))))
            for group in groups
            if self.snapshot.is_near((group.at or group.members[0].at).file)
        )

    @cached_property
    def other_worlds(self) -> tuple[tuple[str, Facts], ...]:
        """What is assumed about the network plugin and bears on policies, each with the facts if it is otherwise."""
        return tuple((text, Facts(replace(self.snapshot, settings=other))) for text, other in other_worlds(self))

    def proved(self, group: Group) -> GroupProof:
        """The proof of a group, without looking at what it assumes."""
        return self._prover.prove(group)

    def cores(self, cause: Cause) -> tuple[Core, ...]:
        """The irreducible sets of constraints behind a cause that one of these facts gave, each found once."""
        if id(cause) not in self._cores:
            self._cores[id(cause)] = (cause, self._prover.cores(cause, self._proof_of(cause)))
        return self._cores[id(cause)][1]

    def forcing(self, cause: Cause, *places: Location) -> tuple[Related, ...]:
        """The places that together force a cause; with ``places`` only those sets that hold one of these."""
        from trainlint.causes.forcing import forcing  # noqa: PLC0415 (only what is refuted needs it)

        if not self.shown and not self.snapshot.unrendered:  # how severe a finding is may depend on its places there
            return ()
        found = self.cores(cause)
        return forcing([core for core in found if not places or any(map(core.holds, places))])

    def _proof_of(self, cause: Cause) -> GroupProof | None:
        """The proof that a cause belongs to; ``None`` where it is about a pod set by itself."""
        return next((proof for proof in self.proofs if any(each is cause for each in proof.causes)), None)

    @cached_property
    def _cores(self) -> dict[int, tuple[Cause, tuple[Core, ...]]]:
        return {}

    @cached_property
    def queueing(self) -> Queueing:
        """What Kueue makes of the pods that are sent to its queues."""
        return Queueing(self.snapshot, self.admission)

    @cached_property
    def never_admitted(self) -> tuple[QueueCause, ...]:
        """Objects that Kueue never admits. Where another snapshot defines their queues otherwise and admits them there,
        it is unknown which of the definitions is meant for them. What another cluster hands on to this one is judged
        there.
        """
        taken = {owner for other in self.others for owner in other.handed_on}
        own = tuple(
            each
            for each in self._queue_causes
            if each.owner in self.handed_on or not (each.owner in taken or any(map(self._admits(each), self.others)))
        )
        found = {each.owner for each in own}
        beyond = multikueue_causes(self.queueing, [other.queueing for other in self.others], causes_of)
        return (*own, *(each for each in beyond if each.owner not in found))

    def _admits(self, cause: QueueCause) -> Callable[[Facts], bool]:
        """Whether another snapshot has the queue of an object that is never admitted here, and admits it."""
        label = next((at for role, at in cause.places if cause.root and role == NAMES_IT), cause.at)
        return lambda other: (
            other.queueing.knows(label) and all(each.owner != cause.owner for each in other._queue_causes)
        )

    @cached_property
    def handed_on(self) -> Mapping[ObjectRef, str]:
        """The objects of which this cluster makes no pods, as others take them, each with who does."""
        return handed_on(self.queueing)

    @cached_property
    def _queue_causes(self) -> tuple[QueueCause, ...]:
        return tuple(queue_causes(self.queueing))

    @cached_property
    def scheduler_queues(self) -> SchedulerQueues:
        """The queues of Volcano and KAI."""
        return SchedulerQueues(self.queueing)

    @cached_property
    def queue_refusals(self) -> tuple[QueueRefusal, ...]:
        """Objects that Volcano or KAI never starts, because of their queue."""
        return tuple(self.scheduler_queues.refusals())

    @cached_property
    def missed_queues(self) -> tuple[MissedQueue, ...]:
        """Jobs that are meant for a queue and go past it."""
        return (*unmanaged(self.queueing), *missed_queues(self.snapshot, self.scheduler_queues))

    @cached_property
    def refused_pods(self) -> tuple[QuotaCause, ...]:
        """Pods that limits or quotas keep from being made."""
        workloads, away = self.snapshot.workloads, self.handed_on
        groups = (group for group in workloads.groups if away.keys().isdisjoint(each.owner for each in group.members))
        pod_sets = (each for each in workloads.pod_sets if each.owner not in away)
        return tuple(quota_causes(groups, pod_sets, self.snapshot.settings, self.admission))

    @cached_property
    def dangling_references(self) -> tuple[ReferenceCause, ...]:
        """References to objects that are not there."""
        found = (each for each in dangling_references(self.snapshot) if each.owner not in self.handed_on)
        return (*found, *undepended(self.snapshot))

    @cached_property
    def missing_settings(self) -> tuple[MissingSetting, ...]:
        """ConfigMaps, Secrets and keys of them that pods need to start and that no snapshot holds."""
        return tuple(
            each
            for each in missing_settings(self.snapshot)
            if not any(holds_setting(other.snapshot, each) for other in self.others)
        )

    @cached_property
    def refusals(self) -> tuple[RefusedObject, ...]:
        """What the API server, webhooks and operators refuse of objects and of what is made of them."""
        return tuple(refusals(self.snapshot))

    @cached_property
    def contract(self) -> Contract:
        """The faults of jobs in their own contract."""
        workloads, snapshot = self.snapshot.workloads, self.snapshot
        return Contract(workloads, snapshot.may_hold_more, lambda: self.misnamed)

    @cached_property
    def stopped(self) -> tuple[Stopped, ...]:
        """The pods that find a place and never train, or may not."""
        return tuple(stopped(self))

    @cached_property
    def shape_mismatches(self) -> tuple[ShapeMismatch, ...]:
        """The pods that do not fit the machine, slice or domain that they select."""
        return tuple(shape_mismatches(self.snapshot))

    @cached_property
    def refused(self) -> tuple[Refused, ...]:
        """The pods that are never made because something is refused, whatever rule says so."""
        return tuple(refused(self.snapshot, self.refusals))

    @cached_property
    def misnamed(self) -> frozenset[ObjectRef]:
        """The objects that do not come to be because of their names, so that nothing has a name made from theirs."""
        return frozenset(each.owner for each in self.refusals if each.problem.cause == "name")

    @cached_property
    def present(self) -> frozenset[tuple[str, str, str]]:
        """Kind, namespace and name of every object in Git."""
        return frozenset((each.meta.kind, each.ref.namespace, each.meta.name) for each in self.snapshot.objects)

    @cached_property
    def soft_colocations(self) -> tuple[SoftColocation, ...]:
        """Groups that only preferences keep together."""
        key = self.snapshot.settings.topology_key
        return tuple(soft_colocations(self.proofs, self.snapshot.workloads, key, self.verdicts.zones))

    @cached_property
    def shared_claims(self) -> tuple[SharingCause, ...]:
        """Claims that attach to one node and are used on several."""
        workloads = self.snapshot.workloads
        return tuple(shared_claims(workloads.groups, workloads.pod_sets, self.storage, self.verdicts.of))

    @cached_property
    def daemons(self) -> tuple[PodSet, ...]:
        """The pods of DaemonSets: one on each node that takes it, so they are none of the workloads' pod sets."""
        return tuple(
            pods_of(each.ref, "", 1, each.field.down("spec", "template"), each.field.at)
            for each in self.snapshot.objects
            if each.meta.kind == "DaemonSet" and is_template(each.field.down("spec", "template"))
        )

    @cached_property
    def control_denials(self) -> tuple[Denial, ...]:
        """Connections of the control plane that policies deny."""
        from trainlint.control_plane.denied import denials  # noqa: PLC0415 (only where there are policies)

        return tuple(denials(self, self.control_needs)) if self.policies.entries else ()

    @cached_property
    def cut_off(self) -> Mapping[ObjectRef, tuple[str, bool]]:
        """The objects that a denied connection of the control plane stops: what it breaks, and whether for certain."""
        found: dict[ObjectRef, tuple[str, bool]] = {}
        for denial in self.control_denials:
            need = denial.need
            certain = need.fatal and not need.assumes
            target = f"{need.target.namespace}/{need.target.name}"
            text = f"whether it trains although {need.source} cannot reach {target} on TCP port {need.port}"
            for owner in need.owners:
                if certain or owner not in found:
                    found[owner] = (text, certain)
        return found

    @cached_property
    def mesh_denials(self) -> tuple[MeshDenial, ...]:
        """Needed connections that a service mesh refuses."""
        if all(each.meta.kind not in MESH_KINDS for each in self.snapshot.objects):
            return ()
        from trainlint.control_plane.mesh import mesh_denials  # noqa: PLC0415 (only where there is a mesh)

        return tuple(mesh_denials(self, self.control_needs))

    def meshed(self, group: Group) -> Iterator[str]:
        """What a service mesh may refuse of a group's connections, which is not judged here."""
        if all(each.meta.kind not in MESH_KINDS for each in self.snapshot.objects):
            return
        from trainlint.control_plane.meshed import meshed  # noqa: PLC0415 (see above)

        yield from meshed(self, group)

    @cached_property
    def control_needs(self) -> tuple[Need, ...]:
        """Connections that stand around the workloads: to webhooks, heads, stores and engines."""
        from trainlint.control_plane.denied import needs_of  # noqa: PLC0415 (see above)

        return needs_of(self)

    def training(self, workload: Workload) -> bool:
        """Whether the object is one of training: of a training kind, or a member of a group."""
        return (
            is_training(workload.api_version, workload.owner.kind.partition(".")[0]) or workload.owner in self._grouped
        )

    @cached_property
    def _grouped(self) -> frozenset[ObjectRef]:
        return frozenset(each.owner for group in self.snapshot.workloads.groups for each in group.members)

    @cached_property
    def oversized_gangs(self) -> tuple[tuple[Gang, int], ...]:
        """Gangs that demand more pods than will ever exist, with how many will."""
        return tuple(oversized(self.snapshot.workloads.gangs, self.snapshot.may_hold_more))

    @cached_property
    def late_members(self) -> tuple[LateMembers, ...]:
        """Gangs that wait for pods which are made only when others of the gang run or have ended."""
        return tuple(late_members(self.snapshot.workloads.gangs, self.snapshot.workloads.objects))

    @cached_property
    def exclusive_shortages(self) -> tuple[ExclusiveCause, ...]:
        """Objects whose exclusive topology asks for more or larger domains than there are."""

        return tuple(exclusive_causes(self.snapshot.workloads.objects, self.verdicts.closed))

    def flow_causes(self, rule: str) -> Iterator[tuple[GroupProof, FlowCause]]:
        """The needed flows that are denied wherever pods land, for the reason that ``rule`` names."""
        for proof in self.proofs:
            for cause in proof.causes:
                if isinstance(cause, FlowCause) and cause.rule == rule:
                    yield proof, cause

    def near(self, proof: GroupProof, cause: FlowCause) -> tuple[tuple[Flow, Verdict], Near] | None:
        """The first denied flow of a cause that one entry nearly admits, and what is wrong in that entry."""
        from trainlint.proof.near import near_flow  # noqa: PLC0415 (only what is refuted needs it)

        if proof.reach is None:
            return None
        flows = cause.flows[: max(3, NEAR // (1 + len(self.policies.entries)))]
        found = ((each, near_flow(self.policies, proof.reach, *each)) for each in flows)
        return next(((each, near) for each, near in found if near is not None), None)

    @cached_property
    def contradicting_labels(self) -> tuple[ZoneLabel, ...]:
        """Pod labels that policies read as a zone and that name another one than the pods can land in."""
        key = self.snapshot.settings.topology_key
        judged = []
        for feasible in self.feasibilities:
            inventory = self.verdicts.inventory(feasible.pod_set)
            if inventory is not None:
                nodes = self.verdicts.nodes(inventory)
                judged.append((feasible, {index: zone_of(node.pool, key) for index, node in enumerate(nodes)}))
        return tuple(contradictions(judged, labels_read(self.policies.entries)))

    def placement_causes(self, rule: str) -> Iterator[PlacementCause]:
        """The pod sets that can never be scheduled for the reason ``rule``; one for each fault of an object."""
        found: dict[Hashable, PlacementCause] = {}
        for judged in (*self.feasibilities, *self.impossible):
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
    def perhaps_untolerated(self) -> tuple[PlacementCause, ...]:
        """The pod sets that only an admission plugin lets onto nodes, of which no manifest shows whether it is on; one
        for each object.
        """
        found: dict[Hashable, PlacementCause] = {}
        for judged in self.feasibilities:
            inventory = self.verdicts.inventory(judged.pod_set)
            pools = _waiting_for_platform(judged)
            if not pools or inventory is None or judged.pod_set.replicas == 0:
                continue
            closed = self.verdicts.closing(judged, inventory)
            if closed is None:
                continue
            pod = replace(judged.pod, spec=replace(judged.pod.spec, perhaps_tolerated=()))
            nodes = self.verdicts.nodes(inventory)
            misses = tuple(Miss(nodes[index].pool, ()) for index in pools)
            cause = PlacementCause("untolerated-taint", judged.pod_set, misses, assumes=closed.assumes, pod=pod)
            before = found.get(judged.pod_set.owner)
            found[judged.pod_set.owner] = (
                cause if before is None else replace(before, also=(*before.also, judged.pod_set))
            )
        return tuple(found.values())

    @cached_property
    def missing_targets(self) -> tuple[TargetCause, ...]:
        """Pod sets that must start near a pod that no workload makes."""
        unrendered = self.snapshot.unrendered
        return tuple(
            each
            for each in missing_targets(self.snapshot)
            if each.pod_set.at.file not in unrendered and each.pod_set.owner not in self.handed_on
        )

    def causes(self, kind: type[C]) -> Iterator[C]:
        """The causes of one type, in groups and of pod sets outside of them."""
        for proof in self.proofs:
            yield from (cause for cause in proof.causes if isinstance(cause, kind))
        yield from (cause for cause in self._alone if isinstance(cause, kind))

    @cached_property
    def _alone(self) -> tuple[CapacityCause | DeadlockCause, ...]:
        """Why pod sets that communicate with no others can never all be scheduled."""
        found = []
        grouped = {id(member) for group in self.snapshot.workloads.groups for member in group.members}
        for pod_set in self.snapshot.workloads.pod_sets:
            if id(pod_set) in grouped or not isinstance(pod_set.replicas, int) or pod_set.replicas == 0:
                continue
            inventory = self.verdicts.inventory(pod_set)
            if inventory is None:
                continue
            inventory = self.verdicts.at_most(inventory) or inventory
            alone = Group(pod_set.name, pod_set.owner.kind, (pod_set,), (), at=pod_set.at)
            model = self._prover.model(alone, inventory)
            closed = self.verdicts.closing(model.feasible[0], inventory)
            if closed is None or model.feasible[0].cause is not None:
                continue
            cause = never_placed(alone, replace(model, complete=True))
            if cause is not None:
                found.append(replace(cause, assumes=closed.assumes))
        return tuple(found)

    @cached_property
    def unknowns(self) -> tuple[Unknown, ...]:
        """What is missing for this snapshot's questions."""
        return tuple(dict.fromkeys((*self.snapshot.unknowns, *self.policies.unknowns, *self._of_proofs())))

    def _of_proofs(self) -> Iterator[Unknown]:
        """What is missing for groups, but for what admission objects do, which is said of each of those once."""
        said = {each.missing for each in self.snapshot.gates}
        for proof in self.proofs:
            for text in proof.missing:
                if text not in said:
                    yield Unknown(f"group {proof.group.name}", text, REMEDIES.get(text, ""), at=proof.group.at)


def _waiting_for_platform(judged: Feasibility) -> tuple[int, ...]:
    """The pools that refuse the pods if an admission plugin is off and whose other filters pass; none where another
    pool takes them, or might for another reason.
    """
    if judged.pools or not judged.pod.spec.perhaps_tolerated:
        return ()
    whys = [each.why for index in judged.doubtful for each in judged.verdicts[index] if isinstance(each, Doubt)]
    return tuple(sorted(judged.doubtful)) if all(why.startswith(UNKNOWN_PLATFORM) for why in whys) else ()


REMEDIES: Mapping[str, str] = {
    NO_INVENTORY: "write the nodes into the repository: "
    "kubectl get nodes -o yaml | trainlint inventory - > inventory.yaml",
}
