"""DynamicResources (S 1.9)."""

from __future__ import annotations

from trainlint.model.because import Because
from trainlint.model.needs import NeedGround
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Doubt, DoubtGround

__all__ = ["PLUGIN", "check"]

PLUGIN = "DynamicResources"


def check(pod: Pod, node: Node) -> Answer:
    """Drivers publish at run time which devices a node has, so a pod with resource claims is a doubt on every node."""
    if not pod.spec.resource_claims:
        return None
    names = ", ".join(claim.claim or claim.template or claim.name for claim in pod.spec.resource_claims)
    why = Because(DoubtGround.DEVICES, (names, node.pool.name))
    need = Because(NeedGround.DEVICES, (names,))
    return Doubt(PLUGIN, why, pod.spec.resource_claims[0].at, need=need, devices=True)
