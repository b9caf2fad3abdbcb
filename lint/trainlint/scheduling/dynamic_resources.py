"""DynamicResources (S 1.9): the allocator asked for one pod on one node, where it is known which devices that has."""

from __future__ import annotations

from typing import Final

from trainlint.model.because import Because
from trainlint.model.needs import NeedGround
from trainlint.model.pod import PodResourceClaim
from trainlint.scheduling.devices.allocation import AllocatedClaims, Answer
from trainlint.scheduling.devices.claims_of_pod import Missing
from trainlint.scheduling.devices.one_node import placed_together
from trainlint.scheduling.devices.outcome import AllocationFault, Open
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer as FilterAnswer
from trainlint.scheduling.refusal import Code, Doubt, DoubtGround, Ground, Refusal
from trainlint.workload.claims import CHANNEL, DOMAIN_DRIVER

__all__ = ["PLUGIN", "check"]

PLUGIN: Final = "DynamicResources"
Claims = tuple[PodResourceClaim, ...]


def check(pod: Pod, node: Node) -> FilterAnswer:
    """Whether the devices of an empty node suffice for the pod's claims.

    Drivers publish at run time which devices a node has: where nothing says so, it is a doubt, and a need.
    """
    claims = pod.spec.resource_claims
    if not claims:
        return None
    devices = node.pool.devices
    if devices is None:
        why = Because(DoubtGround.DEVICES, (_named(claims), node.pool.name))
        return Doubt(PLUGIN, why, claims[0].at, need=Because(NeedGround.DEVICES, (_named(claims),)), devices=True)
    unread = next((each for each in claims if each.devices is None), None)
    if unread is not None:
        kind = "ResourceClaim" if unread.claim else "ResourceClaimTemplate"
        name = f"{kind} {unread.claim or unread.template or unread.name}"
        return Doubt(
            PLUGIN, Because(DoubtGround.NOT_IN_GIT, (name,)), unread.at, need=Because(NeedGround.OBJECT, (name,))
        )
    if _asks_for_channel(claims) and all(each.driver != DOMAIN_DRIVER for each in devices.slices):
        why = Because(DoubtGround.DEVICES, (_named(claims), node.pool.name))
        return Doubt(PLUGIN, why, claims[0].at, need=Because(NeedGround.DEVICES, (_named(claims),)), devices=True)
    answer = placed_together((claims,), devices)
    return None if isinstance(answer, AllocatedClaims) else _refusal(answer, claims, node)


def _asks_for_channel(claims: Claims) -> bool:
    """Whether a claim is one of a ComputeDomain: who describes the GPUs of a node may leave its channels out."""
    wishes = (wish for each in claims if each.devices for request in each.devices.requests for wish in request.wishes)
    return any(wish.device_class == CHANNEL for wish in wishes)


def _refusal(answer: Answer, claims: Claims, node: Node) -> Refusal | Doubt:
    at = claims[0].at
    match answer:
        case Missing():
            name = f"{answer.kind} {answer.name}"
            return Doubt(PLUGIN, Because(DoubtGround.NOT_IN_GIT, (name,)), at, need=Because(NeedGround.OBJECT, (name,)))
        case Open():
            return Doubt(PLUGIN, Because(DoubtGround.WHICH_DEVICES, (_named(claims), answer.why)), at)
        case AllocationFault():
            reason = Because(Ground.DEVICE_SELECTION, (_named(claims), answer.reason))
            return Refusal(PLUGIN, Code.ERROR, reason, at, node.pool.at)
        case _:
            return Refusal(
                PLUGIN, Code.UNRESOLVABLE, Because(Ground.DEVICES, (_named(claims), node.pool.name)), at, node.pool.at
            )


def _named(claims: Claims) -> str:
    return ", ".join(claim.claim or claim.template or claim.name for claim in claims)
