"""NodeUnschedulable (S 1.1)."""

from __future__ import annotations

from trainlint.model.because import Because
from trainlint.model.pool import Taint
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Code, Doubt, DoubtGround, Ground, Refusal
from trainlint.scheduling.taint_toleration import tolerated

__all__ = ["PLUGIN", "check"]

PLUGIN = "NodeUnschedulable"
_CORDON = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


def check(pod: Pod, node: Node) -> Answer:
    """A cordoned node takes only pods that tolerate the taint of the cordon, whether it is listed or not."""
    if not node.pool.unschedulable:
        return None
    match tolerated(_CORDON, pod.spec):
        case True:
            return None
        case None:
            return Doubt(PLUGIN, Because(DoubtGround.TOLERATIONS), pod.spec.at)
        case _:
            return Refusal(PLUGIN, Code.UNRESOLVABLE, Because(Ground.CORDON), pod.spec.at, node.pool.at)
