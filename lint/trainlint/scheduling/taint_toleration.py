"""TaintToleration (S 1.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.pod import PodSpec, Toleration
from trainlint.model.pool import COMPUTE_CLASS, Taint
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Code, Doubt, DoubtGround, Ground, Refusal
from trainlint.scheduling.ternary import every, some

__all__ = ["PLUGIN", "check", "passes", "perhaps", "tolerated", "tolerates", "untolerated"]

PLUGIN = "TaintToleration"
_FILTERED = frozenset({"NoSchedule", "NoExecute"})


def check(pod: Pod, node: Node) -> Answer:
    """Every NoSchedule and NoExecute taint of the node must be tolerated; the first that is not refuses."""
    doubtful: Taint | None = None
    for taint in _filtering(node.pool.taints):
        verdict = tolerated(taint, pod.spec)
        if verdict is False:
            at = pod.spec.at.child("tolerations") if pod.spec.at else None
            return Refusal(PLUGIN, Code.UNRESOLVABLE, Because(Ground.TAINT, (taint,)), at, taint.at)
        if verdict is None:
            doubtful = doubtful or taint
    if doubtful is not None and doubtful.key == COMPUTE_CLASS:
        return Doubt(PLUGIN, Because(DoubtGround.COMPUTE_CLASS, (doubtful.value, doubtful)), pod.spec.at)
    if doubtful is not None and perhaps(doubtful, pod.spec):
        return Doubt(PLUGIN, Because(DoubtGround.EXTENDED_RESOURCES, (doubtful,)), pod.spec.at, platform=True)
    if doubtful is not None:
        return Doubt(PLUGIN, Because(DoubtGround.HIDDEN_TOLERATION, (doubtful,)), pod.spec.at)
    return None


def describe(taint: Taint) -> str:
    """The taint as kubectl writes it."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def untolerated(taints: Iterable[Taint], spec: PodSpec) -> tuple[Taint, ...]:
    """All taints that surely keep pods of this spec away."""
    return tuple(taint for taint in _filtering(taints) if tolerated(taint, spec) is False)


def passes(spec: PodSpec, taints: Iterable[Taint]) -> bool | None:
    """Whether every NoSchedule and NoExecute taint is tolerated; ``None`` where that is not known."""
    return every(tolerated(taint, spec) for taint in _filtering(taints))


def tolerated(taint: Taint, spec: PodSpec) -> bool | None:
    """Whether one of the pod's tolerations covers the taint; ``None`` where that is not known."""
    known = some(tolerates(toleration, taint) for toleration in spec.tolerations)
    if known is False and taint.key == COMPUTE_CLASS:
        return True if _selects_class(spec) else None
    if known is False and ("tolerations" in spec.undetermined or perhaps(taint, spec)):
        return None
    return known


def _selects_class(spec: PodSpec) -> bool:
    """Whether the pods name a ComputeClass, so that GKE adds a toleration for it. Others may get the default class of
    their namespace or cluster (cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes).
    """
    terms = (spec.node_selector, *(term.expressions for term in spec.node_affinity or ()))
    return any(each.key == COMPUTE_CLASS for term in terms for each in term)


def perhaps(taint: Taint, spec: PodSpec) -> bool:
    """Whether admission tolerates the taint on some platforms, where it is not known which one it is."""
    return any(tolerates(toleration, taint) is True for toleration in spec.perhaps_tolerated)


def tolerates(toleration: Toleration, taint: Taint) -> bool | None:
    """Whether the toleration covers the taint; ``None`` where that is not known. Operators Lt and Gt are behind a gate
    that is off by default.
    """
    effect = not toleration.effect or _equal(toleration.effect, taint.effect)
    key = not toleration.key or _equal(toleration.key, taint.key)
    match toleration.operator:
        case "Exists":
            value: bool | None = True
        case "" | "Equal":
            value = _equal(toleration.value, taint.value)
        case operator:
            value = None if is_placeholder(operator) else False
    return every((effect, key, value))


def _filtering(taints: Iterable[Taint]) -> Iterator[Taint]:
    return (taint for taint in taints if taint.effect in _FILTERED)


def _equal(left: str, right: str) -> bool | None:
    if left == right:
        return True
    return None if is_placeholder(left) or is_placeholder(right) else False
