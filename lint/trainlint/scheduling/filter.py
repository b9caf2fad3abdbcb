"""All filters: the static ones for a pod on an empty node, and all of them on nodes with pods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from trainlint.model.because import Because
from trainlint.model.pool import Pool
from trainlint.model.settings import Settings
from trainlint.model.storage import Storage
from trainlint.model.workload import PodSet
from trainlint.scheduling import (
    dynamic_resources,
    inter_pod_affinity,
    node_affinity,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    node_volume_limits,
    pod_topology_spread,
    taint_toleration,
    volume_binding,
    volume_restrictions,
    volume_zone,
)
from trainlint.scheduling.admission import admit
from trainlint.scheduling.claims import pod_claims
from trainlint.scheduling.node import Node, node_of
from trainlint.scheduling.occupancy import Occupancy
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Answer, Code, Doubt, Ground, Refusal

__all__ = ["Code", "Doubt", "Refusal", "refusals", "static_refusals", "verdicts"]

_STATIC: tuple[Callable[[Pod, Node], Answer], ...] = (
    node_unschedulable.check,
    node_name.check,
    taint_toleration.check,
    node_affinity.check,
    dynamic_resources.check,
)

Verdicts = list[Code | Doubt | None]
"""One filter's answer for each node; ``None``: the pod passes."""


def static_refusals(pod: PodSet, pool: Pool, settings: Settings) -> tuple[Refusal | Doubt, ...]:
    """What keeps one pod of the set from one empty node of the pool, every filter asked by itself; ``()``: it fits."""
    return refusals(admit(pod, settings).pod, node_of(pool))


def refusals(
    pod: Pod,
    node: Node,
    here: Sequence[Pod] = (),
    everywhere: Sequence[Pod] = (),
    storage: Storage | None = None,
) -> tuple[Refusal | Doubt, ...]:
    """What keeps the pod from a node on which the pods ``here`` sit, affinity and spread apart.

    Volumes are judged only where it is known which exist; ``everywhere`` are all placed pods.
    """
    answers: list[Answer] = [check(pod, node) for check in _STATIC]
    answers.append(node_resources_fit.check(pod, node, _used(here), len(here)))
    if pod.host_ports and node_ports.verdict(pod, here) is not None:
        answers.append(Refusal(node_ports.PLUGIN, Code.UNSCHEDULABLE, Because(Ground.HOST_PORT), pod.spec.at))
    if storage is not None and pod.spec.volumes:
        answers.append(volume_restrictions.check(pod, here, everywhere, storage))
        if any(True for _ in pod_claims(pod, storage)):
            answers.append(node_volume_limits.check(pod, node, here, storage))
            answers.append(volume_binding.check(pod, node, storage))
            answers.append(volume_zone.check(pod, node, storage))
    return tuple(answer for answer in answers if answer is not None)


def _used(here: Sequence[Pod]) -> dict[str, int]:
    used: dict[str, int] = defaultdict(int)
    for other in here:
        for name, amount in other.requests.amounts.items():
            used[name] += amount if isinstance(amount, int) else 0
    return used


def verdicts(pod: Pod, occupancy: Occupancy, storage: Storage | None = None) -> dict[str, Verdicts]:
    """Every filter's answer on every node, each asked by itself; filters with nothing to check are left out."""
    return dict(_verdicts(pod, occupancy, storage or Storage()))


def _verdicts(pod: Pod, occupancy: Occupancy, storage: Storage) -> Iterator[tuple[str, Verdicts]]:
    nodes = occupancy.nodes
    here = [[kind for kind, _ in occupancy.on(index)] for index in range(len(nodes))]
    for module in (node_unschedulable, node_name, taint_toleration):
        yield module.PLUGIN, [_code(module.check(pod, node)) for node in nodes]
    if pod.spec.node_selector or pod.spec.node_affinity is not None or pod.spec.undetermined:
        yield node_affinity.PLUGIN, [_code(node_affinity.check(pod, node)) for node in nodes]
    if pod.host_ports:
        yield node_ports.PLUGIN, [node_ports.verdict(pod, there) for there in here]
    yield (
        node_resources_fit.PLUGIN,
        [
            _code(node_resources_fit.check(pod, node, occupancy.used[index], occupancy.pods[index]))
            for index, node in enumerate(nodes)
        ],
    )
    yield from _of_volumes(pod, occupancy, storage, here)
    spread = occupancy.pod_topology_spread(pod)
    if spread is not None:
        yield pod_topology_spread.PLUGIN, spread
    affinity = occupancy.inter_pod_affinity(pod)
    if affinity is not None:
        yield inter_pod_affinity.PLUGIN, affinity


def _of_volumes(
    pod: Pod, occupancy: Occupancy, storage: Storage, here: list[list[Pod]]
) -> Iterator[tuple[str, Verdicts]]:
    nodes = occupancy.nodes
    placed = [kind for there in here for kind in there]
    if volume_restrictions.concerns(pod, placed, storage):
        answers = [volume_restrictions.check(pod, there, placed, storage) for there in here]
        yield volume_restrictions.PLUGIN, list(map(_code, answers))
    if not any(True for _ in pod_claims(pod, storage)):
        return
    answers = [node_volume_limits.check(pod, node, there, storage) for node, there in zip(nodes, here, strict=True)]
    yield node_volume_limits.PLUGIN, list(map(_code, answers))
    yield volume_binding.PLUGIN, [_code(volume_binding.check(pod, node, storage)) for node in nodes]
    if volume_zone.concerns(pod, storage):
        yield volume_zone.PLUGIN, [_code(volume_zone.check(pod, node, storage)) for node in nodes]


def _code(answer: Answer) -> Code | Doubt | None:
    return answer.code if isinstance(answer, Refusal) else answer
