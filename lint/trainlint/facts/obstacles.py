"""What keeps a group from being judged, or its pods from being made, for reasons that are not about nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from trainlint.model.because import Because
from trainlint.model.pool import Inventory
from trainlint.model.workload import Group
from trainlint.policy.checks.pods import Audience
from trainlint.proof.ground import ProofGround
from trainlint.reachability import places

if TYPE_CHECKING:
    from trainlint.facts.facts import Facts
    from trainlint.facts.surroundings import Surroundings

__all__ = ["NO_INVENTORY", "Obstacles", "unknown_nodes"]

FLOWS: Final = 50_000
"""Connections of a group that are looked at: those of 220 roles that all call each other."""
CROSSINGS: Final = 200_000
"""Connections of a group between places that are looked at; some ten thousand are judged in a second."""

NO_INVENTORY: Final = Because(ProofGround.NO_INVENTORY)


class Obstacles:
    """What stands against the groups of one snapshot."""

    def __init__(self, facts: Facts, surroundings: Surroundings) -> None:
        self._facts = facts
        self._snapshot = facts.snapshot
        self._surroundings = surroundings

    def unjudged(self, group: Group, nearest: Sequence[Inventory]) -> tuple[Because, ...]:
        """Why nothing that is read here decides about the group; empty where it can be judged."""
        if handed := self._handed_on(group):
            return handed
        if changed := self._changed(group):
            return changed
        beyond = self._beyond(group, nearest)
        return () if beyond is None else (beyond,)

    def _handed_on(self, group: Group) -> tuple[Because, ...]:
        """Who runs the pods of the group instead of this cluster: what holds here says nothing about them."""
        takers = (self._facts.queues.handed_on.get(member.owner) for member in group.members)
        return tuple(Because(ProofGround.HANDED_ON, (each,)) for each in dict.fromkeys(takers) if each is not None)

    def _changed(self, group: Group) -> tuple[Because, ...]:
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
        return tuple(Because(ProofGround.KUSTOMIZATION, (each,)) for each in sorted(directories))

    def _beyond(self, group: Group, nearest: Sequence[Inventory]) -> Because | None:
        """What there is too much of for a proof: connections, counted for each zone, or for each pair of zones where
        policies tell them apart. ``None`` where there is not.
        """
        zonal = self._surroundings.zonal
        flows, most = len(group.flows), max((len(each.pools) for each in nearest), default=1)
        pairs = 2 if zonal else 1
        if flows <= FLOWS and flows * most**pairs <= CROSSINGS:
            return None
        key = self._snapshot.settings.topology_key
        zones = max((len(places(each.pools, key)) for each in nearest), default=1)
        if flows <= FLOWS and flows * zones**pairs <= CROSSINGS:
            return None
        return Because(ProofGround.TOO_MANY_CONNECTIONS, (flows, zones if zones > 1 else 0, zonal))

    def hopeless(self, group: Group) -> tuple[bool, bool]:
        """Whether its pods can never be scheduled, or never be made, for a reason that has nothing to do with nodes."""
        members = {id(member) for member in group.members}
        alone = any(id(cause.pod_set) in members for cause in self._facts.placement.missing_targets)
        return alone, self.never_made(group)

    def stuck(self, group: Group) -> bool:
        """Whether a pod of the group can be scheduled on no node of any cluster, or is never made."""
        members = {id(member) for member in group.members}
        return self.never_made(group) or any(id(each.pod_set) in members for each in self._facts.placement.impossible)

    def never_made(self, group: Group) -> bool:
        """Whether pods of the group are refused, or what they need (claim, domain, partners) is never there for all."""
        members = {id(member) for member in group.members}
        queues, placement = self._facts.queues, self._facts.placement
        refused = [cause.pod_sets for cause in queues.over_quota]
        refused += [cause.pod_sets for cause in placement.shared_claims if cause.certain]
        refused += [cause.pod_sets for cause in placement.exclusive_shortages]
        refused += [gang.pod_sets for gang, _ in queues.oversized_gangs if not gang.doubt]
        refused += [cause.pod_sets for cause in queues.refusals if cause.certain]
        refused += [cause.gang.pod_sets for cause in queues.late_members if not cause.gang.doubt]
        never = self._facts.repository.never_admitted
        refused += [cause.pod_sets for cause in never if cause.certain and not cause.stuck]
        refused += [each.pod_sets for each in self._facts.objects.refused if each.certain]
        refused += [each.pod_sets for each in placement.shape_mismatches if each.fatal]
        if any(id(pod_set) in members for pod_sets in refused for pod_set in pod_sets):
            return True
        cut_off = self._facts.control_plane.cut_off
        return any(cut_off.get(member.owner, (None, False))[1] for member in group.members)

    def missing(self, group: Group) -> Iterator[Because]:
        """What is not known about the group and may end it, beside nodes and policies."""
        yield from self.told(group)
        yield from self._facts.control_plane.meshed(group)
        if self._snapshot.rest is not None:
            from trainlint.proof.omissions import left_out  # noqa: PLC0415 (only where there are alternatives)

            yield from left_out(self._snapshot, self._snapshot.rest, group)

    def told(self, group: Group) -> Iterator[Because]:
        """Those of the doubts of which rules give findings of their own."""
        members = {id(member) for member in group.members}
        for cause in self._facts.objects.dangling_references:
            if any(id(pod_set) in members for pod_set in cause.pod_sets):
                yield Because(ProofGround.REFERENCE, (cause.target, cause.pod_sets[0].name, ""))
        for setting in self._facts.repository.missing_settings:
            if any(id(pod_set) in members for pod_set in setting.pod_sets):
                yield Because(ProofGround.REFERENCE, (setting.target, setting.pod_sets[0].name, setting.key))
        queues = self._facts.queues
        for gang in (*(gang for gang, _ in queues.oversized_gangs), *(each.gang for each in queues.late_members)):
            if gang.doubt and any(id(pod_set) in members for pod_set in gang.pod_sets):
                yield Because(ProofGround.DOUBTED_GANG, (gang.pod_sets[0].name, gang.doubt))
        for each in self._facts.objects.refused:
            if each.why is not None and not each.certain and any(id(pods) in members for pods in each.pod_sets):
                yield each.why
        cut_off = self._facts.control_plane.cut_off
        cut = (cut_off.get(each) for each in dict.fromkeys(member.owner for member in group.members))
        yield from (each[0] for each in cut if each is not None and not each[1])


def unknown_nodes(nearest: tuple[Inventory, ...]) -> Iterator[Because]:
    """Why it is not known which nodes there are."""
    if not nearest:
        yield NO_INVENTORY
    elif len(nearest) > 1:
        files = [f"{each.name} ({each.at.file})" if each.at is not None else each.name for each in nearest]
        names = [each.name for each in nearest]
        shown = names if len(set(names)) == len(names) else files
        yield Because(ProofGround.SEVERAL_INVENTORIES, (len(nearest), tuple(shown)))
