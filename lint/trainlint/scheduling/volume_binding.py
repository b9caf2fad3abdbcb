"""VolumeBinding (S 1.8)."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.model.because import Because
from trainlint.model.needs import NeedGround
from trainlint.model.selector import Requirement
from trainlint.model.storage import Claim, Storage, StorageClass
from trainlint.scheduling.claims import PodClaim, class_of, missing, pod_claims, unusable, volume_of
from trainlint.scheduling.node import Node
from trainlint.scheduling.node_affinity import describe
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Code, Doubt, DoubtGround, Ground, Refusal
from trainlint.scheduling.requirement import holds
from trainlint.scheduling.ternary import every, some
from trainlint.scheduling.volume_match import allowed_by, amount, as_listed, candidates, matching_volume, reachable_from

__all__ = ["PLUGIN", "check"]

PLUGIN = "VolumeBinding"
_STATIC = "kubernetes.io/no-provisioner"


def check(pod: Pod, node: Node, storage: Storage) -> Answer:
    """Every claim must be bound to a volume that the node reaches, or be one that can still be bound there."""
    claims = list(pod_claims(pod, storage))
    answers: list[Answer] = [unusable(PLUGIN, wanted, pod, storage) for wanted in claims]
    usable = [wanted for wanted, answer in zip(claims, answers, strict=True) if answer is None]
    answers += [_immediate(wanted, node, storage) for wanted in usable if _kind(wanted, storage) == "immediate"]
    answers += [_bound(wanted, node, storage) for wanted in usable if _kind(wanted, storage) == "bound"]
    answers += _delayed([wanted for wanted in usable if _kind(wanted, storage) == "delayed"], node, storage)
    refusal = next((answer for answer in answers if isinstance(answer, Refusal)), None)
    return refusal or next((answer for answer in answers if answer is not None), None)


def _kind(wanted: PodClaim, storage: Storage) -> str:
    claim = wanted.claim
    if claim is None:
        return ""
    if claim.bound and claim.volume:
        return "bound"
    chosen = class_of(claim, storage)
    return "delayed" if chosen is not None and chosen.delayed and not claim.volume else "immediate"


def _bound(wanted: PodClaim, node: Node, storage: Storage) -> Answer:
    claim = wanted.claim
    volume = volume_of(claim, storage) if claim else None
    if claim is None or volume is None:
        return missing(PLUGIN, f"PersistentVolume {claim.volume if claim else ''}", wanted, storage)
    match reachable_from(volume, node, live=storage.controllers):
        case True:
            return None
        case None:
            return Doubt(PLUGIN, Because(DoubtGround.REACH, (volume.name,)), wanted.volume.at)
        case _:
            reason = Because(Ground.OUT_OF_REACH, (volume.name, claim.name, allowed_by(volume)))
            return Refusal(PLUGIN, Code.UNRESOLVABLE, reason, wanted.volume.at, volume.at)


def _immediate(wanted: PodClaim, node: Node, storage: Storage) -> Answer:
    """An unbound claim that does not wait for its pod: refused until it is bound, which controllers may yet do."""
    claim = wanted.claim
    reason = Because(Ground.UNBOUND, (wanted.name,))
    refusal = Refusal(PLUGIN, Code.UNRESOLVABLE, reason, wanted.volume.at, claim.at if claim else None)
    if claim is None or not storage.controllers:
        return refusal
    if claim.storage_class is None:
        why = Because(DoubtGround.DEFAULT_CLASS, (claim.name,))
        return Doubt(PLUGIN, why, wanted.volume.at, need=Because(NeedGround.DEFAULT_CLASS, (claim.name,)))
    chosen = class_of(claim, storage)
    if chosen is not None and chosen.provisioner not in ("", _STATIC):
        allowed = _topology_allows(chosen, node, live=storage.controllers)
        why = Because(DoubtGround.ZONE_OF_VOLUME, (claim.name,))
        if allowed is False:
            reason = Because(Ground.CLASS_ELSEWHERE, (chosen.name, claim.name, _allowed(chosen)))
            return Refusal(PLUGIN, Code.UNRESOLVABLE, reason, wanted.volume.at, chosen.at)
        return Doubt(PLUGIN, why, wanted.volume.at, need=_reachable(claim))
    if claim.storage_class and chosen is None:
        return missing(PLUGIN, f"StorageClass {claim.storage_class}", wanted, storage)
    found = list(candidates(claim, storage, frozenset()))
    reached = [reachable_from(volume, node, live=storage.controllers) for volume in found]
    if found and all(reached):
        return None
    if some(reached) is False and storage.complete:
        return refusal
    why = Because(DoubtGround.WHICH_VOLUME, (claim.name,))
    return Doubt(PLUGIN, why, wanted.volume.at, need=_reachable(claim))


def _reachable(claim: Claim) -> Because:
    return Because(NeedGround.VOLUME_FOR_ALL, (claim.name,))


def _delayed(wanted: list[PodClaim], node: Node, storage: Storage) -> list[Answer]:
    """Claims that wait for their pod: an existing volume each, smallest claims first, or a new one."""
    answers: list[Answer] = []
    taken: frozenset[str] = frozenset()
    for each in sorted(wanted, key=lambda each: amount(each.claim.request if each.claim else "")):
        claim = each.claim
        if claim is None:
            continue
        if claim.selected_node:
            elsewhere = claim.selected_node != node.name
            answers.append(_pinned(each, claim) if elsewhere else _provision(each, claim, node, storage))
            continue
        volume = matching_volume(claim, node, storage, taken)
        if volume is not None:
            taken |= {volume.name}
        else:
            answers.append(_provision(each, claim, node, storage))
    return answers


def _pinned(wanted: PodClaim, claim: Claim) -> Refusal:
    reason = Because(Ground.PROVISIONED_ELSEWHERE, (claim.name, claim.selected_node))
    return Refusal(PLUGIN, Code.UNRESOLVABLE, reason, wanted.volume.at, claim.at)


def _provision(wanted: PodClaim, claim: Claim, node: Node, storage: Storage) -> Answer:
    chosen = class_of(claim, storage)
    if chosen is None:
        return missing(PLUGIN, f"StorageClass {claim.storage_class}", wanted, storage)
    if chosen.provisioner in ("", _STATIC):
        if storage.complete:
            reason = Because(Ground.NO_VOLUME, (chosen.name, claim.name))
            return Refusal(PLUGIN, Code.UNRESOLVABLE, reason, wanted.volume.at, claim.at)
        why = Because(DoubtGround.VOLUMES_OF_CLASS, (chosen.name,))
        return Doubt(PLUGIN, why, wanted.volume.at, need=_reachable(claim))
    match _topology_allows(chosen, node, live=storage.controllers):
        case False:
            reason = Because(Ground.CLASS_ELSEWHERE, (chosen.name, claim.name, _allowed(chosen)))
            return Refusal(PLUGIN, Code.UNRESOLVABLE, reason, wanted.volume.at, chosen.at)
        case None:
            return Doubt(PLUGIN, Because(DoubtGround.CLASS_REACH, (chosen.name,)), wanted.volume.at)
        case _:
            return None if _has_room(claim, chosen, node, storage) else _no_room(wanted, claim, chosen, storage)


def _no_room(wanted: PodClaim, claim: Claim, chosen: StorageClass, storage: Storage) -> Refusal | Doubt:
    """No room in what is published; drivers publish it at run time, so where Git holds none the answer is unknown."""
    if not storage.complete and not any(each.storage_class == chosen.name for each in storage.capacities):
        why = Because(DoubtGround.CLASS_ROOM, (chosen.name,))
        need = Because(NeedGround.CLASS_ROOM, (chosen.name, claim.name))
        return Doubt(PLUGIN, why, wanted.volume.at, need=need)
    reason = Because(Ground.NO_CAPACITY, (chosen.name, claim.name))
    return Refusal(PLUGIN, Code.UNRESOLVABLE, reason, wanted.volume.at, claim.at)


def _allowed(chosen: StorageClass) -> str:
    """The topologies of a class, for messages."""
    return " or ".join(" and ".join(map(describe, term)) for term in chosen.topologies)


def _topology_allows(chosen: StorageClass, node: Node, *, live: bool) -> bool | None:
    if not chosen.topologies:
        return True
    return some(
        every(holds(each, node.label(each.key)) for each in as_listed(term, node, live=live)) if term else False
        for term in chosen.topologies
    )


def _has_room(claim: Claim, chosen: StorageClass, node: Node, storage: Storage) -> bool:
    if not claim.request or chosen.provisioner not in storage.capacity_drivers:
        return True
    return any(
        each.storage_class == chosen.name
        and each.topology is not None
        and _selects(each.topology.requirements, node)
        and (each.maximum or each.capacity) != ""
        and amount(each.maximum or each.capacity) >= amount(claim.request)
        for each in storage.capacities
    )


def _selects(requirements: Iterable[Requirement], node: Node) -> bool:
    return every(holds(requirement, node.label(requirement.key)) for requirement in requirements) is True
