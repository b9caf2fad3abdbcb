"""NodeResourcesFit (S 1.5)."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.needs import NeedGround
from trainlint.scheduling.ground import NodeGround
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Code, Doubt, DoubtGround, Ground, Refusal
from trainlint.scheduling.requests import Requests

__all__ = ["PLUGIN", "Shortage", "check", "shortages"]

PLUGIN = "NodeResourcesFit"


@fact
class Shortage:
    """A resource of which a node has too little: what is requested, used and allocatable, in the units of Requests."""

    resource: str
    requested: int
    used: int
    allocatable: int


def shortages(requests: Requests, node: Node, used: Mapping[str, int]) -> list[Shortage | Undetermined]:
    """What is missing on a node on which ``used`` is taken; undetermined amounts as they are."""
    found: list[Shortage | Undetermined] = []
    if node.allocatable is None:
        return [Undetermined(Because(NodeGround.NO_ALLOCATABLE, (node.pool.name,)))]
    for name, requested in requests.compared:
        if name in node.by_devices:
            continue
        allocatable = node.allocatable.get(name, 0)
        if isinstance(requested, Undetermined):
            found.append(requested)
        elif isinstance(allocatable, Undetermined):
            found.append(allocatable)
        elif requested > allocatable - used.get(name, 0):
            if requested <= node.ceiling.get(name, allocatable) - used.get(name, 0):
                found.append(Undetermined(Because(NodeGround.KUBELET_SHARE, (name, node.pool.name))))
                continue
            found.append(Shortage(name, requested, used.get(name, 0), allocatable))
    return found


def check(pod: Pod, node: Node, used: Mapping[str, int] = {}, pods: int = 0) -> Answer:
    """Everything that the pod requests must be left on the node on which ``pods`` pods use ``used``."""
    if node.allocatable is None:
        return Doubt(PLUGIN, Because(DoubtGround.ALLOCATABLE, (node.pool.name,)), node.pool.at)
    missing = shortages(pod.requests, node, used)
    short = [shortage for shortage in missing if isinstance(shortage, Shortage)]
    allowed = node.allocatable.get("pods", 0)
    if isinstance(allowed, int) and pods + 1 > allowed:
        short.append(Shortage("pods", 1, pods, allowed))
    if short:
        return _refusal(short, pod, node)
    unknown = next((reason.why for reason in missing if isinstance(reason, Undetermined)), None)
    if isinstance(allowed, Undetermined):
        unknown = unknown or allowed.why
    if not unknown:
        return None
    asked = [name for name, amount in pod.requests.compared if isinstance(amount, Undetermined)]
    own = len(asked) == sum(isinstance(reason, Undetermined) for reason in missing) and not isinstance(
        allowed, Undetermined
    )
    need = Because(NeedGround.AMOUNT, (" and ".join(asked), unknown)) if own else None
    return Doubt(PLUGIN, Because(DoubtGround.VALUE, (unknown,)), pod.spec.at, need=need, filled=own)


def _refusal(short: list[Shortage], pod: Pod, node: Node) -> Refusal:
    never = [
        shortage for shortage in short if shortage.requested > shortage.allocatable and shortage.resource != "pods"
    ]
    worst = (never or short)[0]
    return Refusal(
        PLUGIN,
        Code.UNRESOLVABLE if never else Code.UNSCHEDULABLE,
        Because(Ground.SHORTAGES, (tuple(short),)),
        pod.requests.decided_by.get(worst.resource) or pod.spec.at,
        node.pool.at,
    )
