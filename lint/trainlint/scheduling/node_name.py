"""NodeName (S 1.1)."""

from __future__ import annotations

from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Code, Doubt, DoubtGround, Ground, Refusal

__all__ = ["PLUGIN", "check"]

PLUGIN = "NodeName"


def check(pod: Pod, node: Node) -> Answer:
    """The pod's own nodeName, if any, must be the node's name."""
    wanted = pod.spec.node_name
    if wanted in ("", node.name):
        return None
    at = pod.spec.at.child("nodeName") if pod.spec.at else None
    if is_placeholder(wanted):
        return Doubt(PLUGIN, Because(DoubtGround.NODE_NAME, (repr(wanted),)), at)
    return Refusal(PLUGIN, Code.UNRESOLVABLE, Because(Ground.NODE_NAME, (wanted,)), at, node.pool.at)
