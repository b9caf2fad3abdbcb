"""Where the roles of a group can run: its zones, the pools in them, and which role fits on which of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.known import Answer, Undetermined
from trainlint.model.pool import Inventory, Pool
from trainlint.model.workload import Group
from trainlint.proof.cause import Assignment, CapacityCause, DeadlockCause, StrandedCause
from trainlint.proof.feasibility import Feasibility
from trainlint.proof.group import GroupProof
from trainlint.proof.zone_reason import NoNode
from trainlint.proof.zones import no_node
from trainlint.reachability import NO_DOMAIN
from trainlint.result import PlacedRelated
from trainlint.result.graph import GraphPool, GraphZone, Reason, RolePlacement, RoleZone
from trainlint.scheduling.condense import members
from trainlint.scheduling.node import Node
from trainlint.wording.because import texts_of
from trainlint.wording.capacity import scarce
from trainlint.wording.zones import keeps_out, places_of_reason, reason_text, refusal_text, remedy_text
from trainlint.workload.accelerators import is_accelerator

__all__ = [
    "ANY_DOMAIN",
    "Place",
    "obstacles_of",
    "pools_of",
    "role_placements",
    "role_zones_of",
    "waiting_of",
    "zones_of",
]

Place = Callable[[Location, str], PlacedRelated]
"""Resolves a place, which gets a part (``who blocks it``) in words."""


def pools_of(inventory: Inventory, nodes: Sequence[Node], key: str, place: Place) -> tuple[GraphPool, ...]:
    """The pools of an inventory (condensed to ``nodes``) by zone and name; those that can have no node are left out."""
    condensed = [node.pool for node in nodes]
    found = [
        GraphPool(
            names=tuple(each.name for each in written),
            zone=_zone(pool, key),
            minimum=pool.minimum,
            maximum=pool.maximum,
            taints=tuple(
                f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}" for taint in pool.taints
            ),
            accelerators=tuple(_accelerators(pool)),
            at=None if pool.at is None else place(pool.at, "the nodes"),
        )
        for pool, written in zip(condensed, members(inventory.pools, condensed), strict=True)
        if pool.maximum != 0
    ]
    return tuple(sorted(found, key=lambda each: (each.zone, each.name)))


ANY_DOMAIN: Final = "(zone not known)"
"""The zone of nodes whose zone no document states."""


def _accelerators(pool: Pool) -> Iterator[str]:
    for resource, amount in sorted((pool.allocatable or {}).items()):
        if is_accelerator(resource) and amount != "0":
            yield f"? {resource}" if isinstance(amount, Undetermined) else f"{amount} {resource}"


def _zone(pool: Pool, key: str) -> str:
    value = pool.label(key)
    if isinstance(value, Undetermined):
        return ANY_DOMAIN
    return value or NO_DOMAIN


def zones_of(proof: GroupProof, pools: Sequence[GraphPool], place: Place) -> tuple[GraphZone, ...]:
    """Every zone with its answer; those of pools and those of which policies were asked."""
    judged = {zone.name: zone for zone in proof.zones}
    roles = {id(member): index for index, member in enumerate(proof.group.members)}
    names = {pool.zone for pool in pools} | set(judged)
    names |= {each.name for each in proof.reach.places} if proof.reach is not None else set()
    found = []
    for name in sorted(names):
        zone = judged.get(name)
        lacks = tuple(
            (
                roles.get(id(each.pod_set)),
                Reason(
                    reason_text(each, proof.group),
                    (place(each.at, keeps_out(each)), *(place(at, role) for role, at in places_of_reason(each))),
                    remedy_text(each, proof.group),
                ),
            )
            for each in (zone.reasons if zone is not None else ())
            if each.flow is None
        )
        answer = None if zone is None else zone.answer
        if answer is Answer.PROVED and name not in proof.viable_zones:  # its pods are never made
            answer = proof.exists
        found.append(GraphZone(name, answer, lacks))
    return tuple(found)


def role_zones_of(proof: GroupProof, facts: Facts, zones: Sequence[GraphZone], place: Place) -> tuple[RoleZone, ...]:
    """Every role in every zone."""
    found = []
    for index, member in enumerate(proof.group.members):
        judged = facts.verdicts.of(member)
        for zone in zones:
            if judged is None:
                found.append(RoleZone(index, zone.name, Answer.UNKNOWN))
                continue
            feasible, nodes = judged
            here = [number for number, node in enumerate(nodes) if _zone(node.pool, proof.topology_key) == zone.name]
            pools = {number: nodes[number].pool for number in here}
            found.append(_role_zone(index, zone.name, feasible, pools, place, proof.group))
    return tuple(found)


def _role_zone(
    role: int, zone: str, feasible: Feasibility, here: Mapping[int, Pool], place: Place, group: Group
) -> RoleZone:
    fits = [here[number].name for number in sorted(here) if number in feasible.pools]
    if fits:
        return RoleZone(role, zone, Answer.PROVED, tuple(fits))
    unsure = [here[number].name for number in sorted(here) if number in feasible.doubtful]
    if unsure:
        return RoleZone(role, zone, Answer.UNKNOWN, tuple(unsure), Reason("; ".join(texts_of(feasible.doubts()))))
    nearest = min((feasible.verdicts[number] for number in here if number in feasible.verdicts), key=len, default=())
    found = no_node(feasible.pod_set, nearest, here.values())
    places = (place(found.at, keeps_out(found)), *(place(at, part) for part, at in places_of_reason(found)))
    short = refusal_text(found.what) if isinstance(found.what, NoNode) else ""
    return RoleZone(
        role, zone, Answer.REFUTED, (), Reason(reason_text(found, group), places, remedy_text(found, group), short)
    )


def role_placements(proof: GroupProof, assignments: Sequence[Assignment]) -> tuple[RolePlacement, ...]:
    """A placement, with roles by number."""
    roles = {member.name: index for index, member in reversed(list(enumerate(proof.group.members)))}
    return tuple(
        RolePlacement(roles[assignment.pod_set], assignment.zone, assignment.pool, assignment.pods, assignment.nodes)
        for assignment in assignments
        if assignment.pod_set in roles
    )


def waiting_of(proof: GroupProof, place: Place) -> tuple[tuple[int, Reason], ...]:
    """The roles that the counterexample leaves Pending, and what leads them there."""
    roles = {id(member): index for index, member in enumerate(proof.group.members)}
    found = []
    for cause in proof.causes:
        if isinstance(cause, StrandedCause):
            good = f" although all fit in {', '.join(cause.good)}" if cause.good else ""
            for each in cause.waiting:
                text = f"once the others are placed like this, {each.name} finds no node{good}"
                found.append((roles[id(each)], Reason(text, (place(cause.at, f"what binds {each.name}"),))))
    return tuple(found)


def obstacles_of(proof: GroupProof, place: Place) -> tuple[tuple[int, Reason], ...]:
    """What keeps roles from ever starting although each of their pods has nodes."""
    roles = {id(member): index for index, member in enumerate(proof.group.members)}
    found = []
    for cause in proof.causes:
        if isinstance(cause, DeadlockCause) and id(cause.pod_set) in roles:
            found.append((roles[id(cause.pod_set)], Reason(_deadlock(cause), (place(cause.at, "what binds it"),))))
        elif isinstance(cause, CapacityCause) and id(cause.pod_set) in roles:
            text = f"of its {cause.needed} pods only {cause.possible} ever find a place: {scarce(cause)}"
            places = (place(cause.at, "what each asks for"), *(place(at, "where none has room") for at in cause.places))
            found.append((roles[id(cause.pod_set)], Reason(text, places)))
    return tuple(found)


def _deadlock(cause: DeadlockCause) -> str:
    if cause.mutual:
        return f"its pods and those of {cause.target.name} must each start next to the other"
    there, here = ", ".join(cause.target_zones), ", ".join(cause.own_zones)
    return f"it must run where {cause.target.name} runs, only in {there}, and has nodes only in {here}"
