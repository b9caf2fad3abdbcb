"""Pod sets and nodes as they would be without some of their constraints."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from trainlint.causes.constraint import Constraint, ConstraintKind, ResourceRequest
from trainlint.model.pod import Container, PodSpec, Toleration
from trainlint.model.pool import Pool, Taint
from trainlint.model.selector import NodeSelectorTerm, Requirement
from trainlint.model.workload import PodSet
from trainlint.scheduling.node import Node

__all__ = ["pinned", "relaxed_nodes", "relaxed_pods"]

Part = TypeVar("Part")


def relaxed_pods(pod_set: PodSet, dropped: Collection[Constraint]) -> PodSet:
    """The pod set without the constraints (all of them about it)."""
    if not dropped:
        return pod_set
    gone = _DroppedConstraints(dropped)
    spec = pod_set.spec
    changed = replace(
        spec,
        node_selector=gone.left(ConstraintKind.NODE_SELECTOR, spec.node_selector),
        node_affinity=_affinity(spec, gone),
        node_name="" if gone.any(ConstraintKind.NODE_NAME) else spec.node_name,
        pod_affinity=gone.left(ConstraintKind.POD_AFFINITY, spec.pod_affinity),
        pod_anti_affinity=gone.left(ConstraintKind.POD_ANTI_AFFINITY, spec.pod_anti_affinity),
        spread=gone.left(ConstraintKind.SPREAD, spec.spread),
        tolerations=(*spec.tolerations, *_tolerations(gone)),
        volumes=tuple(each for each in spec.volumes if not gone.has(ConstraintKind.VOLUME, each.name)),
        resource_claims=tuple(each for each in spec.resource_claims if not gone.has(ConstraintKind.CLAIM, each.name)),
        containers=tuple(_container(each, gone) for each in spec.containers),
        init_containers=tuple(_container(each, gone) for each in spec.init_containers),
    )
    together, parts = (
        None if gone.has(ConstraintKind.TOGETHER, each) else each for each in (pod_set.together, pod_set.parts)
    )
    return replace(
        pod_set,
        spec=changed,
        queue="" if gone.any(ConstraintKind.QUEUE) else pod_set.queue,
        together=together,
        parts=parts,
        placed_by=pod_set.placed_by if together or parts or not gone.any(ConstraintKind.TOGETHER) else "",
    )


class _DroppedConstraints:
    """Constraints that are dropped, by kind."""

    def __init__(self, dropped: Collection[Constraint]) -> None:
        self._parts: dict[ConstraintKind, list[object]] = {}
        for each in dropped:
            self._parts.setdefault(each.kind, []).extend(each.parts)

    def any(self, kind: ConstraintKind) -> bool:
        """Whether one of the kind is dropped."""
        return kind in self._parts

    def has(self, kind: ConstraintKind, part: object) -> bool:
        """Whether this one is dropped: elements are the same if they stand at one place."""
        at = getattr(part, "at", None)
        return any(part == each and at == getattr(each, "at", None) for each in self._parts.get(kind, ()))

    def left(self, kind: ConstraintKind, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """Those that are not dropped."""
        return tuple(each for each in parts if not self.has(kind, each)) if self.any(kind) else parts

    def of(self, kind: ConstraintKind) -> Sequence[object]:
        """Everything of a kind that is dropped."""
        return self._parts.get(kind, ())


def _affinity(spec: PodSpec, gone: _DroppedConstraints) -> tuple[NodeSelectorTerm, ...] | None:
    """The required node affinity; a term of which nothing is left matches every node."""
    if spec.node_affinity is None or not gone.any(ConstraintKind.NODE_AFFINITY):
        return spec.node_affinity
    terms = []
    for term in spec.node_affinity:
        left = replace(
            term,
            expressions=gone.left(ConstraintKind.NODE_AFFINITY, term.expressions),
            fields=gone.left(ConstraintKind.NODE_AFFINITY, term.fields),
        )
        if not left.expressions and not left.fields and (term.expressions or term.fields):
            return None
        terms.append(left)
    return None if gone.has(ConstraintKind.NODE_AFFINITY, None) else tuple(terms)


def _tolerations(gone: _DroppedConstraints) -> Iterator[Toleration]:
    for taint in gone.of(ConstraintKind.MISSING_TOLERATION):
        if isinstance(taint, Taint):
            yield Toleration(taint.key, "Exists", effect=taint.effect)


def _container(container: Container, gone: _DroppedConstraints) -> Container:
    requests = {name: text for name, text in container.requests.items() if not _asks(gone, container, name)}
    limits = {name: text for name, text in container.limits.items() if not _asks(gone, container, name)}
    ports = () if gone.has(ConstraintKind.HOST_PORT, container.name) else container.ports
    return replace(container, requests=requests, limits=limits, ports=ports)


def _asks(gone: _DroppedConstraints, container: Container, resource: str) -> bool:
    return gone.has(ConstraintKind.REQUEST, ResourceRequest(container.name, resource))


def relaxed_nodes(nodes: Sequence[Node], dropped: Collection[Constraint]) -> tuple[Node, ...]:
    """The nodes without the taints and cordons that are dropped."""
    found = list(nodes)
    for each in dropped:
        for index in each.of if each.kind in (ConstraintKind.TAINT, ConstraintKind.CORDON) else ():
            found[index] = replace(found[index], pool=_pool(found[index].pool, each))
    return tuple(found)


def _pool(pool: Pool, dropped: Constraint) -> Pool:
    if dropped.kind is ConstraintKind.CORDON:
        return replace(pool, unschedulable=False)
    return replace(pool, taints=tuple(each for each in pool.taints if each not in dropped.parts))


def pinned(pod_set: PodSet, key: str, value: str) -> PodSet:
    """The pod set with what is missing to keep it in one domain."""
    pin = Requirement(key, "In", (value,), at=pod_set.spec.at)
    return replace(pod_set, spec=replace(pod_set.spec, node_selector=(*pod_set.spec.node_selector, pin)))
