"""The proof of each group of a snapshot: what it is about, and what is missing for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from trainlint.fact import remembered, together
from trainlint.model.admission import Admission
from trainlint.model.known import Answer, Undetermined
from trainlint.model.namespace import Namespaces
from trainlint.model.pool import Inventory
from trainlint.model.settings import Settings
from trainlint.model.storage import Storage
from trainlint.model.workload import Group, ObjectRef, PodSet
from trainlint.policy import PolicySet
from trainlint.policy.checks.pods import Audience
from trainlint.policy.deciding_part import deciding_part
from trainlint.proof.agreement import agreed, either
from trainlint.proof.budget import affordable
from trainlint.proof.cause import (
    Cause,
    CutCause,
    FlowCause,
    PlacementCause,
    SplitCause,
    StrandedCause,
    ZoneCause,
    assuming,
)
from trainlint.proof.closing import Closed
from trainlint.proof.cluster_model import ClusterModel, own_members
from trainlint.proof.elsewhere import OF_ITS_OWN, moved, other_namespaces
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.group import GroupProof
from trainlint.proof.judge import other_nodes
from trainlint.proof.permitted import connections
from trainlint.proof.placement_problem import attracted
from trainlint.proof.prove import prove
from trainlint.proof.quota import refused_elsewhere
from trainlint.proof.undecided import reasons_named
from trainlint.reachability import Place, Reachability, places, reads_places
from trainlint.scheduling.node import Node

if TYPE_CHECKING:
    from trainlint.causes.unsat_core import Core, WorkLeft
    from trainlint.causes.what_if import PermittedFlows, WhatIf
    from trainlint.facts.facts import Facts
    from trainlint.proof.ideal.cluster import Ideal

__all__ = ["NO_INVENTORY", "Prover"]

_WORLDS: Final = 32
"""Described clusters in which a group is judged, where it is not known which of them counts."""

FLOWS: Final = 50_000
"""Connections of a group that are looked at: those of 220 roles that all call each other."""
CROSSINGS: Final = 200_000
"""Connections of a group between places that are looked at; some ten thousand are judged in a second."""

NO_INVENTORY: Final = "the nodes: there is no inventory"


@remembered
def _proofs(
    members: tuple[PodSet, ...],
    nearest: tuple[Inventory, ...],
    nodes: tuple[tuple[Node, ...], ...],
    admission: Admission,
    storage: Storage,
    settings: Settings,
    namespaces: Namespaces,
) -> list[tuple[object, PolicySet | None, GroupProof]]:
    """The proofs that rest on these very facts, each with all else that it rests on: a place for what is remembered.

    A proof that tells what policies deny rests on the very set of them, another (``None``) on those that bear on it.
    """
    return []


class Prover:
    """Proves groups from the facts of one snapshot."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._snapshot = facts.snapshot
        self._near: dict[tuple[int, int], tuple[Group, Inventory, list[Feasibility]]] = {}
        self._others_of: dict[tuple[int, tuple[Place, ...]], tuple[Group, tuple[str, ...]]] = {}
        self._worlds: dict[int, tuple[GroupProof, PermittedFlows, WhatIf | None]] = {}

    def prove(self, group: Group) -> GroupProof:
        """The proof of one group."""
        nearest = self._snapshot.inventories_for(group.at or group.members[0].at)
        missing = list(self._missing(group))
        if handed := self._handed_on(group):
            return GroupProof(group, Answer.UNKNOWN, Answer.UNKNOWN, missing=handed)
        if changed := self._changed(group):
            return GroupProof(group, Answer.UNKNOWN, Answer.UNKNOWN, missing=changed)
        if beyond := self._beyond(group, nearest):
            return GroupProof(group, Answer.UNKNOWN, Answer.UNKNOWN, missing=(beyond,))
        known, rests_on = self._known(group, nearest), self._rests_on(group, nearest, missing)
        policies = self._facts.policies
        for before, judged_by, proof in known:
            if (judged_by is None or judged_by is policies) and before == rests_on:
                return proof
        proof = reasons_named(self._proof(group, nearest, missing))
        known.append((rests_on, policies if _names_denials(proof) else None, proof))
        return proof

    def _beyond(self, group: Group, nearest: Sequence[Inventory]) -> str:
        """What there is too much of for a proof: connections, counted for each zone, or for each pair of zones where
        policies tell them apart. Empty where there is not.
        """
        flows, most = len(group.flows), max((len(each.pools) for each in nearest), default=1)
        pairs = 2 if self._zonal else 1
        if flows <= FLOWS and flows * most**pairs <= CROSSINGS:
            return ""
        key = self._snapshot.settings.topology_key
        zones = max((len(places(each.pools, key)) for each in nearest), default=1)
        if flows <= FLOWS and flows * zones**pairs <= CROSSINGS:
            return ""
        where = f" between {zones} zones that policies tell apart" if self._zonal else f" in {zones} zones"
        return (
            f"whether its connections are permitted: {flows}{where if zones > 1 else ''} are more than can be looked at"
        )

    def _in_each(self, group: Group, nearest: tuple[Inventory, ...], missing: list[str]) -> str:
        """In which of several described clusters the group can run, where Git does not say which of them counts."""
        judged = [(each, self._judged(group, each, missing).exists) for each in nearest[:_WORLDS]]
        fits = [each.name for each, exists in judged if exists is Answer.PROVED]
        names = f" ({', '.join(fits)})" if fits else ""
        return (
            f"which of {len(nearest)} described clusters counts is not in Git: it can run in {len(fits)} of them{names}"
        )

    def _known(self, group: Group, nearest: tuple[Inventory, ...]) -> list[tuple[object, PolicySet | None, GroupProof]]:
        """The proofs so far that rest on the very same pods, nodes and settings."""
        verdicts = self._facts.verdicts
        nodes = together(*(verdicts.nodes(each) for each in nearest))
        facts = (self._facts.admission, verdicts.storage_of(*group.members, *self._near_sets(group)))
        settings = (self._snapshot.settings, self._snapshot.namespaces)
        return _proofs(together(*group.members), together(*nearest), nodes, *facts, *settings)

    def _rests_on(self, group: Group, nearest: tuple[Inventory, ...], missing: list[str]) -> object:
        """What else the proof rests on: compared by value, but for where other pods can be scheduled."""
        places = tuple(flow.at for flow in group.flows)
        unstated = self._unstated.intersection(member.owner for member in group.members)
        others: tuple[object, ...] = tuple(self._others(group, nearest[0])) if len(nearest) == 1 else ()
        if len(nearest) != 1 or not nearest[0].complete:
            others += (*self._attracting(group), *self._outside(group))
        stated = (unstated, self._given_elsewhere, self._gang(group), self._hopeless(group))
        flavors = self._flavors(group)
        return (group, group.at, places, tuple(missing), stated, others, flavors, self._policies_over(group))

    def _flavors(self, group: Group) -> list[object]:
        """The flavors that queues may give to the pods of each member that has one, with their places."""
        found: list[object] = []
        for member in group.members:
            choices = self._facts.queueing.choices(member) if member.queue else None
            found.append(choices and [[(each, each.at) for each in choice] for choice in choices])
        return found

    def _policies_over(self, group: Group) -> tuple[object, ...]:
        """What the proof rests on of all policies: those that bear on the group, and in which namespaces others do."""
        policies = self._facts.policies
        part = deciding_part(policies, {member.namespace for member in group.members})
        return (part, self._zonal, self._zones_named, self._elsewhere(group, ()))

    def _proof(self, group: Group, nearest: tuple[Inventory, ...], missing: list[str]) -> GroupProof:
        if len(nearest) != 1:
            found = self._on_ideal(group, self._judged(group, None, [*missing, *_unknown_nodes(nearest)]), missing)
            several = found.exists is Answer.CONDITIONAL and nearest and not _uncounted(group)
            return replace(found, notes=(*found.notes, self._in_each(group, nearest, missing))) if several else found
        proof = self._judged(group, nearest[0], missing)
        most = self._facts.verdicts.at_most(nearest[0]) if Answer.REFUTED in (proof.exists, proof.for_all) else None
        proof = proof if most is None else agreed(proof, self._judged(group, most, missing))
        proof = affordable(proof, nearest[0].pools)
        if proof.exists is Answer.UNKNOWN and not nearest[0].complete:
            refuted = self._refuted_part(group, nearest[0], missing)
            return refuted or self._on_ideal(group, proof, missing)
        if proof.exists is Answer.PROVED and proof.missing == (other_nodes(nearest[0].partial),):
            found = self._on_ideal(group, replace(proof, exists=Answer.UNKNOWN), missing)
            if found.for_all is Answer.CONDITIONAL:
                return replace(proof, for_all=found.for_all, missing=(), needs=found.needs)
        return proof

    def _refuted_part(self, group: Group, inventory: Inventory, missing: list[str]) -> GroupProof | None:
        """The refutation of a group by those of its pods that no node can take which Git does not describe; ``None``
        where there is none. The others are taken to find room.
        """
        if _uncounted(group):
            return None
        verdicts = self._facts.verdicts
        inventory = verdicts.at_most(inventory) or inventory
        model = replace(self.model(group, inventory), complete=True, partial="")
        closed = self._closed(group, model, inventory)
        if not closed:
            return None
        part = self._closed_part(group, closed)
        everywhere = places((node.pool for node in model.nodes), self._snapshot.settings.topology_key)
        for as_one in (True, False) if _in_doubt(group) else (True,):
            proof = prove(part, self._reach(part, everywhere), replace(model, as_one=as_one), missing)
            if proof.exists is not Answer.REFUTED:
                return None
        assumes = tuple(dict.fromkeys(text for each in closed.values() for text in each.assumes))
        causes = tuple(assuming(each, assumes) for each in proof.causes)
        reach = self._reach(group, everywhere)
        return replace(proof, group=group, causes=causes, reach=reach, connections=connections(reach, proof.zones))

    def _closed(self, group: Group, model: ClusterModel, inventory: Inventory) -> dict[int, Closed]:
        """The members whose pods no node can take that Git does not describe, with why."""
        verdicts = self._facts.verdicts
        found = {index: verdicts.closing(model.feasible[index], inventory) for index in own_members(group)}
        return {index: each for index, each in found.items() if each is not None}

    def _closed_part(self, group: Group, closed: Mapping[int, Closed]) -> Group:
        """The group without the members that may find room on nodes which Git does not describe."""
        outside = frozenset(index for index in own_members(group) if index not in closed)
        return replace(group, dependencies=group.dependencies | outside)

    def _on_ideal(self, group: Group, proof: GroupProof, missing: list[str]) -> GroupProof:
        """The proof where nodes are not known: what holds on the cluster that has all that the pods ask for."""
        if proof.exists is Answer.REFUTED or _uncounted(group):
            return proof
        from trainlint.proof.ideal.judge import judged_on  # noqa: PLC0415 (only where nodes are not known)

        key = self._snapshot.settings.topology_key
        ideal = self._ideal(group)

        def judge(inventory: Inventory) -> GroupProof:
            found = self._judged(group, inventory, missing)
            if found.exists is not Answer.UNKNOWN or not any(each.together or each.parts for each in group.members):
                return found
            loose = self._proved(group, inventory, missing, as_one=False)  # who places pods as one finds room if any
            return loose if loose.exists is not Answer.UNKNOWN else found

        apart = self._zonal or any(
            term.topology_key == key for member in group.members for term in member.spec.pod_anti_affinity
        )
        found = judged_on(ideal, key, judge, apart=apart)
        if found.proof.exists is not Answer.CONDITIONAL:
            return found.proof
        from trainlint.proof.ideal.needs import needs_of  # noqa: PLC0415

        needs = needs_of(group, self._facts, found, ideal)
        return replace(found.proof, needs=needs, reach=proof.reach)

    def _ideal(self, group: Group) -> Ideal:
        """The ideal cluster of the group's pods and of those that they must be near."""
        from trainlint.proof.ideal.cluster import ideal_cluster  # noqa: PLC0415

        sets = (*(each for each in group.members if each.replicas != 0), *self._attracting(group))
        pods = [pod for each in sets for pod in self._facts.verdicts.admitted(each)]
        key = self._snapshot.settings.topology_key
        return ideal_cluster(pods, sets, self._facts.storage, key, self._zones_named)

    @cached_property
    def _zones_named(self) -> tuple[frozenset[str], bool]:
        """The zones that policies name, and whether one of them reads regions."""
        if not self._zonal:
            return (frozenset(), False)
        from trainlint.proof.ideal.cluster import named_by_policies  # noqa: PLC0415

        return named_by_policies(self._facts.policies.entries)

    def _outside(self, group: Group) -> tuple[object, ...]:
        """The objects that the group needs and that Git does not hold."""
        from trainlint.proof.ideal.needs import outside_objects  # noqa: PLC0415 (only where nodes are not known)

        return tuple(outside_objects(group, self._facts))

    def _attracting(self, group: Group) -> tuple[PodSet, ...]:
        """The pod sets that are no members and that pods of the group must be near."""
        admitted = self._facts.verdicts.admitted
        mine = [pod for each in group.members if each.spec.pod_affinity for pod in admitted(each)]
        return tuple(
            each
            for each in self._near_sets(group)
            if any(attracted(one, other, self._snapshot.namespaces) for one in mine for other in admitted(each))
        )

    def cores(self, cause: Cause, proof: GroupProof | None) -> tuple[Core, ...]:
        """What a cause comes down to in the manifests; without a proof it is about the pods of one set alone."""
        if proof is None:
            proof = self._alone(cause)
        if proof is None or proof.reach is None:
            return ()
        from trainlint.causes.unsat_core import cores  # noqa: PLC0415 (only what is refuted needs it)
        from trainlint.causes.what_if import PermittedFlows  # noqa: PLC0415

        if id(proof) not in self._worlds:
            opened = PermittedFlows(proof.reach, self._facts.policies)
            anywhere = proof.ideal or (isinstance(cause, PlacementCause) and cause.anywhere)
            world = self._without_ideal(proof.group, opened) if anywhere else self._without(proof, opened)
            self._worlds[id(proof)] = (proof, opened, world)
        found = cores(*self._worlds[id(proof)], cause, self._allowance)
        self._worlds[id(proof)][1].forget()
        return found

    @cached_property
    def _allowance(self) -> WorkLeft:
        from trainlint.causes.unsat_core import WORK, WorkLeft  # noqa: PLC0415 (only what is refuted needs it)

        return WorkLeft(WORK // (1 + len(self._facts.others)))

    def _alone(self, cause: Cause) -> GroupProof | None:
        """A refuted group of the one pod set that a cause is about."""
        if isinstance(cause, ZoneCause | FlowCause | CutCause | SplitCause | StrandedCause):
            return None
        pods = cause.pod_set
        group = Group(pods.name, pods.owner.kind, (pods,), (), at=pods.at)
        return GroupProof(group, Answer.REFUTED, Answer.REFUTED, causes=(cause,), reach=self._reach(group, ()))

    def _without(self, proof: GroupProof, opened: PermittedFlows) -> WhatIf | None:
        group = proof.group
        nearest = self._snapshot.inventories_for(group.at or group.members[0].at)
        if len(nearest) != 1 or _uncounted(group):
            return None
        inventory = self._facts.verdicts.at_most(nearest[0]) or nearest[0]
        from trainlint.causes.what_if import WhatIf  # noqa: PLC0415 (only what is refuted needs it)

        model = replace(self.model(group, inventory), as_one=not _in_doubt(group))
        if not inventory.complete and proof.exists is Answer.REFUTED:
            group = self._closed_part(group, self._closed(group, model, inventory))
            model = replace(model, complete=True, partial="")
        return WhatIf(self._facts, group, inventory, model, opened)

    def _without_ideal(self, group: Group, opened: PermittedFlows) -> WhatIf | None:
        """The same on the cluster that has all that the pods ask for; harder spreads are judged on several."""
        ideal = self._ideal(group)
        if ideal.spread:
            return None
        from trainlint.causes.what_if import WhatIf  # noqa: PLC0415 (only what is refuted needs it)

        model = replace(self.model(group, ideal.inventory), as_one=not _in_doubt(group))
        return WhatIf(self._facts, group, ideal.inventory, model, opened)

    def _judged(self, group: Group, inventory: Inventory | None, missing: list[str]) -> GroupProof:
        """The proof; what holds either way where it is unknown whether the pods are placed as one."""
        proof = self._proved(group, inventory, missing)
        doubt = _in_doubt(group)
        if not doubt or inventory is None:
            return proof
        return either(proof, self._proved(group, inventory, missing, as_one=False), doubt)

    def _proved(
        self, group: Group, inventory: Inventory | None, missing: list[str], *, as_one: bool = True
    ) -> GroupProof:
        known = inventory is not None and not _uncounted(group)
        model = replace(self.model(group, inventory), as_one=as_one) if known and inventory is not None else None
        everywhere = places((node.pool for node in model.nodes), self._snapshot.settings.topology_key) if model else ()

        def reach(group: Group) -> Reachability:
            return self._reach(group, everywhere)

        missing = list(missing)
        others = self._elsewhere(group, everywhere)
        elsewhere = [
            f"the namespace of {group.name}: none is written, and in {namespace} policies decide otherwise about it"
            for namespace in others
        ]
        missing += elsewhere
        missing += [
            f"the namespace of {group.name}: none is written, and in {namespace} quotas or limits refuse its pods"
            for namespace in refused_elsewhere(group, self._unstated, self._snapshot.settings, self._facts.admission)
        ]
        own = reach(group)
        proof = prove(group, own, model, missing)
        if own.denied and (model is None or model.complete or not self._zonal):
            proof = _never_connected(proof)
        if OF_ITS_OWN in others and proof.exists is Answer.REFUTED:
            there = moved(group, self._unstated, OF_ITS_OWN)
            if prove(there, reach(there), model, missing).exists is not Answer.REFUTED:
                proof = replace(proof, exists=Answer.UNKNOWN, for_all=Answer.UNKNOWN, causes=(), missing=tuple(missing))
        proof = replace(proof, connections=Answer.UNKNOWN if elsewhere else connections(own, proof.zones))
        if model is None and self._never_made(group):
            return replace(proof, exists=Answer.REFUTED, for_all=Answer.REFUTED)
        return proof

    def _elsewhere(self, group: Group, everywhere: tuple[Place, ...]) -> tuple[str, ...]:
        """The namespaces whose policies would decide otherwise about a group that names none."""
        key = (id(group), everywhere if self._zonal else ())
        if key not in self._others_of:
            entries = self._facts.policies.entries
            found = other_namespaces(
                group,
                self._unstated,
                entries,
                lambda each: self._reach(each, everywhere),
                given=self._given_elsewhere,
            )
            self._others_of[key] = (group, found)
        return self._others_of[key][1]

    def _reach(self, group: Group, everywhere: Sequence[Place]) -> Reachability:
        settings, namespaces = self._snapshot.settings, self._snapshot.namespaces
        return Reachability(group, everywhere, self._facts.policies, settings, namespaces, zonal=self._zonal)

    @cached_property
    def _zonal(self) -> bool:
        """Whether what policies decide may depend on where pods are."""
        return reads_places(self._facts.policies.entries)

    @cached_property
    def _unstated(self) -> frozenset[ObjectRef]:
        """The objects that name no namespace."""
        return frozenset(each.ref for each in self._snapshot.objects if not each.meta.namespace)

    @cached_property
    def _given_elsewhere(self) -> bool:
        """Whether deployers give namespaces to what they bring, and stand beside objects that they may bring: these
        were not followed.
        """
        return any(
            (each.meta.kind == "Kustomization" and each.field.down("spec", "targetNamespace").present)
            or (each.meta.kind == "Application" and each.field.down("spec", "destination", "namespace").present)
            for each in self._snapshot.objects
        )

    def model(self, group: Group, inventory: Inventory) -> ClusterModel:
        """What the proof of a group is about: nodes, verdicts, and what makes it hopeless."""
        verdicts = self._facts.verdicts
        return ClusterModel(
            nodes=verdicts.nodes(inventory),
            feasible={index: verdicts.over(member, inventory) for index, member in enumerate(group.members)},
            others=self._others(group, inventory),
            settings=self._snapshot.settings,
            namespaces=self._snapshot.namespaces,
            complete=inventory.complete,
            partial=inventory.partial,
            storage=self._facts.storage,
            gang=self._gang(group),
            hopeless=any(self._hopeless(group)),
            ideal=inventory.ideal,
        )

    def _gang(self, group: Group) -> str:
        """What starts all pods of the group or none of them; empty where nothing does."""
        own = [each for index, each in enumerate(group.members) if index not in group.dependencies and each.replicas]
        for gang in self._snapshot.workloads.gangs:
            members = {id(pod_set) for pod_set in gang.pod_sets}
            counts = [each.replicas for each in gang.pod_sets]
            pods = sum(count for count in counts if isinstance(count, int))
            if all(id(each) in members for each in own) and isinstance(gang.minimum, int) and gang.minimum >= pods:
                return gang.what
        return ""

    def _others(self, group: Group, inventory: Inventory) -> list[Feasibility]:
        """Where the pods can be scheduled that the group may be required to be near."""
        key = (id(group), id(inventory))
        if key not in self._near:
            self._near[key] = (group, inventory, self._near_to(group, inventory))
        return self._near[key][2]

    def _near_to(self, group: Group, inventory: Inventory) -> list[Feasibility]:
        return [self._facts.verdicts.over(pod_set, inventory) for pod_set in self._near_sets(group)]

    def _near_sets(self, group: Group) -> list[PodSet]:
        """The pod sets that pods of the group could be required to be near."""
        members = {id(member) for member in group.members}
        terms = [term for member in group.members for term in member.spec.pod_affinity]
        near = {member.namespace for member in group.members}
        if any(term.namespaces or term.namespace_selector is not None for term in terms):
            near |= {pod_set.namespace for pod_set in self._snapshot.workloads.pod_sets}
        return [
            pod_set
            for pod_set in (self._snapshot.workloads.pod_sets if terms else ())
            if pod_set.namespace in near and id(pod_set) not in members and pod_set.replicas != 0
        ]

    def _hopeless(self, group: Group) -> tuple[bool, bool]:
        """Whether its pods can never be scheduled, or never be made, for a reason that has nothing to do with nodes."""
        members = {id(member) for member in group.members}
        alone = any(id(cause.pod_set) in members for cause in self._facts.missing_targets)
        return alone, self._never_made(group)

    def _never_made(self, group: Group) -> bool:
        """Whether pods of the group are refused, or what they need (claim, domain, partners) is never there for all."""
        members = {id(member) for member in group.members}
        refused = [cause.pod_sets for cause in self._facts.refused_pods]
        refused += [cause.pod_sets for cause in self._facts.shared_claims if cause.certain]
        refused += [cause.pod_sets for cause in self._facts.exclusive_shortages]
        refused += [gang.pod_sets for gang, _ in self._facts.oversized_gangs]
        refused += [cause.pod_sets for cause in self._facts.queue_refusals if cause.certain]
        refused += [cause.gang.pod_sets for cause in self._facts.late_members if not cause.gang.doubt]
        refused += [cause.pod_sets for cause in self._facts.never_admitted if cause.certain and not cause.stuck]
        refused += [each.pod_sets for each in self._facts.refused if each.certain]
        refused += [each.pod_sets for each in self._facts.shape_mismatches if each.fatal]
        if any(id(pod_set) in members for pod_sets in refused for pod_set in pod_sets):
            return True
        return any(self._facts.cut_off.get(member.owner, ("", False))[1] for member in group.members)

    def _missing(self, group: Group) -> Iterator[str]:
        members = {id(member) for member in group.members}
        for cause in self._facts.dangling_references:
            if any(id(pod_set) in members for pod_set in cause.pod_sets):
                yield f"{cause.target}, to which {cause.pod_sets[0].name} refers: it is not in Git"
        for setting in self._facts.missing_settings:
            if any(id(pod_set) in members for pod_set in setting.pod_sets):
                key = f"the key {setting.key} of " if setting.key else ""
                yield f"{key}{setting.target}, to which {setting.pod_sets[0].name} refers: it is not in Git"
        for each in self._facts.refused:
            if not each.certain and any(id(pod_set) in members for pod_set in each.pod_sets):
                yield each.why
        cut = (self._facts.cut_off.get(each) for each in dict.fromkeys(member.owner for member in group.members))
        yield from (each[0] for each in cut if each is not None and not each[1])
        yield from self._facts.meshed(group)
        if self._snapshot.rest is not None:
            from trainlint.proof.left_out import left_out  # noqa: PLC0415 (only where there are alternatives)

            yield from left_out(self._snapshot, self._snapshot.rest, group)

    def _handed_on(self, group: Group) -> tuple[str, ...]:
        """Who runs the pods of the group instead of this cluster: what holds here says nothing about them."""
        takers = (self._facts.handed_on.get(member.owner) for member in group.members)
        return tuple(f"whether it runs where it is handed on to: {each}" for each in dict.fromkeys(takers) if each)

    def _changed(self, group: Group) -> tuple[str, ...]:
        """Which kustomizations would change the group or a policy over it: then nothing that is read here holds."""
        unrendered = self._snapshot.unrendered
        if not unrendered:
            return ()
        namespaces = {"", *(member.namespace for member in group.members)}
        files = [member.at.file for member in group.members]
        moved = self._snapshot.moved
        audience: Audience | None = None
        for entry in self._facts.policies.entries:
            file = entry.at.file
            if file not in unrendered:
                continue
            if entry.namespace in namespaces:
                audience = audience or Audience(group.members, self._snapshot.settings, self._snapshot.namespaces)
                if entry.node or audience.selects(entry):
                    files.append(file)
            elif not namespaces.isdisjoint(moved.get(file, ())):
                files.append(file)
        directories = {unrendered[file] for file in files if file in unrendered}
        return tuple(f"what the kustomization {each} makes of it: it was not rendered" for each in sorted(directories))


def _names_denials(proof: GroupProof) -> bool:
    """Whether the proof tells of a denial, whose cause is looked for among all policies."""
    return bool(proof.causes) or Answer.REFUTED in (proof.exists, proof.for_all, proof.connections)


def _never_connected(proof: GroupProof) -> GroupProof:
    """The proof of a group of which a needed connection is denied wherever its pods land, that of a helper too."""
    if proof.exists is Answer.REFUTED:
        return proof
    refuted = replace(proof, exists=Answer.REFUTED, for_all=Answer.REFUTED, viable_zones=())
    return replace(refuted, witness={}, counterexample={}, assignments=(), bad_assignments=())


def _unknown_nodes(nearest: tuple[Inventory, ...]) -> Iterator[str]:
    """Why it is not known which nodes there are."""
    if not nearest:
        yield NO_INVENTORY
    elif len(nearest) > 1:
        files = [f"{each.name} ({each.at.file})" if each.at is not None else each.name for each in nearest]
        names = [each.name for each in nearest]
        shown = names if len(set(names)) == len(names) else files
        yield f"which of {len(nearest)} inventories counts: {', '.join(shown)}"


def _uncounted(group: Group) -> bool:
    """Whether the number of pods of the group is unknown."""
    return any(isinstance(member.replicas, Undetermined) for member in group.members)


def _in_doubt(group: Group) -> str:
    """Why it is unknown whether the pods are placed as one; empty where it is known."""
    own = [each for index, each in enumerate(group.members) if index not in group.dependencies]
    asked = (each for pods in own for each in (pods.together, pods.parts) if each is not None)
    return next((each.doubt for each in asked if each.doubt), "")
